/** Single sign-on in the reference app, with a real provider in the same browser. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { oidcProvider, type TestProvider } from '../support/oidc.ts'
import { person } from '../support/person.ts'
import { barriers, startAppStory, type AppStory } from './app-story.ts'

let provider: TestProvider
let story: AppStory
beforeAll(async () => {
  provider = await oidcProvider()
  story = await startAppStory(provider.env)
  provider.serve(story.stack.publicUrl)
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(async () => {
  await story?.close()
  await provider?.close()
})

/** A user without an account. The request for a font of the provider's pages is blocked. */
async function outside(path: string): Promise<Page> {
  const page = await story.open(null, path)
  await page.route(
    ({ hostname }) => hostname !== 'localhost',
    (route) => route.fulfill({ body: '' }),
  )
  return page
}
const continueThere = (page: Page) =>
  page.getByRole('button', { name: 'Continue with The House' }).click()
async function signInThere(page: Page, who: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(who)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
}

test('Ann signs up with the provider, arrives at the requested page, and signs in another day without a question', async () => {
  provider.people.set('ann', { email: 'ann@example.org', email_verified: true, name: 'Ann' })
  const page = await outside('/settings')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByRole('button', { name: 'Continue with The House' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await continueThere(page)
  await signInThere(page, 'ann')
  await page.getByRole('heading', { name: 'Delete account' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/settings')
  expect((await story.stack.sql.query('select name, email, email_verified from auth.users')).rows)
    .toEqual([
      { name: 'Ann', email: 'ann@example.org', email_verified: true },
    ])
  await page.context().clearCookies({ name: 'better-auth.session_token' })
  await page.goto(`${story.stack.publicUrl}/sign-in`)
  await continueThere(page)
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.context().close()
})

test('Bob, who has no password, creates a key for a program, and deletes his account after signing in again', async () => {
  provider.people.set('bob', { email: 'bob@example.org', email_verified: true, name: 'Bob' })
  const page = await outside('/sign-up')
  await continueThere(page)
  await signInThere(page, 'bob')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.goto(`${story.stack.publicUrl}/settings`)
  await page.getByText('You don’t have a password.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Set a password by email' }).waitFor()
  await page.getByRole('button', { name: 'New API key' }).click()
  await page.getByLabel('Purpose').fill('Report')
  await page.getByRole('button', { name: 'Create key' }).click()
  expect(await page.getByLabel('Key', { exact: true }).inputValue()).toMatch(/^fin_/)
  await story.stack.sql.query(
    `update auth.sessions set created_at = created_at - interval '11 minutes'`,
  )
  await page.goto(`${story.stack.publicUrl}/settings`)
  await page.getByRole('button', { name: 'Delete account' }).click()
  await page.getByRole('button', { name: 'Email me the link' }).click()
  await page.getByText('Enter your password or sign in again').waitFor()
  expect(await barriers(page)).toEqual([])
  await continueThere(page)
  await page.getByRole('button', { name: 'Delete account' }).click()
  await page.getByRole('button', { name: 'Email me the link' }).click()
  await page.getByText('We sent you an email with the link.').waitFor()
  await page.context().close()
})

test('Eve, whose address the provider has not verified, reads why the sign-in failed, and text in the URL is not shown', async () => {
  provider.people.set('eve', { email: 'eve@example.org', email_verified: false })
  const page = await outside('/sign-in')
  await continueThere(page)
  await signInThere(page, 'eve')
  await page.getByRole('alert').getByText('hasn’t verified your email address').waitFor()
  expect(await barriers(page)).toEqual([])
  await page.goto(`${story.stack.publicUrl}/sign-in?error=Call%20us%20at%20evil.example`)
  await page.getByRole('alert').getByText('failed or took too long').waitFor()
  expect(await page.getByText('evil').count()).toBe(0)
  await page.context().close()
})

test('a user reads before any input that a sign-up needs an invitation', async () => {
  await using invited = await startAppStory({ SIGN_UP: 'invitation' }).then((one) => ({
    ...one,
    [Symbol.asyncDispose]: one.close,
  }))
  const page = await invited.open(null, '/sign-up')
  await page.getByText('You need an invitation to a team.').waitFor()
  await page.getByRole('button', { name: 'Sign up' }).waitFor()
  await page.context().close()
})

test('no page leads to a sign-up if it is closed, and a user with an account signs in', async () => {
  await using closed = await startAppStory({ SIGN_UP: 'closed' }).then((one) => ({
    ...one,
    [Symbol.asyncDispose]: one.close,
  }))
  const page = await closed.open(null, '/sign-in')
  await page.getByRole('link', { name: 'Forgot your password?' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Sign up' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: /Continue with/ }).count()).toBe(0)
  await page.goto(`${closed.stack.publicUrl}/sign-up`)
  await page.getByText('Sign-ups are closed.').waitFor()
  expect((await person(closed.stack).get('/sign-in/methods')).body.oidc).toBe(null)
  await page.context().close()
})
