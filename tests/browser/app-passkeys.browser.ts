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
const rows = (page: Page) => page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) }).getByRole('listitem').allInnerTexts()

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
async function annWithPhone(): Promise<{ ann: Person, page: Page } & Awaited<ReturnType<typeof unlocking>>> {
  const ann = await signedIn(story.stack, 'Ann')
  const page = await story.open(ann, '/settings')
  const phone = await unlocking(page)
  await add(page, 'Phone')
  await sees(page, 'Phone is added.')
  return { ann, page, ...phone }
}
async function add(page: Page, name: string) {
  if (await page.getByLabel('Name of the passkey').count() === 0) await press(page, 'Add a passkey')
  const form = page.locator('form', { has: page.getByLabel('Name of the passkey') })
  await form.getByLabel('Name of the passkey').fill(name)
  await form.getByLabel('Your password').fill(password)
  await press(page, 'Add it')
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
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
}

test('Ann adds a passkey, signs in with it alone, renames it, and deletes it, after which it no longer works', async () => {
  const { ann, page, device, authenticatorId } = await annWithPhone()
  expect(await barriers(page)).toEqual([])
  await add(page, 'The same phone')
  await sees(page, 'This device already has a passkey of the account.')
  await signOut(page, ann)
  expect(await barriers(page)).toEqual([])
  await press(page, 'Use a passkey')
  await overview(page)
  await page.goto(`${story.stack.publicUrl}/settings`)
  await expect.poll(() => rows(page)).toEqual([expect.stringMatching(/^Phone\s*on one device, since .*, last used /)])
  await press(page, 'Rename Phone')
  await page.getByRole('dialog', { name: 'Rename Phone' }).getByLabel('Name').fill('My phone')
  expect(await barriers(page)).toEqual([])
  await press(page, 'Save')
  await press(page, 'Delete My phone')
  await confirm(page, 'Delete My phone', 'Delete')
  await expect.poll(() => rows(page)).toEqual([])
  expect((await device.send('WebAuthn.getCredentials', { authenticatorId })).credentials).toHaveLength(1)
  await signOut(page, ann)
  await press(page, 'Use a passkey')
  await sees(page, 'The response of the passkey is not valid for this service')
  await page.context().close()
})

test('Ann requires a passkey: her password alone no longer signs in, and the passkey does on the same page', async () => {
  const { ann, page, device, authenticatorId } = await annWithPhone()
  await press(page, 'Ask for a passkey')
  await page.getByRole('dialog', { name: 'Ask for a passkey' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await confirm(page, 'Ask for a passkey')
  await sees(page, 'Your password alone does not sign in: the app also asks for a passkey.')
  await signOut(page, ann)
  await page.getByLabel('E-mail address').fill(ann.email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
  await sees(page, 'This account asks for a second factor')
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await press(page, 'Use a passkey')
  await sees(page, 'No passkey was given.')
  await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await press(page, 'Use a passkey')
  await overview(page)
  await page.goto(`${story.stack.publicUrl}/settings`)
  await press(page, 'Delete Phone')
  await sees(page, 'It is your last one: your password alone then signs in again.')
  await page.keyboard.press('Escape')
  await press(page, 'Let the password sign in')
  await confirm(page, 'Let the password sign in', 'Let it sign in')
  await sees(page, 'Your password signs in as well.')
  expect((await person(story.stack, 'Ann', ann.email).signIn()).status).toBe(200)
  await page.context().close()
})

test('Ann removes her password, requests a mail to set a new one, and confirms the deletion of her account with her passkey', async () => {
  const { ann, page } = await annWithPhone()
  await press(page, 'Remove the password')
  await confirm(page, 'Remove the password', 'Remove it')
  await sees(page, 'You have no password.')
  expect(await page.getByLabel('Current password').count()).toBe(0)
  expect(await barriers(page)).toEqual([])
  await press(page, 'Delete Phone')
  await sees(page, 'It is your last one, and you have no password')
  await page.keyboard.press('Escape')
  await press(page, 'Choose a password by mail')
  await story.stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password'))
  await story.stack.sql.query(`update auth.sessions set created_at = now() - interval '1 hour' where user_id = (select id from auth.users where email = $1)`, [
    ann.email,
  ])
  const form = page.locator('form', { has: page.getByRole('button', { name: 'Mail me the link' }) })
  await press(page, 'Delete the account')
  await press(page, 'Mail me the link')
  await form.getByRole('alert').waitFor()
  await Promise.all([
    page.waitForResponse((response) => response.url().endsWith('/passkey/verify-authentication')),
    form.getByRole('button', { name: 'Use a passkey' }).click(),
  ])
  await press(page, 'Mail me the link')
  await sees(page, 'A mail with the link is on its way.')
  await page.context().close()
})

test('Ann continues on the same page with her passkey, after her session was revoked elsewhere', async () => {
  const { ann, page } = await annWithPhone()
  await story.stack.sql.query('delete from auth.sessions where user_id = (select id from auth.users where email = $1)', [ann.email])
  await page.getByLabel('Your name').fill('Ann Example')
  await press(page, 'Save')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByRole('button', { name: 'Use a passkey' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.getByLabel('Your name').inputValue()).toBe('Ann Example')
  await page.context().close()
})
