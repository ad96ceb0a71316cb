/** Activity in the reference app: who changed what, and its undo. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { type AppStory, barriers, sees, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

/** Returns requests with the user's own rights, outside the app. */
async function callerOf(who: Person) {
  const { url } = story.stack
  const headers = {
    authorization: `Bearer ${await who.token()}`,
    'content-type': 'application/json',
    prefer: 'return=representation',
  }
  return async (method: string, path: string, body?: unknown): Promise<Array<{ id: string }>> => {
    const answer = await fetch(`${url}/data${path}`, {
      method,
      headers,
      ...body !== undefined && { body: JSON.stringify(body) },
    })
    expect(answer.ok).toBe(true)
    return await answer.json() as Array<{ id: string }>
  }
}

const sentences = (page: Page) => page.locator('.activity-sentence').allTextContents()

test('Ann reads her changes field by field, undoes one, and reads why another cannot be undone', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const page = await story.open(ann, '/activity')
  await sees(page, 'No changes yet.')
  const call = await callerOf(ann)
  const [home] = await call('POST', '/categories', { name: 'Home' })
  const [rent] = await call('POST', '/transactions', {
    name: 'Rent',
    amount: -900,
    transaction_date: '2025-01-01',
    currency: 'eur',
  })
  await call('PATCH', `/transactions?id=eq.${rent?.id}`, { amount: -950.5, category_id: home?.id })
  await call('POST', '/line_items', { transaction_id: rent?.id, name: 'Garage', amount: -80 })
  await call('DELETE', `/transactions?id=eq.${rent?.id}`)
  await page.reload()
  await expect.poll(() => sentences(page)).toEqual([
    'You deleted the transaction “Rent” and the split “Garage”',
    'You created the split “Garage”',
    'You changed the transaction “Rent”',
    'You created the transaction “Rent”',
    'You created the category “Home”',
  ])
  const changed = page.locator('.activity-request').nth(2)
  await changed.getByText('Details').click()
  expect(await changed.locator('.activity-differences').locator('dt, del, ins').allTextContents())
    .toEqual([
      'amount',
      '-€900.00',
      '-€950.50',
      'category',
      'nothing',
      'Home',
    ])
  expect(await barriers(page)).toEqual([])
  await changed.getByRole('button', { name: 'Undo' }).click()
  await sees(page, 'This was changed again')
  expect(await barriers(page)).toEqual([])
  await page.locator('.activity-request').first().getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await sentences(page))[0]).toBe(
    'You created the transaction “Rent” and the split “Garage”',
  )
  expect(await call('GET', '/transactions?select=id&name=eq.Rent')).toHaveLength(1)
  await page.context().close()
})

test('Ann sees an import of many rows as one line, and earlier activity on the next page', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  const call = await callerOf(ann)
  await call('POST', '/tags', { name: 'first' })
  const rows = Array.from({ length: 300 }, (_, index) => ({ name: `Row ${index}`, amount: -1 }))
  await call('POST', '/rpc/import_transactions', {
    p_rows: rows,
    p_file_name: 'long.csv',
    p_dry_run: false,
  })
  const page = await story.open(ann, '/activity', {
    viewport: { width: 360, height: 640 },
    colorScheme: 'dark',
  })
  await expect.poll(() => sentences(page)).toEqual(['You created 100 or more transactions'])
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  await page.getByRole('button', { name: 'Show older' }).click()
  await expect.poll(() => sentences(page)).toEqual([
    'You created 100 or more transactions',
    'You created the tag “first”',
  ])
  expect(await barriers(page)).toEqual([])
  await page.context().close()
})

test("an admin undoes an editor's change of team rows, the editor reads and undoes their own, and a viewer reads who may", async () => {
  const { owner, admin, editor, viewer } = await team(story.stack, ['admin', 'editor', 'viewer'])
  const [call, byOwner] = [await callerOf(editor), await callerOf(owner)]
  await call('POST', '/categories', { name: 'Travel' })
  const page = await story.open(admin, '/activity')
  await expect.poll(() => sentences(page)).toEqual(['editor created the category “Travel”'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => sentences(page)).toEqual([
    'You deleted the category “Travel”',
    'editor created the category “Travel”',
  ])
  expect(await call('GET', '/categories?select=id')).toEqual([])
  await page.context().close()
  await byOwner('POST', '/categories', { name: 'Wages' })
  await call('POST', '/categories', { name: 'Rent' })
  const editorPage = await story.open(editor, '/')
  await editorPage.getByRole('link', { name: 'Activity' }).click()
  await sees(editorPage, 'You only see your own changes.')
  await expect.poll(() => sentences(editorPage)).toEqual([
    'You created the category “Rent”',
    'You created the category “Travel”',
  ])
  expect(await barriers(editorPage)).toEqual([])
  await editorPage.getByRole('button', { name: 'Undo' }).first().click()
  await expect.poll(() => sentences(editorPage)).toEqual([
    'You deleted the category “Rent”',
    'You created the category “Rent”',
    'You created the category “Travel”',
  ])
  expect(await call('GET', '/categories?select=name')).toEqual([{ name: 'Wages' }])
  await editorPage.context().close()
  const theirs = await story.open(viewer, '/activity')
  await sees(theirs, 'Viewers can’t see this team’s activity.')
  expect(await barriers(theirs)).toEqual([])
  await theirs.context().close()
})
