import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { linkIn, linksIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { trustedPage, type TrustedPage } from './trusted-page.ts'

let stack: Stack
let app: TrustedPage
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  app = await trustedPage()
  stack = await startStack({ env: { TRUSTED_ORIGINS: app.origin } })
  // --no-sandbox: a browser run by root refuses to start otherwise
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  })
})
beforeEach(async () => {
  page = await (await browser.newContext()).newPage()
  complaints.length = 0
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) complaints.push(message.text())
  })
})
afterAll(async () => {
  await browser?.close()
  await stack?.close()
  await app?.close()
})

const status = () => page.locator('[role=status]').textContent()

describe('Ann opens the link of a mail in her browser', () => {
  test('and reads that her address is verified', async () => {
    const ann = person(stack, 'Ann')
    await ann.signUp()
    await page.goto(linkIn(await stack.mail.waitFor(ann.email)))
    expect(await page.locator('h1').textContent()).toBe('E-mail address verified')
    expect((await ann.get('/get-session')).body.user.email_verified).toBe(true)
    expect(complaints).toEqual([])
  })

  test('and deletes the account that somebody else made with her address, once', async () => {
    const eve = person(stack, 'Eve')
    await eve.signUp()
    const [, disown = ''] = linksIn(await stack.mail.waitFor(eve.email))
    await page.goto(disown)
    expect(await page.locator('h1').textContent()).toBe('This was not you?')
    expect((await eve.get('/get-session')).status).toBe(200)
    await page.click('button')
    await expect.poll(status, { timeout: 10_000 }).toContain('The account is deleted')
    expect((await eve.get('/get-session')).status).toBe(401)
    expect(await page.locator('button').count()).toBe(0)
    await page.goto(disown)
    await page.click('button')
    await expect.poll(status, { timeout: 10_000 }).toContain('was used')
    expect(complaints).toEqual([])
  })

  test('and is told that an account whose address was confirmed stays, and what to do', async () => {
    const eve = person(stack, 'Eve')
    await eve.signUp()
    const [, disown = ''] = linksIn(await stack.mail.waitFor(eve.email))
    await eve.verify()
    await page.goto(disown)
    await page.click('button')
    await expect.poll(status, { timeout: 10_000 }).toContain('choose a new password')
    expect((await eve.get('/get-session')).status).toBe(200)
  })

  test('and chooses a new password', async () => {
    const ann = await signedIn(stack, 'Ann')
    await ann.post('/forget-password', { email: ann.email })
    await page.goto(linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))))
    await page.fill('input[name=password]', 'a password from the page')
    await page.click('button')
    await expect.poll(status, { timeout: 10_000 }).toContain('Your password is changed')
    expect((await ann.signIn('a password from the page')).status).toBe(200)
    expect(complaints).toEqual([])
  })

  test('twice, and is told that it no longer works', async () => {
    await page.goto(`${stack.url.replace('127.0.0.1', 'localhost')}/api/auth/reset-password?token=used`)
    await page.fill('input[name=password]', 'a password from the page')
    await page.click('button')
    await expect.poll(status, { timeout: 10_000 }).toContain('not valid')
  })

  test('and accepts an invitation', async () => {
    const { id, owner } = await team(stack, [])
    const ann = await signedIn(stack, 'Ann')
    await owner.post('/organization/invite-member', { organizationId: id, email: ann.email, role: 'viewer' })
    await page.goto(linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('invitation'))))
    await page.fill('input[name=email]', ann.email)
    await page.fill('input[name=password]', password)
    await page.click('button[value=accept]')
    await expect.poll(status, { timeout: 10_000 }).toContain('Welcome')
    expect((await ann.get('/organization/list')).body).toMatchObject([{ id, role: 'viewer' }])
    expect(complaints).toEqual([])
  })
})

describe('a single-page app of another origin', () => {
  const use = (base: string, credentials: { email: string, password: string }) =>
    page.evaluate(async ({ url, body }) => {
      const call = (path: string, init: object) =>
        fetch(`${url}/api/auth${path}`, { credentials: 'include', ...init }).then((reply) => reply.json() as Promise<any>)
      await call('/sign-in/email', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
      return { session: await call('/get-session', {}), token: await call('/token', { method: 'POST' }) }
    }, { url: base, body: credentials })

  test('that is trusted signs in with a cookie and gets a token', async () => {
    const ann = await signedIn(stack, 'Ann')
    await page.goto(app.origin)
    const { session, token } = await use(stack.url.replace('127.0.0.1', 'localhost'), { email: ann.email, password })
    expect(session.user.email).toBe(ann.email)
    expect(token.token.split('.')).toHaveLength(3)
  })

  test('that is not trusted is refused by the browser', async () => {
    const ann = await signedIn(stack, 'Ann')
    const foreign = await trustedPage()
    await page.goto(foreign.origin)
    await expect(use(stack.url.replace('127.0.0.1', 'localhost'), { email: ann.email, password })).rejects.toThrow(/Failed to fetch/)
    await foreign.close()
  })
})
