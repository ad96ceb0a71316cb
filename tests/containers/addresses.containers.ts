/** The addresses of a deployment: localhost, as in the README, an IP address, and a public name. */
import { readFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barriers, startAppBrowser } from '../browser/app-story.ts'
import { expectMainJob, mainJob } from '../support/main-job.ts'
import { password } from '../support/person.ts'
import { newDeployment, type Deployment } from './deployment.ts'

let deployment: Deployment
beforeAll(async () => {
  deployment = await newDeployment()
  await deployment.up()
})
afterAll(async () => {
  await deployment.remove()
})

test('localhost: the main job works as pasted from the README for Docker', async () => {
  expectMainJob(
    await deployment.shell(
      mainJob.withDocker.replaceAll('https://localhost/', `${deployment.url}/`),
    ),
  )
  expect(
    (await fetch(`${deployment.url}/api/auth/get-session`)).headers.get(
      'strict-transport-security',
    ),
  ).toBeNull()
})

test('localhost: Ben signs up in a browser, opens the mailed link, signs in and finds his transaction after a reload', async () => {
  const browser = await startAppBrowser(deployment.url)
  try {
    const shows = (page: Page, heading: string) =>
      page.getByRole('heading', { name: heading }).waitFor()
    const email = 'ben-with-a-browser@example.org'
    // Chromium does not know Caddy's own authority.
    const computer = await browser.open(null, '/', { ignoreHTTPSErrors: true })
    await computer.getByRole('link', { name: 'Sign up' }).click()
    await computer.getByLabel('Your name').fill('Ben')
    await computer.getByLabel('Email address').fill(email)
    await computer.getByLabel('Password').fill(password)
    await computer.getByRole('button', { name: 'Sign up' }).click()
    await shows(computer, 'Overview')
    const laptop = await browser.open(null, await deployment.mailedLink(email), {
      ignoreHTTPSErrors: true,
    })
    await shows(laptop, 'Your email address is verified')
    await laptop.getByRole('link', { name: 'Go to the app' }).click()
    await laptop.getByLabel('Email address').fill(email)
    await laptop.getByLabel('Password').fill(password)
    await laptop.getByRole('button', { name: 'Sign in' }).click()
    await shows(laptop, 'Overview')
    await laptop.goto(`${deployment.url}/transactions`)
    await laptop.getByRole('button', { name: 'New transaction' }).click()
    const entry = laptop.getByRole('group', { name: 'New transaction' })
    await entry.getByLabel('Name').fill('Bakery')
    await entry.getByLabel('Amount').fill('12.50')
    await entry.getByRole('button', { name: 'Add' }).click()
    await laptop.getByText('Bakery added.').waitFor()
    await laptop.reload()
    await laptop.getByRole('button', { name: 'Bakery', exact: true }).waitFor()
    expect(await barriers(laptop)).toEqual([])
    expect(browser.complaints()).toEqual([])
  } finally {
    await browser.close()
  }
})

test('an IP address: setup changes to it, and clients that trust the authority get responses', async () => {
  const url = deployment.url.replace('localhost', '127.0.0.1')
  expect(await deployment.command('setup', url)).toContain(`is now ${url}`)
  await deployment.up()
  const answer = await fetch(`${url}/data/transactions`)
  expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: [] })
  // Browsers ignore the header for localhost and IP addresses.
  expect(answer.headers.get('strict-transport-security')).toBeNull()
})

test('a public name: browsers are told to use only TLS, on both surfaces', async () => {
  await deployment.command('setup', deployment.url.replace('localhost', 'money.example.org'))
  // The file that a public authority would have issued.
  await deployment.shell(`
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 90 -subj /CN=money.example.org \\
      -addext subjectAltName=DNS:money.example.org -keyout host.key -out host.crt 2>host.log
    echo '{"sans":["money.example.org"],"issuer_data":null}' >host.json
    folder=/data/caddy/certificates/acme-v02.api.letsencrypt.org-directory/money.example.org
    docker compose exec -T caddy mkdir -p $folder
    for kind in crt key json; do docker compose exec -T caddy sh -c "cat >$folder/money.example.org.$kind" <host.$kind; done`)
  await deployment.up()
  const ca = await readFile(join(deployment.directory, 'host.crt'))
  const ask = (path: string) =>
    new Promise((resolve, reject) => {
      const { port } = new URL(deployment.url)
      request({
        host: '127.0.0.1',
        port,
        path,
        ca,
        servername: 'money.example.org',
        headers: { host: `money.example.org:${port}` },
      }, (answer) => {
        resolve({ status: answer.statusCode, hsts: answer.headers['strict-transport-security'] })
        answer.resume()
      }).once('error', reject).end()
    })
  expect(await ask('/data/transactions')).toEqual({ status: 200, hsts: 'max-age=63072000' })
  expect(await ask('/api/auth/get-session')).toEqual({ status: 401, hsts: 'max-age=63072000' })
})
