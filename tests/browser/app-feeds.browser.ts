/**
 * Webhooks and calendars in the reference app: a user creates them, sees secret and address once,
 * tests, and ends them.
 */
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { password, signedIn, team } from '../support/person.ts'
import { webhookSink } from '../support/webhook-sink.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory({}, { receivers: localReceivers, webhookPauseMs: 50 })
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

test('Ann makes a webhook of her team, copies its secret, tests it, turns it on again after it failed, and deletes it', async () => {
  await using sink = await webhookSink()
  const { owner: ann, id: organizationId } = await team(story.stack, [])
  const page = await story.open(ann, '/settings', {
    viewport: { width: 390, height: 844 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Webhooks' }) })
  await section.getByRole('button', { name: 'New webhook' }).click()
  await section.getByLabel('Purpose').fill('Spreadsheet')
  await section.getByLabel('Server URL').fill(sink.url)
  await section.getByLabel('Data').selectOption({ label: 'The Team' })
  await section.getByLabel('Events').selectOption({ label: 'Only tags' })
  await section.getByLabel('Your password').fill(password)
  await section.getByRole('button', { name: 'Create webhook' }).click()
  const secret = await section.getByRole('textbox', { name: 'Secret' }).inputValue()
  expect(secret).toMatch(/^whsec_/)
  expect(await barriers(page)).toEqual([])
  await section.getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Secret copied.').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)
  await section.getByRole('button', { name: 'Done' }).click()
  await expect.poll(() => page.content()).not.toContain(secret)
  await section.getByText('The Team, no messages yet').waitFor()
  expect((await ann.get('/webhook/list')).body).toMatchObject([{
    name: 'Spreadsheet',
    organization_id: organizationId,
    tables: ['tags'],
  }])

  await section.getByRole('button', { name: 'Test Spreadsheet' }).click()
  await page.getByText('The server accepted the test.').waitFor()
  sink.answer = () => ({ status: 410 })
  await story.stack.sql.query(`insert into api.tags (name, organization_id) values ('trip', $1)`, [
    organizationId,
  ])
  await expect.poll(async () => (await ann.get('/webhook/list')).body[0].disabled_at).not.toBeNull()
  await page.reload()
  await section.getByText(/^The Team, off since .*: the server rejected it \(410\)$/).waitFor()
  sink.answer = () => ({ status: 200 })
  await section.getByRole('button', { name: 'Turn on Spreadsheet' }).click()
  await page.getByText('Webhook turned on.').waitFor()
  await section.getByRole('button', { name: 'Delete Spreadsheet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('Webhook deleted.').waitFor()
  await section.getByText('Spreadsheet').waitFor({ state: 'detached' })
  expect((await ann.get('/webhook/list')).body).toEqual([])
  await page.context().close()
})

test('Ann makes a new secret for her webhook, copies it, and messages are signed with the former one too', async () => {
  await using sink = await webhookSink()
  const ann = await signedIn(story.stack, 'Ann')
  const { body: { secret } } = await ann.post('/webhook/create', {
    name: 'Spreadsheet',
    url: sink.url,
  })
  const page = await story.open(ann, '/settings', {
    viewport: { width: 390, height: 844 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.getByRole('button', { name: 'New secret for Spreadsheet' }).click()
  const dialog = page.getByRole('dialog', { name: 'New secret for Spreadsheet' })
  await dialog.getByText(
    'For one day, messages are signed with both the current and the new secret',
  ).waitFor()
  expect(await barriers(page)).toEqual([])
  await dialog.getByLabel('Your password').fill('not her password')
  await dialog.getByRole('button', { name: 'Create secret' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Your password').fill(password)
  await dialog.getByRole('button', { name: 'Create secret' }).click()
  await dialog.getByText('The old secret works for one more day').waitFor()
  const next = await dialog.locator('input:focus').inputValue()
  expect(next).toMatch(/^whsec_/)
  expect(await barriers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Secret copied.').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(next)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect.poll(() => page.content()).not.toContain(next)
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('New secret')

  await story.stack.sql.query(`insert into api.tags (name, user_id) values ('trip', $1)`, [
    await ann.id(),
  ])
  await expect.poll(() => sink.messages).toHaveLength(1)
  for (const either of [secret, next])
    expect(new Webhook(either).verify(sink.messages[0]!.text, sink.messages[0]!.headers))
      .toMatchObject({ type: 'rows.changed' })
  await page.context().close()
})

test('a viewer makes a webhook only of the personal data', async () => {
  const { viewer } = await team(story.stack, ['viewer'])
  const page = await story.open(viewer, '/settings')
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Webhooks' }) })
  await section.getByRole('button', { name: 'New webhook' }).click()
  expect(await section.getByLabel('Data').getByRole('option').allTextContents()).toEqual([
    'Personal',
  ])
  await page.context().close()
})

test('Ann makes an address for her calendar program, copies it, and later revokes it', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const page = await story.open(ann, '/settings', {
    viewport: { width: 390, height: 844 },
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const section = page.locator('section', { has: page.getByRole('heading', { name: 'Calendars' }) })
  await section.getByRole('button', { name: 'New calendar URL' }).click()
  await section.getByLabel('Calendar name').fill('What is due')
  await section.getByLabel('Show amounts').check()
  await section.getByLabel('Your password').fill(password)
  await section.getByRole('button', { name: 'Create URL' }).click()
  const address = await section.getByLabel('URL').inputValue()
  expect(await barriers(page)).toEqual([])
  await section.getByRole('button', { name: 'Copy' }).click()
  await page.getByText('URL copied.').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(address)
  await section.getByRole('button', { name: 'Done' }).click()
  await expect.poll(() => page.content()).not.toContain(address)
  const status = async () => (await fetch(address)).status
  expect(await status()).toBe(200)
  await page.reload()
  await section.getByText(/^personal, with amounts, last used /).waitFor()
  await section.getByRole('button', { name: 'Revoke What is due' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke URL' }).click()
  await page.getByText('Calendar URL revoked.').waitFor()
  await section.getByText('your own, with amounts').waitFor({ state: 'detached' })
  expect(await status()).toBe(404)
  await page.context().close()
})
