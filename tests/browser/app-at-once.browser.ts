/**
 * Optimistic updates of the reference app: changes that appear before they are stored, and their
 * reversal after an error.
 */
import type { Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { inDays, keepBooks, month, nameOf, store } from './app-books.ts'
import { type AppStory, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

/** Holds back changes. @returns a function that lets the waiting change continue, or fails it */
async function hold(page: Page) {
  const waiting: Route[] = []
  await page.route(
    /\/data\/(?!rpc)/,
    (route) => route.request().method() === 'GET' ? route.continue() : void waiting.push(route),
  )
  const next = async () => {
    await expect.poll(() => waiting.length).toBe(1)
    return waiting.pop() as Route
  }
  return {
    store: async () => (await next()).continue(),
    refuse: async () =>
      (await next()).fulfill({
        status: 400,
        json: { code: 'P0001', message: 'the books are closed', details: null, hint: null },
      }),
  }
}

const headsOf = (page: Page) => page.locator('tbody th').allTextContents()

test('Ann renames an account and sees the new name at once, and after a refusal the old name, her text and the reason', async () => {
  const ann = await signedIn(story.stack, 'Ann')
  await store(story, ann, 'accounts', [{ name: 'Giro', type: 'checking', currency: 'eur' }])
  const page = await story.open(ann, '/accounts')
  const answers = await hold(page)
  await page.getByRole('button', { name: 'Edit Giro' }).click()
  await page.getByLabel('Name').fill('Current')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => headsOf(page)).toEqual(['Current'])
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  await answers.refuse()
  await page.getByRole('alert').getByText('The books are closed.').waitFor()
  await expect.poll(() => headsOf(page)).toEqual(['Giro'])
  expect(await page.getByLabel('Name').inputValue()).toBe('Current')
  await page.getByRole('button', { name: 'Save' }).click()
  await answers.store()
  await expect.poll(() => page.locator('.dialog').count()).toBe(0)
  await page.reload()
  await expect.poll(() => headsOf(page)).toEqual(['Current'])
  await page.context().close()
})

test('Ben renames a category and changes its budget, and sees both at once', async () => {
  const ben = await signedIn(story.stack, 'Ben')
  const { food } = await keepBooks(story, ben)
  await store(story, ben, 'budgets', [{ category_id: food.id, amount: 200, currency: 'eur' }])
  const page = await story.open(ben, '/categories')
  await page.getByRole('link', { name: 'Food' }).waitFor()
  const answers = await hold(page)
  await page.getByRole('button', { name: 'Edit Food' }).click()
  await page.getByLabel('Name').fill('Meals')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => page.getByRole('link', { name: 'Meals' }).count()).toBe(1)
  await answers.store()
  await expect.poll(() => page.locator('.dialog').count()).toBe(0)
  await page.getByRole('main').getByRole('link', { name: 'Budgets' }).click()
  const cell = (left: string, budget: string) =>
    page.getByRole('link', {
      name: `Meals, ${nameOf(month())}: ${left}, €150.00 of ${budget} spent`,
      includeHidden: true,
    })
  await cell('€50.00 left', '€200.00').waitFor()
  await page.getByRole('button', { name: `Change the budget for Meals in ${nameOf(month())}` })
    .click()
  await page.getByLabel('Amount').fill('140')
  await page.getByLabel('Applies to', { exact: true }).selectOption('every')
  await page.getByRole('button', { name: 'Save' }).click()
  await cell('€10.00 over', '€140.00').waitFor()
  await answers.refuse()
  await page.getByRole('alert').getByText('The books are closed.').waitFor()
  await cell('€50.00 left', '€200.00').waitFor({ state: 'attached' })
  await page.context().close()
})

test('Cleo pauses a recurring cost and sees it at once, and after a refusal it is active again, with the reason', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  await store(story, cleo, 'subscriptions', [{
    title: 'Choir',
    amount: 12,
    currency: 'eur',
    period: 'weekly',
    starts_on: inDays(1),
  }])
  const page = await story.open(cleo, '/recurring')
  const answers = await hold(page)
  await page.getByRole('button', { name: 'Pause Choir' }).click()
  await page.getByRole('cell', { name: 'paused' }).waitFor()
  await answers.refuse()
  await page.getByText('The books are closed.').first().waitFor()
  await page.getByRole('button', { name: 'Pause Choir' }).waitFor()
  await page.context().close()
})
