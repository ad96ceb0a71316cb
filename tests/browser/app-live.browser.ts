/**
 * The reference app of an editor while the owner of the team works too: what appears at once, and
 * what stays.
 */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Person, team } from '../support/person.ts'
import { type AppStory, barriers, startAppStory } from './app-story.ts'
import { beginEntry, otherPrograms, row, said, soon } from './app-transactions-page.ts'

let story: AppStory
let owner: Person
let editor: Person
const pages: Page[] = []

beforeAll(async () => {
  story = await startAppStory()
})
beforeEach(async () => {
  const people = await team(story.stack, ['editor'])
  owner = people.owner
  editor = people.editor
})
afterEach(async () => {
  expect(story.complaints()).toEqual([])
  await Promise.all(pages.splice(0).map((page) => page.context().close()))
})
afterAll(() => story?.close())

const { send, store } = otherPrograms(() => story)
const titles = (page: Page) => page.locator('.tx-rows .tx-title').allTextContents()
const sum = (page: Page) => page.locator('.tx-sums').textContent()
const book = (name: string, more = {}) =>
  store(owner, 'transactions', { name, amount: -10, transaction_date: '2025-03-01', ...more })

/** Opens a page of a user. Waits until its stream is open and the page is idle. */
async function open(who: Person, path: string): Promise<Page> {
  const page = await story.open(who, 'about:blank')
  pages.push(page)
  const stream = page.waitForResponse((response) => response.url().includes('/api/auth/changes'))
  await page.goto(new URL(path, story.stack.publicUrl).href)
  expect((await stream).status()).toBe(200)
  return page
}

/** Opens the list of transactions when it has rows of these names. */
async function openList(names: string[], query = ''): Promise<Page> {
  const page = await open(editor, `/transactions${query}`)
  await soon(() => titles(page)).toEqual(names)
  return page
}

/** Opens the list when it has 150 rows, Coffee 1 to Coffee 150. */
async function openLongList(): Promise<Page> {
  await story.stack.sql.query(
    `insert into api.transactions (user_id, organization_id, name, amount, currency, transaction_date)
    select $1, active_organization_id, 'Coffee ' || n, -n, 'usd', timestamptz '2025-06-30 00:00Z' - n * interval '1 day'
    from auth.sessions, generate_series(1, 150) n where user_id = $1`,
    [await owner.id()],
  )
  const page = await open(editor, '/transactions')
  await said(page, 'Coffee 1')
  return page
}

test("the list of an editor shows what the owner books, changes and deletes, with its sum, and keeps the editor's unfinished row", async () => {
  await book('Rent')
  const page = await openList(['Rent'])
  await beginEntry(page)
  const entry = page.getByRole('group', { name: 'New transaction' })
  await page.keyboard.type('Half a sente')
  const printer = await book('Printer')
  await soon(() => titles(page)).toEqual(['Printer', 'Rent'])
  await soon(() => sum(page)).toBe('-$20.00')
  await page.keyboard.type('nce')
  expect(await entry.getByLabel('Name').inputValue()).toBe('Half a sentence')
  await send(owner, 'PATCH', `/transactions?id=eq.${printer}`, {
    name: 'Printer and ink',
    amount: -30,
  })
  await soon(() => titles(page)).toEqual(['Printer and ink', 'Rent'])
  await send(owner, 'DELETE', `/transactions?id=eq.${printer}`)
  await soon(() => titles(page)).toEqual(['Rent'])
  await soon(() => sum(page)).toBe('-$10.00')
  expect(await entry.getByLabel('Name').inputValue()).toBe('Half a sentence')
  expect(await entry.locator('input:focus').getAttribute('name')).toBe('name')
})

test('the list of an editor shows tags and parts that the owner adds to a row', async () => {
  const id = await book('Shopping')
  const page = await openList(['Shopping'])
  const tag = await store(owner, 'tags', { name: 'garden' })
  await send(owner, 'POST', '/transaction_tags', { transaction_id: id, tag_id: tag })
  await row(page, 'Shopping').getByText('#garden').waitFor()
  await send(owner, 'POST', '/line_items', { transaction_id: id, name: 'Soil', amount: -4 })
  await row(page, 'Shopping').getByText('1 split').waitFor()
})

