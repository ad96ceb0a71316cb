/** The reference app in two tabs of one user. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Person, signedIn, team } from '../support/person.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const namesIn = (page: Page) => page.locator('.tx-rows .tx-row .tx-title').allTextContents()
const context = (page: Page, name: RegExp) =>
  page.getByRole('button', { name: new RegExp(`Workspace:\\s*${name.source}`) })

/** Switches to a tab. Headless Chromium does not tell tabs that they are in front. */
const lookAt = async (page: Page) => {
  await page.bringToFront()
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
}

async function write(page: Page, name: string, amount: string) {
  await page.getByRole('button', { name: 'New transaction' }).click()
  const entry = page.getByRole('group', { name: 'New transaction' })
  await entry.getByLabel('Name').fill(name)
  await entry.getByLabel('Amount').fill(amount)
}

async function choose(page: Page, name: string) {
  await context(page, /./).click()
  await page.getByRole('menuitemradio', { name }).click()
  await context(page, new RegExp(name)).waitFor()
}

describe('a user in two tabs', () => {
  const twoTabs = async (who: Person, path: string) => {
    const one = await story.open(who, path)
    const other = await one.context().newPage()
    await other.goto(one.url())
    return [one, other] as const
  }

  test('a user in two tabs sees in one tab what was added in the other, and signs out of both', async () => {
    const [one, other] = await twoTabs(await signedIn(story.stack, 'Ann'), '/transactions')
    await other.getByText('No transactions yet.').waitFor()
    await write(one, 'Bakery', '4.50')
    await one.getByRole('button', { name: 'Add' }).click()
    await expect.poll(() => namesIn(one)).toEqual(['Bakery'])
    await expect.poll(() => namesIn(other)).toEqual(['Bakery'])
    await other.getByRole('button', { name: 'Ann', exact: true }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await one.getByRole('heading', { name: 'Sign in' }).waitFor()
    await one.getByText('Bakery').waitFor({ state: 'detached' })
    await one.context().close()
  })

  test('a user in two tabs switches the context in one tab, and an edit in the other stays in its context', async () => {
    const { owner } = await team(story.stack, [])
    await store(story, owner, 'transactions', [{ name: 'Rent', amount: -900 }])
    const [one, other] = await twoTabs(owner, '/transactions')
    await write(other, 'Chairs', '240')
    await choose(one, 'Personal')
    await one.getByText('No transactions yet.').waitFor()
    const dialog = other.getByRole('dialog', { name: 'You switched to Personal' })
    await dialog.waitFor()
    expect(await barriers(other)).toEqual([])
    await lookAt(other)
    await dialog.getByRole('button', { name: 'Back to The Team' }).click()
    await dialog.waitFor({ state: 'detached' })
    await other.getByRole('button', { name: 'Add' }).click()
    await expect.poll(() => namesIn(other)).toEqual(expect.arrayContaining(['Rent', 'Chairs']))
    await context(one, /The Team/).waitFor()
    await lookAt(one)
    await expect.poll(() => namesIn(one)).toEqual(expect.arrayContaining(['Rent', 'Chairs']))
    await one.context().close()
  })

  test('a user in two tabs switches the context in one tab, and an unfinished action in the other is dropped', async () => {
    const { owner } = await team(story.stack, [])
    const [one, other] = await twoTabs(owner, '/transactions')
    await write(other, 'Chairs', '240')
    await choose(one, 'Personal')
    await other.getByRole('button', { name: 'Discard and go to Personal' }).click()
    await context(other, /Personal/).waitFor()
    await other.getByText('No transactions yet.').waitFor()
    expect(await other.getByRole('group', { name: 'New transaction' }).count()).toBe(0)
    await one.context().close()
  })
})
