/** Events in the reference app: those of an account, and those of a team's membership. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { password, person, signedIn, team } from '../support/person.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const listed = (page: Page, heading: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: heading }) }).locator(
    'li',
  )

test('Ann reads where and with which device someone signed in, and loads older events', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await story.stack.sql.query(
    `insert into auth.events (user_id, kind, happened_at) select $1, 'password_changed', now() - n * interval '1 day' from generate_series(1, 25) n`,
    [await ann.id()],
  )
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  await person(story.stack, 'Ann', ann.email).post(
    '/sign-in/email',
    { email: ann.email, password },
    { 'user-agent': agent },
  )
  const page = await story.open(ann, '/settings')
  const events = listed(page, 'Account activity')
  await expect.poll(() => events.count()).toBe(20)
  expect(await events.first().textContent()).toMatch(
    /^Signed in on a new device.*, Firefox on Linux, 127\.0\.0\.1$/,
  )
  expect(await events.nth(1).textContent()).toMatch(/^Signed in/)
  expect(await barriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Show older' }).click()
  await expect.poll(() => events.count()).toBe(27)
  expect(await page.getByRole('button', { name: 'Show older' }).count()).toBe(0)
  await page.context().close()
})

test('the owner of a team reads who joined, changed roles and left, and an editor cannot see it', async () => {
  const { owner, editor, viewer } = await team(story.stack, ['editor', 'viewer'])
  const page = await story.open(owner, '/team')
  const events = listed(page, 'Membership history')
  await expect.poll(() => events.count()).toBe(3)
  await page.getByLabel('viewer’s role').selectOption('editor')
  await expect.poll(() => events.first().textContent()).toMatch(
    /^viewer is now an editor \(by Owner\)/,
  )
  const { body: { user: { id } } } = await viewer.get('/get-session')
  await story.stack.sql.query('delete from auth.users where id = $1', [id])
  await page.reload()
  await expect.poll(() => events.first().textContent()).toMatch(/^A former member left/)
  expect(await barriers(page)).toEqual([])
  const beside = await story.open(editor, '/team')
  await beside.getByRole('heading', { name: 'Members', exact: true }).waitFor()
  expect(await beside.getByRole('heading', { name: 'Membership history' }).count()).toBe(0)
  for (const one of [page, beside]) await one.context().close()
})
