/** Users in the reference app: mailed links, passwords and sessions. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn } from '../support/person.ts'
import { type AppStory, barriers, press, sees, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

test('Ann, after her sign-up reads that her address is not verified, has the mail sent again, and verifies with its link', async () => {
  const ann = person(story.stack, 'Ann')
  await ann.signUp()
  const page = await story.open(ann, '/settings')
  await sees(page, 'Your email address isn’t verified.')
  expect(await barriers(page)).toEqual([])
  await press(page, 'Resend verification email')
  await sees(page, 'we sent an email')
  await expect.poll(() => story.stack.mail.mails().filter(({ to }) => to === ann.email).length)
    .toBe(2)
  await page.goto(linkIn(await story.stack.mail.waitFor(ann.email)))
  await page.getByRole('heading', { name: 'Your email address is verified' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.getByRole('link', { name: 'Go to the app' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.context().close()
})

test('Ann, after her sign-up opens an expired link, and requests another', async () => {
  const ann = person(story.stack, 'Ann')
  await ann.signUp()
  const page = await story.open(null, '/api/auth/verify-email?token=used')
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor()
  await page.getByLabel('Email address').fill(ann.email)
  await press(page, 'Send new link')
  await sees(page, 'we sent an email')
  await page.context().close()
})

test('Ann forgets her password, sets a new one with the mailed link, which works once, and signs in with it', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const page = await story.open(null, '/sign-in')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
  await page.getByLabel('Email address').fill(ann.email)
  expect(await barriers(page)).toEqual([])
  await press(page, 'Send link')
  await sees(page, 'we sent an email')
  const link = linkIn(
    await story.stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password')),
  )
  await page.goto(link)
  await page.getByLabel('New password').fill(' a new one with spaces ')
  expect(await barriers(page)).toEqual([])
  await press(page, 'Change password')
  await sees(page, 'Your password was changed')
  expect((await ann.get('/get-session')).status).toBe(401)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByLabel('Email address').fill(ann.email)
  await page.getByLabel('Password').fill(' a new one with spaces ')
  await press(page, 'Sign in')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto(link)
  await page.getByLabel('New password').fill('another one again')
  await press(page, 'Change password')
  await page.getByRole('alert').waitFor()
  await sees(page, 'Each link works once')
  await page.context().close()
})

test('Ann, in two browsers changes her name and her password, which ends the session in the other browser', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const phone = person(story.stack, 'Ann', ann.email)
  await phone.signIn()
  const page = await story.open(ann, '/settings')
  await page.getByLabel('Your name').fill('Ann Example')
  await press(page, 'Save')
  await page.getByRole('button', { name: 'Ann Example' }).waitFor()
  await press(page, 'Change password')
  await page.locator('[name=currentPassword]:focus').waitFor()
  await page.getByLabel('Current password').fill('wrong')
  await page.getByLabel('New password').fill('something longer')
  await press(page, 'Save new password')
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByLabel('New password').inputValue()).toBe('something longer')
  await page.getByLabel('Current password').fill(password)
  await press(page, 'Save new password')
  await sees(page, 'Password changed')
  await page.locator('button:focus', { hasText: 'Change password' }).click()
  expect(await page.getByLabel('Current password').inputValue()).toBe('')
  expect((await phone.get('/get-session')).status).toBe(401)
  // Her session has a new cookie now, which her browser has.
  await page.reload()
  await page.getByRole('button', { name: 'Ann Example' }).waitFor()
  await page.context().close()
})

test('Ann, in two browsers ends one session, then signs out everywhere', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const [phone, tablet] = [
    person(story.stack, 'Ann', ann.email),
    person(story.stack, 'Ann', ann.email),
  ]
  await phone.signIn()
  const page = await story.open(ann, '/settings')
  await press(page, 'End session')
  await sees(page, 'Session ended.')
  expect((await phone.get('/get-session')).status).toBe(401)
  await tablet.signIn()
  await press(page, 'Sign out everywhere')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect((await tablet.get('/get-session')).status).toBe(401)
  await page.context().close()
})

test('Ann loses the connection during an edit: she sees one notice, keeps her text, and saves it when the connection is back', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByLabel('Name').fill('Giro')
  await page.context().setOffline(true)
  await press(page, 'Save')
  await sees(page, 'No response.')
  expect(await page.getByText('No connection to the service.').count()).toBe(1)
  await page.context().setOffline(false)
  await press(page, 'Save')
  await page.getByRole('rowheader', { name: 'Giro' }).waitFor()
  expect(await page.getByText('No connection to the service.').count()).toBe(0)
  // Chromium logs failed requests itself.
  expect(new Set(story.complaints())).toEqual(
    new Set(['Failed to load resource: net::ERR_INTERNET_DISCONNECTED']),
  )
  await page.context().close()
})
