/**
 * The three layouts of docs/front-ends.md in a real browser, and the messages of layouts that do
 * not work.
 */
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { launchBrowser, wholeBrowser } from './chromium.ts'
import { appDirectory, sites } from './sites.ts'

type Money = {
  auth: (method: string, path: string, body?: unknown) => Promise<{ status: number, body: any }>
  data: (
    method: string,
    path: string,
    token: string,
    body?: unknown,
  ) => Promise<{ status: number, body: any }>
}
declare const money: Money

const api = 'https://api.example.org'

/**
 * A user's browser, which blocks third-party cookies and resolves every name to this machine.
 * @param port of these names
 */
async function browserOf(port?: number): Promise<{ page: Page, complaints: string[] }> {
  const rules = ['org', 'net', 'com'].map((domain) => `MAP *.example.${domain} 127.0.0.1:${port}`)
  const browser = await launchBrowser(
    [
      '--test-third-party-cookie-phaseout',
      ...(port === undefined ? [] : [`--host-resolver-rules=${rules.join(', ')}`]),
    ],
    wholeBrowser,
  )
  onTestFinished(() => browser.close())
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return { page, complaints }
}

/** The product behind an operator's proxy that ends TLS, and the app at any other origin. */
async function behindTls(env: Record<string, string>) {
  const stack = await startStack({
    data: true,
    env: { PUBLIC_URL: api, TRUSTED_PROXIES: '127.0.0.1', ...env },
  })
  onTestFinished(() => stack.close())
  const served = await sites({
    'api.example.org': stack.url,
    // Reports the received cookie, and sets one for every site.
    'plain.example.org': ({ headers: { origin, cookie } }, response) => {
      response.writeHead(200, {
        'access-control-allow-origin': origin ?? '*',
        'access-control-allow-credentials': 'true',
        'set-cookie': 'plain=1; SameSite=None; Secure',
      }).end(JSON.stringify(cookie ?? null))
    },
  })
  onTestFinished(() => served.close())
  return { stack, ...await browserOf(served.port) }
}

const email = 'ann@example.org'
const open = async (page: Page, url: string) => {
  await page.goto(url)
  await expect.poll(() => page.locator('[role=status]').textContent()).toContain('at /')
}
const auth = (page: Page, method: string, path: string, body?: unknown) =>
  page.evaluate(([how, where, what]) => money.auth(how, where, what), [method, path, body] as const)

/** Signs up and verifies the address from within the app. */
async function signUp(page: Page, stack: Stack) {
  expect((await auth(page, 'POST', '/sign-up/email', { email, password, name: 'Ann' })).status)
    .toBe(200)
  const link = linkIn(await stack.mail.waitFor(email))
  expect((await auth(page, 'GET', `/verify-email${new URL(link).search}`)).status).toBe(200)
}
const signIn = (page: Page) => auth(page, 'POST', '/sign-in/email', { email, password })

/** Signs up, reloads, stores a row, reads it, and signs out, as Ann. */
async function everything(page: Page, stack: Stack) {
  await signUp(page, stack)
  expect((await signIn(page)).status).toBe(200)
  await page.reload()
  expect(await auth(page, 'GET', '/get-session')).toMatchObject({
    status: 200,
    body: { user: { email, email_verified: true } },
  })
  const { body: { token } } = await auth(page, 'POST', '/token')
  expect(
    await page.evaluate(
      (bearer) => money.data('POST', '/transactions', bearer, { name: 'Bread', amount: -3 }),
      token,
    ),
  ).toMatchObject({ status: 201 })
  expect(
    await page.evaluate(
      (bearer) => money.data('GET', '/transactions?select=name,amount', bearer),
      token,
    ),
  ).toEqual({
    status: 200,
    body: [{ name: 'Bread', amount: -3 }],
  })
  expect((await auth(page, 'POST', '/sign-out')).status).toBe(200)
  await page.reload()
  expect((await auth(page, 'GET', '/get-session')).status).toBe(401)
}

/** The browser's console message for a response with an error, which is expected. */
const unexpected = (complaints: string[]) =>
  complaints.filter((line) => !line.includes('status of 401'))
const notes = (stack: Stack, setting: string) =>
  stack.logged.filter((line) => line.includes(`"setting":"${setting}"`))

test('one origin: the edge serves the app, with APP_DIR as the only setting', async () => {
  await using stack = await startStack({ data: true, env: { APP_DIR: appDirectory } })
  const { page, complaints } = await browserOf()
  const preflights: string[] = []
  page.on('request', (request) => request.method() === 'OPTIONS' && preflights.push(request.url()))
  await open(page, `${stack.publicUrl}/welcome/back`)
  await everything(page, stack)
  expect(preflights).toEqual([])
  expect(unexpected(complaints)).toEqual([])
})

