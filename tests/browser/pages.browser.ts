import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withTwoFactors } from '../support/authenticator-app.ts'
import { linkIn, linksIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { closePages, sharedBrowser } from './chromium.ts'

let stack: Stack
let browser: Browser
let page: Page
const complaints: string[] = []

beforeAll(async () => {
  stack = await startStack()
  browser = await sharedBrowser()
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
  await closePages()
  await stack?.close()
})

const base = () => stack.url.replace('127.0.0.1', 'localhost')
const status = () => page.locator('[role=status]').textContent()

test('Ann opens the link of a mail in her browser and reads that her address is verified', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  await page.goto(linkIn(await stack.mail.waitFor(ann.email)))
  expect(await page.locator('h1').textContent()).toBe('Email address verified')
  await expect.poll(() => page.locator('[data-who]').textContent()).toContain(
    'You are not signed in',
  )
  await page.click('main a')
  expect(await page.locator('h1').textContent()).toBe('Personal and team finance')
  expect((await ann.get('/get-session')).body.user.email_verified).toBe(true)
  expect(complaints).toEqual([])
})

test('Ann opens the link of a mail in her browser and deletes an account that someone else created with her address, and the link works once', async () => {
  const eve = person(stack, 'Eve')
  await eve.signUp()
  const [, disown = ''] = linksIn(await stack.mail.waitFor(eve.email))
  await page.goto(disown)
  expect(await page.locator('h1').textContent()).toBe('This wasn’t you?')
  expect((await eve.get('/get-session')).status).toBe(200)
  await page.click('button')
  await expect.poll(status).toContain('The account was deleted')
  expect((await eve.get('/get-session')).status).toBe(401)
  expect(await page.locator('button').count()).toBe(0)
  await page.goto(disown)
  await page.click('button')
  await expect.poll(status).toContain('already used')
  expect(complaints).toEqual([])
})

test('Ann opens the link of a mail in her browser and reads that an account with a verified address stays, and what she can do', async () => {
  const eve = person(stack, 'Eve')
  await eve.signUp()
  const [, disown = ''] = linksIn(await stack.mail.waitFor(eve.email))
  await eve.verify()
  await page.goto(disown)
  await page.click('button')
  await expect.poll(status).toContain('reset your password')
  expect((await eve.get('/get-session')).status).toBe(200)
})

test('Ann opens the link of a mail in her browser and deletes her account with the link, in the browser of her session', async () => {
  const ann = await signedIn(stack, 'Ann')
  await ann.post('/delete-account', { password })
  const link = linkIn(
    await stack.mail.waitFor(ann.email, ({ text }) => text.includes('confirm-delete-account')),
  )
  await page.goto(link)
  await page.click('button')
  await expect.poll(status).toContain('Sign in first')
  await page.context().addCookies(
    [...ann.cookies].map(([name, value]) => ({ name, value, url: new URL(link).origin })),
  )
  await page.goto(link)
  await page.getByText(`You are signed in as ${ann.email}.`).waitFor()
  expect((await ann.get('/get-session')).status).toBe(200)
  await page.click('button')
  await expect.poll(status).toContain('Your account was deleted')
  expect((await ann.get('/get-session')).status).toBe(401)
})

test('Ann opens the link of a mail in her browser and sets a new password', async () => {
  const ann = await signedIn(stack, 'Ann')
  await ann.post('/forget-password', { email: ann.email })
  await page.goto(
    linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))),
  )
  await page.fill('input[name=password]', 'a password from the page')
  await page.click('button')
  await expect.poll(status).toContain('Your password was changed')
  expect((await ann.signIn('a password from the page')).status).toBe(200)
  expect(complaints).toEqual([])
})

test('Ann opens the link of a mail in her browser twice, and reads that it no longer works', async () => {
  await page.goto(
    `${stack.url.replace('127.0.0.1', 'localhost')}/api/auth/reset-password?token=used`,
  )
  await page.fill('input[name=password]', 'a password from the page')
  await page.click('button')
  await expect.poll(status).toContain('invalid, expired or already used')
})

test('Ann opens the link of a mail in her browser after its expiry, and has a new one sent', async () => {
  const ann = person(stack, 'Ann')
  await ann.signUp()
  await stack.mail.waitFor(ann.email)
  await page.goto(`${base()}/api/auth/verify-email?token=ended`)
  await page.fill('input[name=email]', ann.email)
  await page.click('button')
  await expect.poll(status).toContain('we sent an email to it')
  await expect.poll(() => stack.mail.mails().filter(({ to }) => to === ann.email).length).toBe(2)
  expect(complaints).toEqual([])
})

