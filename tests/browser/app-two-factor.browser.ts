/** Two factors in the reference app: setup, sign-in, and removal. */
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { authenticator, acceptLastCodeAgain, withTwoFactors } from '../support/authenticator-app.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { type AppStory, barriers, press, sees, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const factors = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: 'Two-factor authentication' }) })
const overview = (page: Page) => page.getByRole('heading', { name: 'Overview' }).waitFor()

/** Enters the password, up to the step of the code. */
async function signInHalf(page: Page, { email }: Person): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
  await page.getByLabel('Code from your authenticator app').waitFor()
}

test.each(['light', 'dark'] as const)(
  'Ann turns them on with her app, by keyboard, keeps the backup codes, and turns them off again, in %s',
  async (colorScheme) => {
    const ann = await signedIn(story.stack, 'Ann')
    const page = await story.open(ann, '/settings', {
      colorScheme,
      viewport: { width: 390, height: 800 },
      acceptDownloads: true,
    })
    await press(page, 'Set up two-factor authentication')
    await factors(page).getByLabel('Your password').fill('wrong')
    await page.keyboard.press('Enter')
    await factors(page).getByRole('alert').waitFor()
    await factors(page).getByLabel('Your password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    expect(await barriers(page)).toEqual([])
    const key = (await page.locator('.key').textContent())?.replaceAll(' ', '') ?? ''
    const app = authenticator(`otpauth://totp/x?secret=${key}`)
    const field = page.getByLabel('Code from your authenticator app')
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    await field.fill(app.code(9))
    await page.keyboard.press('Enter')
    await sees(page, 'This code is wrong')
    await field.fill(app.code().replace(/^.../, '$& '))
    await page.keyboard.press('Enter')
    await sees(page, 'Two-factor authentication is on')
    const codes = await page.locator('.codes li').allTextContents()
    expect(codes).toHaveLength(10)
    expect(await barriers(page)).toEqual([])
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Save as file')])
    expect((await readFile(await file.path(), 'utf8')).trim().split('\n')).toEqual(codes)
    await press(page, 'I’ve saved them')
    await sees(page, 'Backup codes left: 10.')
    expect(await page.locator('.codes').count()).toBe(0)

    await press(page, 'New backup codes')
    await factors(page).getByLabel('Your password').fill(password)
    await press(page, 'Create new backup codes')
    await expect.poll(() => page.locator('.codes li').allTextContents()).not.toEqual(codes)
    await press(page, 'I’ve saved them')
    await press(page, 'Turn off')
    await factors(page).getByLabel('Your password').fill(password)
    await press(page, 'Turn off')
    await sees(page, 'Two-factor authentication is off.')
    await page.getByRole('button', { name: 'Set up two-factor authentication' }).waitFor()
    expect((await person(story.stack, 'Ann', ann.email).signIn()).status).toBe(200)
    await page.context().close()
  },
)

test('Ann signs in with a code, and her browser is remembered, and in another browser a backup code works', async () => {
  const { user: ann, app, backupCodes: [backup = ''] } = await withTwoFactors(story.stack, 'Ann')
  const page = await story.open(null, '/sign-in')
  await signInHalf(page, ann)
  expect(await barriers(page)).toEqual([])
  await page.getByLabel('Code from your authenticator app').fill(app.code(9))
  await press(page, 'Sign in')
  await sees(page, 'This code is wrong')
  await page.getByLabel('Code from your authenticator app').fill(app.code())
  await page.getByLabel('Don’t ask again on this device for 30 days').check()
  await press(page, 'Sign in')
  await overview(page)
  await page.goto(`${story.stack.publicUrl}/settings`)
  await press(page, 'Sign out everywhere')
  await page.getByLabel('Email address').fill(ann.email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor()
  await page.context().close()

  const other = await story.open(null, '/sign-in')
  await signInHalf(other, ann)
  await press(other, 'Use backup code')
  await other.getByLabel('Backup code').fill(backup.toUpperCase())
  expect(await barriers(other)).toEqual([])
  await press(other, 'Sign in')
  await overview(other)
  await other.context().close()
})

test('Ann does not enter the code within ten minutes, and enters her password again', async () => {
  const { user: ann, app } = await withTwoFactors(story.stack, 'Ann')
  const page = await story.open(null, '/sign-in')
  await signInHalf(page, ann)
  await story.stack.sql.query(
    `update auth.two_factor_tokens set expires_at = now() - interval '1 second'`,
  )
  await page.getByLabel('Code from your authenticator app').fill(app.code())
  await press(page, 'Sign in')
  await sees(page, 'That took too long.')
  await signInHalf(page, ann)
  await page.getByLabel('Code from your authenticator app').fill(app.code())
  await press(page, 'Sign in')
  await overview(page)
  await page.context().close()
})

test('Ben, whose session ends during an edit in his team, enters password and code above the page and continues there', async () => {
  const { owner: ben } = await team(story.stack, [])
  const { body } = await ben.post('/two-factor/enable', { password })
  const app = authenticator(body.totp_uri)
  await ben.post('/two-factor/verify-totp', { code: app.code() })
  await acceptLastCodeAgain(story.stack, ben)
  const page = await story.open(ben, '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  await page.getByLabel('Name').fill('Giro')
  await story.stack.sql.query('delete from auth.sessions where user_id = $1', [await ben.id()])
  // the page learns of it from its live stream, maybe before he can press "Save"
  const dialog = page.getByRole('dialog', { name: 'You’ve been signed out' })
  await dialog.getByLabel('Password').fill(password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByLabel('Code from your authenticator app').fill(app.code())
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.locator('header').getByText('The Team').waitFor()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Giro')
  await page.context().close()
})
