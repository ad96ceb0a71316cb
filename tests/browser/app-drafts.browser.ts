/**
 * Unsaved input survives a reload, another page and an ended session. It never outlives a sign-out,
 * and never contains a password.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { password, person, signedIn } from '../support/person.ts'
import { store } from './app-books.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'

let story: AppStory
beforeAll(async () => {
  story = await startAppStory()
})
afterEach(() => expect(story.complaints()).toEqual([]))
afterAll(() => story?.close())

const restored = (page: Page) => page.getByText('Unsaved changes restored.')
const stored = (page: Page) =>
  page.evaluate(() =>
    Object.entries(sessionStorage).filter(([key]) => key.startsWith('draft ')).map(([, value]) =>
      String(value)
    )
  )
const everythingStored = (page: Page) =>
  page.evaluate(() =>
    JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)])
  )
const newAccount = (page: Page) => page.getByRole('dialog', { name: 'New account' })

test('Ann reloads the page while she writes: the dialog is open again with her input, and she discards or saves it', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ann'), '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  await newAccount(page).getByLabel('Name').fill('Giro')
  await newAccount(page).getByLabel('Opening balance').fill('12+3.5')
  await page.reload()
  await restored(page).waitFor()
  expect(await newAccount(page).getByLabel('Name').inputValue()).toBe('Giro')
  expect(await newAccount(page).getByLabel('Opening balance').inputValue()).toBe('15.50')
  expect(await barriers(page)).toEqual([])

  await newAccount(page).getByRole('button', { name: 'Discard' }).click()
  await restored(page).waitFor({ state: 'detached' })
  expect(await newAccount(page).getByLabel('Name').inputValue()).toBe('')
  expect(await newAccount(page).getByLabel('Opening balance').inputValue()).toBe('0')
  expect(await stored(page)).toEqual([])

  await newAccount(page).getByLabel('Name').fill('Savings')
  await page.reload()
  await restored(page).waitFor()
  await newAccount(page).getByRole('button', { name: 'Save' }).click()
  await newAccount(page).waitFor({ state: 'detached' })
  expect(await stored(page)).toEqual([])
  await page.reload()
  await page.getByRole('rowheader', { name: 'Savings' }).waitFor()
  expect(await newAccount(page).count()).toBe(0)
  await page.context().close()
})

test('Ben closes a dialog with input: it is gone, as he wanted', async () => {
  const page = await story.open(await signedIn(story.stack, 'Ben'), '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  await newAccount(page).getByLabel('Name').fill('Giro')
  await page.keyboard.press('Escape')
  await newAccount(page).waitFor({ state: 'detached' })
  expect(await stored(page)).toEqual([])
  await page.context().close()
})

test('Cleo edits a transaction and looks at another page: a line leads her back, and only her change is stored', async () => {
  const cleo = await signedIn(story.stack, 'Cleo')
  const [rent] = await store(story, cleo, 'transactions', [{
    name: 'Rent',
    amount: -900,
    currency: 'usd',
  }])
  const page = await story.open(cleo, '/transactions')
  await page.getByRole('button', { name: 'Rent', exact: true }).click()
  await page.getByRole('group', { name: 'Edit Rent' }).getByLabel('Name').fill('Rent of the flat')
  await page.getByRole('navigation').getByRole('link', { name: 'Accounts' }).click()
  const line = page.getByRole('complementary', { name: 'Unsaved changes' })
  await line.getByText('You have unsaved changes: Transactions').waitFor()
  expect(await barriers(page)).toEqual([])
  await story.stack.sql.query('update api.transactions set amount = -950 where id = $1', [rent.id])
  await page.reload()
  await line.getByRole('link', { name: 'Continue' }).click()
  await restored(page).waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Rent of the flat', exact: true }).waitFor()
  const { rows } = await story.stack.sql.query(
    'select name, amount::float from api.transactions where id = $1',
    [rent.id],
  )
  expect(rows).toEqual([{ name: 'Rent of the flat', amount: -950 }])
  expect(await stored(page)).toEqual([])
  await page.context().close()
})

test('Dora’s session is revoked and she reloads: after signing in again she continues. Another user would not', async () => {
  const dora = await signedIn(story.stack, 'Dora')
  const page = await story.open(dora, '/accounts')
  await page.getByRole('button', { name: 'New account' }).click()
  await newAccount(page).getByLabel('Name').fill('Giro')
  const phone = person(story.stack, 'Dora', dora.email)
  await phone.signIn()
  await phone.post('/revoke-other-sessions')
  await page.reload()
  await page.getByLabel('Email address').fill(dora.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await restored(page).waitFor()
  expect(await newAccount(page).getByLabel('Name').inputValue()).toBe('Giro')

  await phone.signIn()
  await phone.post('/revoke-other-sessions')
  const emil = await signedIn(story.stack, 'Emil')
  await page.reload()
  await page.getByLabel('Email address').fill(emil.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Accounts' }).waitFor()
  expect([await newAccount(page).count(), await stored(page)]).toEqual([0, []])
  await page.context().close()
})

test('Fay signs out while a form has input, in two tabs: the browser keeps nothing of it', async () => {
  const page = await story.open(await signedIn(story.stack, 'Fay'), '/team')
  await page.getByRole('button', { name: 'Fay' }).waitFor()
  await page.goto(new URL('/transactions', story.stack.publicUrl).href)
  await page.getByRole('button', { name: 'New transaction' }).click()
  await page.getByRole('group', { name: 'New transaction' }).getByLabel('Name').fill(
    'A secret gift',
  )
  expect(await stored(page)).toHaveLength(1)
  // As if the browser had discarded the tab to save memory.
  const discarded = await page.context().newPage()
  await discarded.goto(new URL('/transactions', story.stack.publicUrl).href)
  await discarded.getByRole('button', { name: 'New transaction' }).click()
  await discarded.getByRole('group', { name: 'New transaction' }).getByLabel('Name').fill(
    'A secret gift',
  )
  expect(await stored(discarded)).toHaveLength(1)
  await discarded.goto('about:blank')
  await page.getByRole('button', { name: 'Fay' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await everythingStored(page)).not.toContain('A secret gift')
  await discarded.goto(page.url())
  await discarded.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await everythingStored(discarded)).not.toContain('A secret gift')
  await page.context().close()
})

test('Gus types a password in his settings: no storage of the browser has it', async () => {
  const page = await story.open(await signedIn(story.stack, 'Gus'), '/settings')
  await page.getByRole('button', { name: 'Change password' }).click()
  const fields = page.locator('#signing-in input[type=password]:visible')
  await fields.first().waitFor()
  for (const field of await fields.all()) await field.fill('a long password')
  expect(await everythingStored(page)).not.toContain('a long password')
  await page.context().close()
})
