/** Passkeys in the reference app, with a virtual authenticator of Chromium. */
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { password, person, signedIn, type Person } from '../support/person.ts'
import { type AppStory, barriers, press, sees, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const overview = (page: Page) => page.getByRole('heading', { name: 'Overview' }).waitFor()
const rows = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) }).getByRole(
    'listitem',
  ).allInnerTexts()

/** A phone that verifies its user. */
async function unlocking(page: Page): Promise<{ device: CDPSession, authenticatorId: string }> {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { device, authenticatorId }
}

/** Opens Ann's account page, with a passkey on her phone. */
async function annWithPhone(): Promise<
  { ann: Person, page: Page } & Awaited<ReturnType<typeof unlocking>>
> {
  const ann = await signedIn(story.stack, 'Ann')
  const page = await story.open(ann, '/settings')
  const phone = await unlocking(page)
  await add(page, 'Phone')
  await sees(page, 'Phone added.')
  return { ann, page, ...phone }
}
async function add(page: Page, name: string) {
  if (await page.getByLabel('Passkey name').count() === 0) await press(page, 'Add a passkey')
  const form = page.locator('form', { has: page.getByLabel('Passkey name') })
  await form.getByLabel('Passkey name').fill(name)
  await form.getByLabel('Your password').fill(password)
  await press(page, 'Add')
}
/** Enters the password in the dialog. */
async function confirm(page: Page, title: string, action = title) {
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}
async function signOut(page: Page, ann: Person) {
  await page.context().clearCookies()
  ann.cookies.clear()
  await page.goto(`${story.stack.publicUrl}/sign-in`)
  await page.getByRole('button', { name: 'Use passkey' }).waitFor()
}

test('Ann adds a passkey, signs in with it alone, renames it, and deletes it, after which it no longer works', async () => {
  const { ann, page, device, authenticatorId } = await annWithPhone()
  expect(await barriers(page)).toEqual([])
  await add(page, 'The same phone')
  await sees(page, 'This device already has a passkey for this account.')
  await signOut(page, ann)
  expect(await barriers(page)).toEqual([])
  await press(page, 'Use passkey')
  await overview(page)
  await page.goto(`${story.stack.publicUrl}/settings`)
  await expect.poll(() => rows(page)).toEqual([
    expect.stringMatching(/^Phone\s*on one device, added .*, last used /),
  ])
  await press(page, 'Rename Phone')
  await page.getByRole('dialog', { name: 'Rename Phone' }).getByLabel('Name').fill('My phone')
  expect(await barriers(page)).toEqual([])
  await press(page, 'Save')
  await press(page, 'Delete My phone')
  await confirm(page, 'Delete My phone', 'Delete')
  await expect.poll(() => rows(page)).toEqual([])
  expect((await device.send('WebAuthn.getCredentials', { authenticatorId })).credentials)
    .toHaveLength(1)
  await signOut(page, ann)
  await press(page, 'Use passkey')
  await sees(page, "The passkey wasn't accepted")
  await page.context().close()
})

test('Ann requires a passkey: her password alone no longer signs in, and the passkey does on the same page', async () => {
  const { ann, page, device, authenticatorId } = await annWithPhone()
  await press(page, 'Require a passkey')
  await page.getByRole('dialog', { name: 'Require a passkey' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await confirm(page, 'Require a passkey')
  await sees(page, 'Your password isn’t enough to sign in: you also need a passkey.')
  await signOut(page, ann)
  await page.getByLabel('Email address').fill(ann.email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
  await sees(page, 'This account needs a second factor')
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await press(page, 'Use passkey')
  await sees(page, 'No passkey was chosen.')
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await press(page, 'Use passkey')
  await overview(page)
  await page.goto(`${story.stack.publicUrl}/settings`)
  await press(page, 'Delete Phone')
  await sees(
    page,
    'It is your last passkey, so you’ll be able to sign in with just your password again.',
  )
  await page.keyboard.press('Escape')
  await press(page, 'Allow password sign-in')
  await confirm(page, 'Allow password sign-in', 'Allow')
  await sees(page, 'You can also sign in with your password.')
  expect((await person(story.stack, 'Ann', ann.email).signIn()).status).toBe(200)
  await page.context().close()
})

test('Ann removes her password, requests a mail to set a new one, and confirms the deletion of her account with her passkey', async () => {
  const { ann, page } = await annWithPhone()
  await press(page, 'Remove password')
  await confirm(page, 'Remove password', 'Remove')
  await sees(page, 'You don’t have a password.')
  expect(await page.getByLabel('Current password').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await press(page, 'Delete Phone')
  await sees(page, 'It is your last passkey, and you have no password')
  await page.keyboard.press('Escape')
  await press(page, 'Set a password by email')
  await story.stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
  await story.stack.sql.query(
    `update auth.sessions set created_at = now() - interval '1 hour' where user_id = (select id from auth.users where email = $1)`,
    [
      ann.email,
    ],
  )
  const form = page.locator('form', {
    has: page.getByRole('button', { name: 'Email me the link' }),
  })
  await press(page, 'Delete account')
  await press(page, 'Email me the link')
  await form.getByRole('alert').waitFor()
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/passkey/verify-authentication')),
    form.getByRole('button', { name: 'Use passkey' }).click(),
  ])
  await press(page, 'Email me the link')
  await sees(page, 'We sent you an email with the link.')
  await page.context().close()
})

test('Ann continues on the same page with her passkey, after her session was revoked elsewhere', async () => {
  const { ann, page } = await annWithPhone()
  await page.getByLabel('Your name').fill('Ann Example')
  // the page learns of it from its live stream, maybe before she can press "Save"
  await story.stack.sql.query(
    'delete from auth.sessions where user_id = (select id from auth.users where email = $1)',
    [ann.email],
  )
  const dialog = page.getByRole('dialog', { name: 'You’ve been signed out' })
  await dialog.getByRole('button', { name: 'Use passkey' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByLabel('Your name').inputValue()).toBe('Ann Example')
  await page.context().close()
})
