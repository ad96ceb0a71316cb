/** Accounts in the reference app. The example for the other stories: people, what they do, and what they then see. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { firstViewBudget, firstViewBytes } from '../../examples/app/first-view.ts'
import { password, person, signedIn, team } from '../support/person.ts'
import { appDirectory, type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const shows = (page: Page, text: string) => page.getByText(text).first().waitFor()
const rowsOf = (page: Page) => page.locator('tbody tr').allTextContents()

test('the first view loads less script than a phone minds', async () => {
  expect(await firstViewBytes(appDirectory)).toBeLessThan(firstViewBudget)
})

describe('Ann', () => {
  test('signs up, is in her personal context, signs out, and signs in where she wanted to go', async () => {
    const ann = person(story.stack, 'Ann')
    const page = await story.open(null, '/sign-up')
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Your name').fill('Ann')
    await page.getByLabel('E-mail address').fill(ann.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByRole('button', { name: /Context:\s*Personal/ }).waitFor()
    await page.getByRole('button', { name: 'Ann' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(`${story.stack.publicUrl}/accounts`)
    await page.getByLabel('E-mail address').fill(ann.email)
    await page.getByLabel('Password').fill('not her password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByLabel('E-mail address').getAttribute('aria-invalid')).toBe('true')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Accounts' }).waitFor()
    await page.context().close()
  })

  test('creates an account, changes it, deletes it and takes that back', async () => {
    const page = await story.open(await signedIn(story.stack, 'Ann'), '/accounts')
    await shows(page, 'No account yet.')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Name').fill('Giro')
    await page.getByLabel('Opening balance').fill('1,200 + 34.5')
    await page.getByLabel('Currency').fill('EUR')
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => rowsOf(page)).toEqual(['GiroChecking€1,234.50EditDelete'])
    await page.getByRole('button', { name: 'Edit Giro' }).click()
    await page.getByLabel('Bank').fill('The bank')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => rowsOf(page)).toEqual(['GiroThe bankChecking€1,234.50EditDelete'])
    await page.getByRole('button', { name: 'Delete Giro' }).click()
    await shows(page, 'Giro is deleted.')
    await shows(page, 'No account yet.')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => rowsOf(page)).toEqual(['GiroThe bankChecking€1,234.50EditDelete'])
    expect(await barriers(page)).toEqual([])
    await page.context().close()
  })

  test('whose session ends while she writes signs in again and stores what she wrote', async () => {
    const ann = await signedIn(story.stack, 'Ann')
    const page = await story.open(ann, '/accounts')
    await shows(page, 'No account yet.')
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Name').fill('Giro')
    await story.stack.sql.query('delete from auth.sessions where user_id = $1', [await ann.id()])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Your session has ended').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => rowsOf(page)).toEqual(['GiroChecking$0.00EditDelete'])
    await page.context().close()
  })
})

describe('in a team', () => {
  test('the editor sees the team’s accounts alone, and is asked before a deletion, which only others can take back', async () => {
    const { editor } = await team(story.stack, ['editor'])
    const page = await story.open(editor, '/accounts')
    await page.getByRole('button', { name: /Context:\s*The Team\s*editor/ }).waitFor()
    await page.getByRole('button', { name: 'New account' }).click()
    await page.getByLabel('Name').fill('Shared')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => rowsOf(page)).toEqual(['SharedChecking$0.00EditDelete'])
    await page.getByRole('button', { name: 'Context' }).click()
    await page.getByRole('menuitemradio', { name: 'Personal' }).click()
    await shows(page, 'No account yet.')
    await page.getByRole('button', { name: 'Context' }).click()
    await page.getByRole('menuitemradio', { name: 'The Team' }).click()
    await page.getByRole('button', { name: 'Delete Shared' }).click()
    await page.getByRole('dialog', { name: 'Delete Shared?' }).getByRole('button', { name: 'Delete' }).click()
    await shows(page, 'No account yet.')
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.context().close()
  })

  test('the viewer reads on a phone, and is offered no change', async () => {
    const { owner, viewer } = await team(story.stack, ['viewer'])
    const shared = await story.open(owner, '/accounts')
    await shared.getByRole('button', { name: 'New account' }).click()
    await shared.getByLabel('Name').fill('Shared')
    await shared.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => rowsOf(shared)).toEqual(['SharedChecking$0.00EditDelete'])
    await shared.context().close()
    const page = await story.open(viewer, '/accounts', { viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
    await expect.poll(() => rowsOf(page)).toEqual(['SharedChecking$0.00'])
    expect(await page.getByRole('button', { name: 'New account' }).count()).toBe(0)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    expect(await barriers(page)).toEqual([])
    await page.context().close()
  })
})