test('the list of an editor with filters shows only rows that match them', async () => {
  await book('Coffee, small')
  const page = await openList(['Coffee, small'], '?search=Coffee')
  const tea = await book('Tea')
  await book('Coffee, large')
  await soon(() => titles(page)).toEqual(['Coffee, large', 'Coffee, small'])
  await send(owner, 'PATCH', `/transactions?id=eq.${tea}`, { name: 'No Coffee' })
  await soon(() => titles(page)).toEqual(['Coffee, large', 'No Coffee', 'Coffee, small'])
  await send(owner, 'PATCH', `/transactions?id=eq.${tea}`, { name: 'Tea' })
  await soon(() => titles(page)).toEqual(['Coffee, large', 'Coffee, small'])
})

test('the list of an editor keeps the selection and the place of the rows in sight', async () => {
  const page = await openLongList()
  await page.mouse.wheel(0, 6_000)
  await page.getByRole('checkbox', { name: 'Select Coffee 75', exact: true }).check()
  const placeOf = async () => Math.round((await row(page, 'Coffee 75').boundingBox())?.y ?? 0)
  const place = await placeOf()
  await book('Newest', { transaction_date: '2025-07-01' })
  await soon(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('152')
  expect(await placeOf()).toBe(place)
  expect(await page.getByRole('checkbox', { name: 'Select Coffee 75', exact: true }).isChecked())
    .toBe(true)
  await page.keyboard.press('Home')
  await page.evaluate('scrollTo(0, 0)')
  await said(page, 'Newest')
})

describe('a row that the editor is editing', () => {
  const edit = async (page: Page, name: string) => {
    await row(page, name).locator('.tx-title').click()
    return page.getByRole('group', { name: `Edit ${name}` })
  }

  test('a row that the editor is editing stays in its place when the owner books one above it, with the input', async () => {
    const page = await openLongList()
    const entry = await edit(page, 'Coffee 2')
    await entry.getByLabel('Amount').fill('777')
    const placeOf = async () => Math.round((await entry.boundingBox())?.y ?? 0)
    const place = await placeOf()
    await book('Printer', { transaction_date: '2025-07-01' })
    await soon(async () => (await titles(page))[0]).toBe('Printer')
    expect(await placeOf()).toBe(place)
    expect(await entry.getByLabel('Amount').inputValue()).toBe('777')
  })

  test('a row that the editor is editing names what the owner has changed, and saves only the input of the editor', async () => {
    const id = await book('Rent')
    const page = await openList(['Rent'])
    const entry = await edit(page, 'Rent')
    await entry.getByLabel('Amount').fill('777')
    await send(owner, 'PATCH', `/transactions?id=eq.${id}`, {
      name: 'Rent, March',
      status: 'pending',
    })
    await entry.getByRole('status').getByText(
      'Someone changed the name to Rent, March and the status to pending while you were editing. Your changes are still here.',
    ).waitFor()
    expect(await barriers(page)).toEqual([])
    expect(await entry.getByLabel('Amount').inputValue()).toBe('777')
    await entry.getByRole('button', { name: 'Save' }).click()
    await soon(() => row(page, 'Rent, March').locator('.tx-amount').textContent()).toBe('-$777.00')
    await soon(() => row(page, 'Rent, March').locator('.badge').textContent()).toBe('pending')
  })

  test('a row that the editor is editing stays with its input after the owner has deleted it, and disappears when it is closed', async () => {
    await book('Rent')
    const id = await book('Printer')
    const page = await openList(['Printer', 'Rent'])
    const entry = await edit(page, 'Printer')
    await entry.getByLabel('Amount').fill('777')
    await send(owner, 'DELETE', `/transactions?id=eq.${id}`)
    await entry.getByRole('status').getByText(
      'Someone deleted this transaction while you were editing, or it no longer matches the filters. Your changes are still here.',
    )
      .waitFor()
    expect(await entry.getByLabel('Amount').inputValue()).toBe('777')
    await entry.getByRole('button', { name: 'Close', exact: true }).click()
    await soon(() => titles(page)).toEqual(['Rent'])
  })

  test('a row that the editor is editing in details that its menu opened names the change too', async () => {
    const rent = await book('Rent')
    const page = await openList(['Rent'])
    await row(page, 'Rent').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Split' }).click()
    const details = page.getByRole('dialog', { name: 'Rent', exact: true })
    await details.waitFor()
    await send(owner, 'PATCH', `/transactions?id=eq.${rent}`, { description: 'Lukewarm' })
    await details.getByText('Someone changed the description to Lukewarm while you were editing.')
      .waitFor()
  })

  test('a row that the editor is editing in its details names the change too, and so does the form of an account', async () => {
    const id = await book('Rent')
    const page = await openList(['Rent'])
    await edit(page, 'Rent')
    await page.getByRole('button', { name: 'Details' }).click()
    const details = page.getByRole('dialog', { name: 'Rent', exact: true })
    await details.getByLabel('Description').fill('Warm')
    await send(owner, 'PATCH', `/transactions?id=eq.${id}`, { description: 'Cold' })
    await details.getByText(
      'Someone changed the description to Cold while you were editing. Your changes are still here.',
    ).waitFor()
    expect(await details.getByLabel('Description').inputValue()).toBe('Warm')

    const account = await store(owner, 'accounts', {
      name: 'Giro',
      type: 'checking',
      currency: 'eur',
    })
    await page.goto(`${story.stack.publicUrl}/accounts`)
    await page.getByRole('button', { name: 'Edit Giro' }).click()
    const form = page.getByRole('dialog', { name: 'Edit Giro' })
    await form.getByLabel('Bank').fill('The bank')
    await send(owner, 'PATCH', `/accounts?id=eq.${account}`, { name: 'Current' })
    await form.getByText('Someone changed this while you were editing.').waitFor()
    await send(owner, 'DELETE', `/accounts?id=eq.${account}`)
    await form.getByText('Someone deleted this while you were editing.').waitFor()
    expect(await form.getByLabel('Bank').inputValue()).toBe('The bank')
  })
})

describe('a dialog of the editor, while the owner changes the same row', () => {
  const giro = {
    path: '/accounts',
    table: 'accounts',
    stored: { name: 'Giro', type: 'checking', currency: 'usd' },
    name: 'Giro',
  }
  const food = { path: '/categories', table: 'categories', stored: { name: 'Food' }, name: 'Food' }
  const cost = {
    title: 'Rent',
    amount: 900,
    currency: 'usd',
    period: 'monthly',
    starts_on: '2025-03-01',
  }
  const rent = { path: '/recurring', table: 'subscriptions', stored: cost, name: 'Rent' }
  const rewe = { field: 'search', operation: 'contains', value: 'rewe' }
  const shops = {
    path: '/rules',
    table: 'rules',
    stored: { name: 'Shops', conditions: [rewe], set_name: 'Shop' },
    name: 'Shops',
  }

  /** Opens the dialog of a new row, which the owner then changes. */
  async function openChanged(
    { path, table, stored, name }: typeof giro | typeof food | typeof rent | typeof shops,
    change: object,
  ) {
    const id = await store(owner, table, stored)
    const page = await open(editor, path)
    await page.getByRole('button', { name: `Edit ${name}` }).click()
    const form = page.getByRole('dialog', { name: `Edit ${name}` })
    await form.getByRole('button', { name: 'Save' }).waitFor()
    const sent: unknown[] = []
    page.on(
      'request',
      (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON()),
    )
    await send(owner, 'PATCH', `/${table}?id=eq.${id}`, change)
    await form.getByRole('status').getByText(
      'Someone changed this while you were editing. Your changes are still here, and saving only updates the fields you changed.',
    )
      .waitFor()
    const save = async () => {
      await form.getByRole('button', { name: 'Save' }).click()
      await form.waitFor({ state: 'hidden' })
    }
    return {
      page,
      form,
      save,
      sent,
      now: async () => (await send(owner, 'GET', `/${table}?id=eq.${id}`))[0],
    }
  }

  test.each([
    {
      of: giro,
      byOwner: { name: 'Current' },
      field: 'Bank',
      input: 'The bank',
      byEditor: { institution: 'The bank' },
    },
    {
      of: food,
      byOwner: { name: 'Groceries' },
      field: 'Monthly budget',
      input: '300',
      byEditor: { monthly_budget: 300, budget_currency: 'usd' },
    },
    {
      of: rent,
      byOwner: { title: 'Rent, warm' },
      field: 'Amount',
      input: '950',
      byEditor: { amount: 950 },
    },
    {
      of: shops,
      byOwner: { name: 'All shops' },
      field: 'Priority',
      input: '7',
      byEditor: { priority: 7 },
    },
  ])(
    'a dialog of the editor, while the owner changes the same row in $of.table saves only what the editor has changed',
    async ({ of, byOwner, field, input, byEditor }) => {
      const { page, form, save, sent, now } = await openChanged(of, byOwner)
      expect(await barriers(page)).toEqual([])
      await form.getByLabel(field).fill(input)
      await save()
      await soon(now).toMatchObject({ ...byOwner, ...byEditor })
      expect(sent).toEqual([byEditor])
    },
  )

  test('a dialog of the editor, while the owner changes the same row on the page of an account saves only what the editor has changed', async () => {
    const id = await store(owner, giro.table, giro.stored)
    const page = await open(editor, `/accounts/${id}`)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const form = page.getByRole('dialog', { name: 'Edit Giro' })
    await form.getByLabel('Name').fill('Current')
    await send(owner, 'PATCH', `/accounts?id=eq.${id}`, { institution: 'The bank' })
    await form.getByText('Someone changed this while you were editing.').waitFor()
    await form.getByRole('button', { name: 'Save' }).click()
    await soon(() => send(owner, 'GET', `/accounts?id=eq.${id}`)).toMatchObject([{
      name: 'Current',
      institution: 'The bank',
    }])
  })

  test('a dialog of the editor, while the owner changes the same row in rules keeps the condition that the owner has added', async () => {
    const spent = { field: 'amount', operation: 'lte', value: '0' }
    const { form, save, now } = await openChanged(shops, { conditions: [rewe, spent] })
    await form.getByLabel('Text').fill('aldi')
    await save()
    await soon(now).toMatchObject({ conditions: [{ ...rewe, value: 'aldi' }, spent] })
  })

  test('a dialog of the editor, while the owner changes the same row sends nothing if the editor has changed nothing', async () => {
    const { page, save, sent } = await openChanged(giro, { name: 'Current' })
    await save()
    await page.getByRole('button', { name: 'Edit Current' }).waitFor()
    expect(sent).toEqual([])
  })

  test('a dialog of the editor, while the owner changes the same row replaces the value of the same field, after the notice', async () => {
    const { form, save, now } = await openChanged(giro, { name: 'Current' })
    await form.getByLabel('Name').fill('Cash')
    await save()
    await soon(now).toMatchObject({ name: 'Cash' })
  })
})

test('pages of reports, accounts and activity show what the owner books', async () => {
  const account = await store(owner, 'accounts', {
    name: 'Giro',
    type: 'checking',
    currency: 'usd',
    balance: 100,
  })
  const accounts = await open(owner, '/accounts')
  await accounts.getByRole('row', { name: /Giro/ }).getByText('$100.00').waitFor()
  const activity = await open(owner, '/activity')
  await activity.getByText('Giro').first().waitFor()
  const overview = await open(editor, '/')
  await overview.getByText('$100.00').first().waitFor()
  await book('Printer', {
    account_id: account,
    transaction_date: new Date().toISOString().slice(0, 10),
  })
  await accounts.getByRole('row', { name: /Giro/ }).getByText('$90.00').waitFor()
  await activity.getByText('Printer').first().waitFor()
  await overview.getByText('$90.00').first().waitFor()
})

test('pages of other contexts are not read', async () => {
  const page = await openList([])
  await send(owner, 'POST', '/transactions', { name: 'Private', amount: -1, organization_id: null })
  await book('Printer')
  await soon(() => titles(page)).toEqual(['Printer'])
})

test('pages in the background are read when they come to the front', async () => {
  const page = await openList([])
  const look = (state: 'hidden' | 'visible') =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`,
    )
  await look('hidden')
  const ofOwner = await open(owner, '/transactions')
  await book('Printer')
  await soon(() => titles(ofOwner)).toEqual(['Printer'])
  expect(await titles(page)).toEqual([])
  await look('visible')
  await soon(() => titles(page)).toEqual(['Printer'])
})

test('a change of the editor is not read a second time, and another member sees it', async () => {
  const page = await openList([])
  const ofOwner = await open(owner, '/transactions')
  await ofOwner.getByText('No transactions yet').waitFor()
  await page.clock.install()
  await beginEntry(page)
  await page.keyboard.type('Chairs')
  await page.getByLabel('Amount').fill('240')
  const requests: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.startsWith('/data/'))
      requests.push(
        `${request.method()} ${pathname.slice(6)}${searchParams.has('id') ? ' by id' : ''}`,
      )
  })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await soon(() => titles(ofOwner)).toEqual(['Chairs'])
  await soon(() => titles(page)).toEqual(['Chairs'])
  await page.clock.runFor(5_000)
  await soon(() => sum(page)).toBe('-$240.00')
  // the app itself reads sums and balances again after a change, and no row
  const countOf = (request: string) => requests.filter((one) => one === request).length
  expect([
    countOf('POST transactions'),
    countOf('POST rpc/get_transaction_aggregate'),
    countOf('GET accounts'),
    countOf('GET transactions by id'),
  ])
    .toEqual([1, 1, 1, 0])
})

test('an editor without a stream sees what the owner books within half a minute', async () => {
  const page = await story.open(editor, 'about:blank')
  pages.push(page)
  await page.clock.install()
  await page.route(
    '**/api/auth/changes?**',
    (route) => route.fulfill({ status: 429, headers: { 'retry-after': '600' } }),
  )
  await page.goto(`${story.stack.publicUrl}/transactions`)
  await page.getByText('No transactions yet').waitFor()
  await book('Printer')
  await page.clock.runFor(31_000)
  await soon(() => titles(page)).toEqual(['Printer'])
})

describe('an editor learns at once', () => {
  test('the new role, and then the end of the membership', async () => {
    const page = await openList([])
    const { body: [{ id: organizationId }] } = await owner.get('/organization/list')
    const member = { organizationId, userId: await editor.id() }
    await owner.patch('/organization/update-member-role', { ...member, role: 'viewer' })
    await page.getByText('Your role in The Team is now viewer.').waitFor()
    await page.getByRole('button', { name: 'New transaction' }).waitFor({ state: 'detached' })
    await owner.post('/organization/remove-member', member)
    await page.getByText('You are no longer a member of The Team.').waitFor()
    await page.getByRole('button', { name: /Workspace:\s*Personal/ }).waitFor()
  })

  test('the end of the session, and keeps the unfinished row', async () => {
    const page = await openList([])
    await beginEntry(page)
    await page.getByRole('group', { name: 'New transaction' }).getByLabel('Name').fill(
      'Half a sentence',
    )
    await story.stack.sql.query('delete from auth.sessions where user_id = $1', [await editor.id()])
    await page.getByRole('dialog', { name: 'You’ve been signed out' }).waitFor()
    expect(
      await page.getByRole('group', { name: 'New transaction', includeHidden: true }).getByLabel(
        'Name',
      ).inputValue(),
    ).toBe('Half a sentence')
  })
})

test('the stream of the page ends with a sign-out', async () => {
  const page = await openList([])
  const streams = async () =>
    Number(
      /^auth_streams (\d+)/m.exec(await (await fetch(`${story.stack.url}/metrics`)).text())?.[1],
    )
  await soon(streams).toBe(1)
  await page.getByRole('button', { name: 'editor', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await soon(streams).toBe(0)
})