test('one site: an app on a sibling domain in TRUSTED_ORIGINS works', async () => {
  const { stack, page, complaints } = await behindTls({
    TRUSTED_ORIGINS: 'https://app.example.org',
  })
  await open(page, `https://app.example.org/?api=${api}`)
  await everything(page, stack)
  expect(unexpected(complaints)).toEqual([])
  expect([...notes(stack, 'TRUSTED_ORIGINS'), ...notes(stack, 'COOKIE_SAME_SITE')]).toEqual([])
})

test('two sites: the app at APP_URL works with COOKIE_SAME_SITE=none, also in a browser that blocks third-party cookies', async () => {
  const { stack, page, complaints } = await behindTls({
    APP_URL: 'https://app.example.net',
    COOKIE_SAME_SITE: 'none',
  })
  await open(page, `https://app.example.net/?api=${api}`)
  const plain = () =>
    page.evaluate(async () =>
      (await fetch('https://plain.example.org/', { credentials: 'include' })).json()
    )
  expect([await plain(), await plain()]).toEqual([null, null])
  await everything(page, stack)
  expect(unexpected(complaints).filter((line) => !/third-party cookie/i.test(line))).toEqual([])
})

test('two sites: a page of a third site gets neither the cookie nor a response', async () => {
  const { stack, page } = await behindTls({
    APP_URL: 'https://app.example.net',
    COOKIE_SAME_SITE: 'none',
  })
  await open(page, `https://app.example.net/?api=${api}`)
  await signUp(page, stack)
  await signIn(page)
  const [{ partitionKey } = {}] = await page.context().cookies(api)
  expect(partitionKey).toBe('https://example.net')

  const evil = await page.context().newPage()
  await open(evil, `https://evil.example.com/?api=${api}`)
  // The code of a page, which has no types here.
  const outcome = (attempt: string) => evil.evaluate<string>(attempt)
  const signOut = `${api}/api/auth/sign-out`
  for (const mode of ['cors', 'no-cors']) {
    const attempt =
      `fetch('${signOut}', { method: 'POST', mode: '${mode}', credentials: 'include' }).then(() => 'answered', () => 'refused')`
    expect(await outcome(attempt), mode).toBe('refused')
  }
  const send =
    `const form = Object.assign(document.createElement('form'), { method: 'post', action: '${signOut}' })
    document.body.append(form)
    form.submit()`
  await Promise.all([evil.waitForURL(signOut), evil.evaluate(send)])
  expect(await evil.locator('body').textContent()).toContain('FORBIDDEN')
  expect((await auth(page, 'GET', '/get-session')).status).toBe(200)
})

test('two sites without COOKIE_SAME_SITE: the sign-in is 200, the next call 401, and the log names the setting', async () => {
  const { stack, page } = await behindTls({ APP_URL: 'https://app.example.net' })
  await open(page, `https://app.example.net/?api=${api}`)
  await signUp(page, stack)
  expect((await signIn(page)).status).toBe(200)
  expect((await auth(page, 'GET', '/get-session')).status).toBe(401)
  expect(notes(stack, 'COOKIE_SAME_SITE')).toEqual([
    expect.stringContaining('"origin":"https://app.example.net"'),
  ])
})

test('an app at an untrusted origin: the browser refuses, and the log names the setting', async () => {
  const { stack, page, complaints } = await behindTls({})
  await open(page, `https://app.example.org/?api=${api}`)
  await expect(signIn(page)).rejects.toThrow('Failed to fetch')
  await expect(signIn(page)).rejects.toThrow('Failed to fetch')
  expect(complaints.join()).toContain('Access-Control-Allow-Origin')
  expect(notes(stack, 'TRUSTED_ORIGINS')).toEqual([
    expect.stringContaining('"origin":"https://app.example.org"'),
  ])
})

test("on a developer's machine: an app at any port of localhost works, and one at 127.0.0.1 reads that it is another site", async () => {
  await using stack = await startStack({ data: true })
  const served = await sites({}, false)
  onTestFinished(() => served.close())
  const { page } = await browserOf()
  await open(page, `http://localhost:${served.port}/?api=${stack.publicUrl}`)
  await everything(page, stack)
  await open(page, `http://127.0.0.1:${served.port}/?api=${stack.publicUrl}`)
  expect((await signIn(page)).status).toBe(200)
  expect((await auth(page, 'GET', '/get-session')).status).toBe(401)
  expect(notes(stack, 'COOKIE_SAME_SITE')).toEqual([
    expect.stringContaining(`"origin":"http://127.0.0.1:${served.port}"`),
  ])
})
