/** API keys in the reference app: a user creates a key, sees it once, and revokes it. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createClient, unwrap } from '../../client/index.ts'
import { password, person, signedIn, team } from '../support/person.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

test('Ann creates a read-only key of her team, copies it, and later revokes it', async () => {
  const { owner: ann, id: organizationId } = await team(story.stack, [])
  const page = await story.open(ann, '/settings', {
    viewport: { width: 390, height: 844 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'API keys' }) })
  const doing = section.getByLabel('Permissions')
  await section.getByRole('button', { name: 'New API key' }).click()
  await section.getByLabel('Purpose').fill('Monthly report')
  expect(await doing.getByRole('option').allTextContents()).toEqual(['Read-only', 'Read and write'])
  await section.getByLabel('Data').selectOption({ label: 'The Team' })
  expect(await doing.getByRole('option').allTextContents()).toHaveLength(3)
  await section.getByLabel('Your password').fill('not hers')
  await section.getByRole('button', { name: 'Create key' }).click()
  await section.getByRole('alert').waitFor()
  await section.getByLabel('Your password').fill(password)
  await section.getByRole('button', { name: 'Create key' }).click()
  const key = await section.getByLabel('Key', { exact: true }).inputValue()
  expect(await barriers(page)).toEqual([])
  await section.getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Key copied.').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key)
  await section.getByRole('button', { name: 'Done' }).click()
  await expect.poll(() => page.content()).not.toContain(key)

  const { data } = createClient({ baseUrl: story.stack.url, apiKey: key })
  expect(await unwrap(data.from('transactions').select())).toEqual([])
  expect((await data.from('transactions').insert({ name: 'No', amount: 1 })).status).toBe(403)
  const [listed] = (await ann.get('/api-key/list')).body
  expect(listed).toMatchObject({
    name: 'Monthly report',
    role: 'viewer',
    organization_id: organizationId,
  })

  await page.reload()
  await section.getByText('The Team, read-only, expires').waitFor()
  await section.getByRole('button', { name: 'Revoke Monthly report' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click()
  // While the dialog is open the page behind it is hidden from roles, so a locator would not find
  // the section.
  await page.getByText('API key revoked.').waitFor()
  await section.getByText('Monthly report').waitFor({ state: 'detached' })
  expect(
    (await person(story.stack).call('POST', '/token', undefined, {
      authorization: `Bearer ${key}`,
    })).status,
  ).toBe(401)
  await page.context().close()
})

test('Bob, who has no password, creates a key after signing in again', async () => {
  const bob = await signedIn(story.stack, 'Bob')
  await story.stack.sql.query('update auth.accounts set password = null where user_id = $1', [
    await bob.id(),
  ])
  const page = await story.open(bob, '/settings')
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'API keys' }) })
  await section.getByRole('button', { name: 'New API key' }).click()
  await section.getByText('You must have signed in within the last ten minutes to do this.')
    .waitFor()
  await section.getByLabel('Purpose').fill('Backup')
  await section.getByRole('button', { name: 'Create key' }).click()
  expect(await section.getByLabel('Key', { exact: true }).inputValue()).toMatch(/^fin_/)
  await page.context().close()
})