describe('Ann opens the link of an invitation in her browser', () => {
  const invited = async () => {
    const { id, owner } = await team(stack, [])
    const ann = await signedIn(stack, 'Ann')
    const { body } = await owner.post('/organization/invite-member', {
      organizationId: id,
      email: ann.email,
      role: 'viewer',
    })
    return {
      id,
      owner,
      ann,
      invitationId: body.id as string,
      link: linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('invitation'))),
    }
  }
  /** Gives the browser this user's session. */
  const signInHere = (who: Person) =>
    page.context().addCookies(
      [...who.cookies].map(([name, value]) => ({ name, value, url: base() })),
    )
  const reads = (selector: string) => expect.poll(() => page.locator(selector).textContent())
  const isOffered = (selector: string) =>
    expect.poll(() => page.locator(selector).isVisible()).toBe(true)

  test('Ann opens the link of an invitation in her browser reads the inviter, the organization, the role and the expiry, signs in and accepts', async () => {
    const { id, ann, link } = await invited()
    await page.goto(link)
    await reads('#invitation').toBe(
      'Owner invited a…@example.org to join The Team with the role “viewer”.',
    )
    await reads('#until').toMatch(/^The invitation is valid until .*20\d\d/)
    await page.fill('input[name=email]', ann.email)
    await page.fill('input[name=password]', password)
    await page.click('#sign-in button')
    await page.click('button[value=accept]')
    await expect.poll(status).toContain('Welcome')
    await reads('#until').toBe('This invitation was accepted.')
    expect(await page.locator('form:visible').count()).toBe(0)
    expect((await ann.get('/organization/list')).body).toMatchObject([{ id, role: 'viewer' }])
    expect(complaints).toEqual([])
  })

  test('Ann opens the link of an invitation in her browser signs in with a code too, if she has two factors', async () => {
    const { user: ann, app } = await withTwoFactors(stack, 'Ann')
    const { id, owner } = await team(stack, [])
    await owner.post('/organization/invite-member', {
      organizationId: id,
      email: ann.email,
      role: 'viewer',
    })
    await page.goto(
      linkIn(await stack.mail.waitFor(ann.email, ({ text }) => text.includes('invitation'))),
    )
    await page.fill('input[name=email]', ann.email)
    await page.fill('input[name=password]', password)
    await page.click('#sign-in button')
    await page.fill('input[name=code]', 'no such code')
    await page.click('#code button')
    await expect.poll(status).toContain('The code is invalid')
    await page.fill('input[name=code]', app.code().replace(/^.../, '$& '))
    await page.click('#code button')
    await page.click('button[value=accept]')
    await expect.poll(status).toContain('Welcome')
    expect(complaints).toEqual([])
  })

  test('Ann opens the link of an invitation in her browser with an existing session, which keeps its context', async () => {
    const { ann, link } = await invited()
    await ann.subscribe()
    const { body: { id: ownOrganization } } = await ann.post('/organization/create', {
      name: 'Her own',
    })
    await ann.post('/organization/set-active', { organizationId: ownOrganization })
    await signInHere(ann)
    await page.goto(link)
    await reads('#who').toBe(`You are signed in as ${ann.email}.`)
    expect(await page.locator('input:visible').count()).toBe(0)
    await page.click('button[value=accept]')
    await expect.poll(status).toContain('Welcome')
    expect((await ann.get('/get-session')).body.session.active_organization_id).toBe(
      ownOrganization,
    )
  })

  test('Ann opens the link of an invitation in her browser while another user is signed in, and reads it before she signs in herself', async () => {
    const { ann, link } = await invited()
    const eve = await signedIn(stack, 'Eve')
    await signInHere(eve)
    await page.goto(link)
    await reads('#who').toBe(
      `You are signed in as ${eve.email}, and the invitation is for a…@example.org.`,
    )
    expect(await page.locator('button[value=accept]').isVisible()).toBe(false)
    await page.click('#sign-out button')
    await page.fill('input[name=email]', ann.email)
    await page.fill('input[name=password]', password)
    await page.click('#sign-in button')
    await isOffered('button[value=reject]')
    await page.click('button[value=reject]')
    await expect.poll(status).toContain('declined')
  })

  test('Ann opens the link of an invitation in her browser that was canceled meanwhile, and reads it', async () => {
    const { owner, ann, link, invitationId } = await invited()
    await signInHere(ann)
    await page.goto(link)
    await isOffered('button[value=accept]')
    await owner.post('/organization/cancel-invitation', { invitationId })
    await page.click('button[value=accept]')
    await reads('#until').toBe('This invitation was canceled.')
    expect(await page.locator('button:visible').count()).toBe(0)
  })

  test('Ann opens the link of an invitation in her browser again, after its expiry, or mistyped, and reads the reason', async () => {
    const { ann, link, invitationId } = await invited()
    await stack.sql.query(
      `update auth.invitations set expires_at = now() - interval '1 second' where id = $1`,
      [invitationId],
    )
    await page.goto(link)
    await reads('#until').toContain('has expired')
    await stack.sql.query(
      `update auth.invitations set expires_at = now() + interval '1 day' where id = $1`,
      [invitationId],
    )
    await ann.post('/organization/reject-invitation', { invitationId })
    await page.goto(link)
    await reads('#until').toBe('This invitation was declined.')
    await reads('#invitation').toBe('This was an invitation for a…@example.org.')
    await page.goto(link.replace(invitationId, `${invitationId}x`))
    await reads('h1').toBe('Invitation not found')
    expect(complaints).toEqual([])
  })
})

test('a front-end developer runs npm start and sees a mail as it looks, with its link opening in a new window', async () => {
  await using local = await startStack({ local: true })
  const home = local.url.replace('127.0.0.1', 'localhost')
  await person(local, 'Ann').signUp()
  await page.goto(home)
  await page.click('a[href$="/mail"]')
  const look = async () => {
    await page.reload()
    return page.locator('article').count()
  }
  await expect.poll(look).toBe(1)
  const button = page.frameLocator('iframe').locator('a', { hasText: 'Verify email address' })
  expect(await button.isVisible()).toBe(true)
  const [opened] = await Promise.all([page.context().waitForEvent('page'), button.click()])
  await opened.waitForLoadState()
  expect(await opened.locator('h1').textContent()).toBe('Email address verified')
  expect(complaints).toEqual([])
})
