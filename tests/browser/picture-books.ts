/**
 * The books of the README's pictures: a household, and a team of one of its members. Names, amounts
 * and days never change.
 */
import type { Person } from '../support/person.ts'
import { store } from './app-books.ts'
import type { AppStory } from './app-story.ts'

/** The time of the pictures, by the clock of the page. */
export const today = '2025-10-22'

const months = ['05', '06', '07', '08', '09', '10']
/** The past occurrences, up to that day, of something on the same day of each month. */
const monthly = (day: string, amounts: readonly number[]) =>
  months.map((month, index) => ({
    on: `2025-${month}-${day}`,
    amount: amounts[index] ?? amounts[0] ?? 0,
  }))

type Entry = {
  name: string
  on: string
  amount: number
  account: string
  category?: string
  status?: string
}

/**
 * Stores rows, each with its own time of day, so that rows of one day have a fixed order. @returns
 * them by name, the newest for a repeated name
 */
async function book(
  story: AppStory,
  who: Person,
  entries: Entry[],
  accounts: Map<string, string>,
  categories: Map<string, string>,
): Promise<Map<string, string>> {
  const rows = await store(
    story,
    who,
    'transactions',
    entries.map(({ name, on, amount, account, category, status = 'paid' }, index) => ({
      name,
      amount,
      currency: 'eur',
      status,
      transaction_date: `${on}T12:${String(Math.floor(index / 60)).padStart(2, '0')}:${
        String(index % 60).padStart(2, '0')
      }Z`,
      account_id: accounts.get(account),
      category_id: category === undefined ? null : categories.get(category),
    })),
  )
  return idsOf(rows, 'name')
}

const idsOf = (rows: any[], by: string) =>
  new Map<string, string>(rows.map((row) => [row[by], row.id]))

/**
 * Half a year of Mara, who lives with a child, earns 3,240 and saves 400 each month. @returns the
 * id of her account for every day
 */
export async function keepHousehold(story: AppStory, mara: Person): Promise<string> {
  const accounts = idsOf(
    await store(story, mara, 'accounts', [
      { name: 'Everyday', type: 'checking', currency: 'eur', balance: 1860.4 },
      { name: 'Savings', type: 'savings', currency: 'eur', balance: 7200 },
      { name: 'Credit card', type: 'credit_card', currency: 'eur', balance: -120 },
      { name: 'Wallet', type: 'cash', currency: 'eur', balance: 85 },
    ]),
    'name',
  )
  const categories = idsOf(
    await store(story, mara, 'categories', [
      {
        name: 'Income',
        kind: 'income',
        color: '#2f7d6b',
        monthly_budget: null,
        budget_currency: 'eur',
      },
      {
        name: 'Home',
        kind: 'expense',
        color: '#4a7fb5',
        monthly_budget: 1450,
        budget_currency: 'eur',
      },
      {
        name: 'Groceries',
        kind: 'expense',
        color: '#5b9a68',
        monthly_budget: 480,
        budget_currency: 'eur',
      },
      {
        name: 'Eating out',
        kind: 'expense',
        color: '#b9712a',
        monthly_budget: 120,
        budget_currency: 'eur',
      },
      {
        name: 'Transportation',
        kind: 'expense',
        color: '#8a6fb0',
        monthly_budget: 110,
        budget_currency: 'eur',
      },
      {
        name: 'Lena',
        kind: 'expense',
        color: '#c2607f',
        monthly_budget: 400,
        budget_currency: 'eur',
      },
      {
        name: 'Leisure',
        kind: 'expense',
        color: '#3f8f95',
        monthly_budget: 100,
        budget_currency: 'eur',
      },
    ]),
    'name',
  )
  const each = (
    name: string,
    account: string,
    category: string | undefined,
    times: ReturnType<typeof monthly>,
  ): Entry[] =>
    times.map((time) => ({ name, account, ...time, ...(category !== undefined && { category }) }))
  const booked = await book(
    story,
    mara,
    [
      { name: 'Supermarket', on: '2025-10-21', amount: -48.2, account: 'Everyday' },
      { name: 'Trattoria Sole', on: '2025-10-21', amount: -38.5, account: 'Credit card' },
      { name: 'Garden centre', on: '2025-10-21', amount: -31.9, account: 'Credit card' },
      ...each('Salary', 'Everyday', 'Income', monthly('01', [3240])),
      ...each('Child benefit', 'Everyday', 'Income', monthly('10', [255])),
      ...each('Rent', 'Everyday', 'Home', monthly('01', [-1290])),
      ...each('Electricity', 'Everyday', 'Home', monthly('06', [-86.4])),
      ...each('Internet', 'Everyday', 'Home', monthly('08', [-39.9])),
      ...each('Rail pass', 'Credit card', 'Transportation', monthly('02', [-63])),
      ...each('After-school care', 'Everyday', 'Lena', monthly('04', [-210])),
      ...each('Music school', 'Everyday', 'Lena', monthly('09', [-74])),
      ...each(
        'Weekly market',
        'Wallet',
        'Groceries',
        monthly('11', [-58.2, -61.7, -40.5, -66.1, -55.3, -63.45]),
      ),
      ...each(
        'Supermarket',
        'Everyday',
        'Groceries',
        monthly('05', [-142.35, -128.6, -150.1, -134.9, -161.2, -139.85]),
      ),
      ...each(
        'Supermarket',
        'Everyday',
        'Groceries',
        monthly('18', [-187.8, -173.15, -126.4, -191.05, -168.7, -184.3]),
      ),
      ...each(
        'Trattoria Sole',
        'Credit card',
        'Eating out',
        monthly('12', [-42.5, -57, -88.6, -49.9, -61.2, -71.8]),
      ),
      {
        name: 'Bicycle repair',
        on: '2025-06-14',
        amount: -148,
        account: 'Credit card',
        category: 'Transportation',
      },
      {
        name: 'Summer by the sea',
        on: '2025-07-19',
        amount: -1260,
        account: 'Everyday',
        category: 'Leisure',
      },
      {
        name: 'Tax refund',
        on: '2025-08-20',
        amount: 418.6,
        account: 'Everyday',
        category: 'Income',
      },
      {
        name: 'School books',
        on: '2025-09-03',
        amount: -92.4,
        account: 'Credit card',
        category: 'Lena',
      },
      {
        name: 'Theatre',
        on: '2025-09-20',
        amount: -54,
        account: 'Credit card',
        category: 'Leisure',
      },
      {
        name: 'Winter jacket',
        on: '2025-10-16',
        amount: -79.95,
        account: 'Credit card',
        category: 'Lena',
      },
      { name: 'Cinema', on: '2025-10-17', amount: -27, account: 'Wallet', category: 'Leisure' },
      { name: 'Bakery', on: '2025-10-19', amount: -8.6, account: 'Wallet', category: 'Groceries' },
      {
        name: 'Lunch with Tom',
        on: '2025-10-20',
        amount: -64.8,
        account: 'Credit card',
        category: 'Eating out',
      },
      { name: 'Sold: old bicycle', on: '2025-10-20', amount: 140, account: 'Wallet' },
      {
        name: 'Shoes',
        on: '2025-10-21',
        amount: -64.9,
        account: 'Credit card',
        category: 'Lena',
        status: 'pending',
      },
      {
        name: 'Chemist',
        on: '2025-10-17',
        amount: -23.45,
        account: 'Everyday',
        category: 'Groceries',
        status: 'pending',
      },
      {
        name: 'Swimming pool',
        on: '2025-10-22',
        amount: -9,
        account: 'Wallet',
        category: 'Leisure',
      },
    ],
    accounts,
    categories,
  )
  const moves = [
    { name: 'Put aside', day: '15', from: 'Everyday', to: 'Savings', amount: 400 },
    { name: 'Card paid', day: '03', from: 'Everyday', to: 'Credit card', amount: 120 },
    { name: 'Cash', day: '10', from: 'Everyday', to: 'Wallet', amount: 60 },
  ]
  for (const { name, day, from, to, amount } of moves) {
    for (const { on } of monthly(day, [])) {
      const ids = { from_account_id: accounts.get(from), to_account_id: accounts.get(to) }
      await store(story, mara, 'rpc/create_transfer', { ...ids, amount, transfer_date: on, name })
    }
  }
  // Both halves have the same moment, so their order would depend on their ids.
  await story.stack.sql.query(
    "update api.transactions set transaction_date = transaction_date + interval '1 second' where transfer_id is not null and amount > 0",
  )
  const transaction_id = booked.get('Supermarket')
  await store(story, mara, 'line_items', [
    { transaction_id, name: 'Food', amount: -159.4, category_id: categories.get('Groceries') },
    { transaction_id, name: 'Drawing things', amount: -24.9, category_id: categories.get('Lena') },
  ])
  const [tag] = await store(story, mara, 'tags', [{ name: 'birthday' }])
  await store(
    story,
    mara,
    'transaction_tags',
    ['Winter jacket', 'Trattoria Sole'].map((name) => ({
      transaction_id: booked.get(name),
      tag_id: tag.id,
    })),
  )
  const costs = [
    { title: 'Salary', kind: 'income', amount: 3240, starts_on: '2025-10-01', category: 'Income' },
    { title: 'Rent', amount: 1290, starts_on: '2025-10-01', category: 'Home' },
    { title: 'After-school care', amount: 210, starts_on: '2025-10-04', category: 'Lena' },
    { title: 'Electricity', amount: 86.4, starts_on: '2025-10-06', category: 'Home' },
    { title: 'Internet', amount: 39.9, starts_on: '2025-10-08', category: 'Home' },
    { title: 'Music school', amount: 74, starts_on: '2025-10-09', category: 'Lena' },
    {
      title: 'Child benefit',
      kind: 'income',
      amount: 255,
      starts_on: '2025-10-10',
      category: 'Income',
    },
    { title: 'Phone', amount: 19.99, starts_on: '2025-10-24', category: 'Home' },
    { title: 'Music for the family', amount: 17.99, starts_on: '2025-10-28', category: 'Leisure' },
    {
      title: 'Household insurance',
      amount: 214,
      period: 'yearly',
      starts_on: '2025-11-14',
      category: 'Home',
    },
  ]
  const planned = await store(
    story,
    mara,
    'subscriptions',
    costs.map(({ category, ...cost }) => ({
      kind: 'expense',
      period: 'monthly',
      currency: 'eur',
      account_id: accounts.get('Everyday'),
      category_id: categories.get(category),
      ...cost,
    })),
  )
  // October's payments are recorded
  for (const { id, title, starts_on: day } of planned) {
    await story.stack.sql.query(
      'update api.transactions set subscription_id = $1, due_on = $2::date where name = $3 and transaction_date::date = $2::date',
      [
        id,
        day,
        title,
      ],
    )
  }
  const everyday = accounts.get('Everyday') ?? ''
  await stateBalances(story, mara, everyday, [['2025-09-30', 0], ['2025-10-20', -23.45]])
  return everyday
}

/** States balances of an account, each apart from the computed one by an amount. */
async function stateBalances(
  story: AppStory,
  who: Person,
  account_id: string,
  stated: ReadonlyArray<readonly [on_date: string, apart: number]>,
): Promise<void> {
  const rows = stated.map(([on_date]) => ({ account_id, on_date, balance: 0 }))
  await store(story, who, 'balances', rows)
  const compared = await store(story, who, 'rpc/get_reconciliation', { p_account_id: account_id })
  for (const [on_date, apart] of stated) {
    const { computed } = compared.find((row) => row.on_date === on_date)
    await story.stack.sql.query(
      'update api.balances set balance = $1 where account_id = $2 and on_date = $3',
      [computed + apart, account_id, on_date],
    )
  }
}

/** Three months of a small studio, with its dashboard. @returns the address of the dashboard */
export async function keepStudio(story: AppStory, owner: Person): Promise<string> {
  const accounts = idsOf(
    await store(story, owner, 'accounts', [{
      name: 'Business account',
      type: 'checking',
      currency: 'eur',
      balance: 9400,
    }]),
    'name',
  )
  const categories = idsOf(
    await store(story, owner, 'categories', [
      {
        name: 'Projects',
        kind: 'income',
        color: '#4a7fb5',
        monthly_budget: null,
        budget_currency: 'eur',
      },
      {
        name: 'Studio rent',
        kind: 'expense',
        color: '#8a6fb0',
        monthly_budget: 900,
        budget_currency: 'eur',
      },
      {
        name: 'Freelancers',
        kind: 'expense',
        color: '#b9712a',
        monthly_budget: 1500,
        budget_currency: 'eur',
      },
      {
        name: 'Software',
        kind: 'expense',
        color: '#3f8f95',
        monthly_budget: 220,
        budget_currency: 'eur',
      },
      {
        name: 'Travel',
        kind: 'expense',
        color: '#c2607f',
        monthly_budget: 250,
        budget_currency: 'eur',
      },
    ]),
    'name',
  )
  const summer = (name: string, day: string, category: string, amounts: number[]): Entry[] =>
    ['07', '08', '09'].map((month, index) => ({
      name,
      on: `2025-${month}-${day}`,
      amount: amounts[index] ?? 0,
      account: 'Business account',
      category,
    }))
  await book(
    story,
    owner,
    [
      ...summer('Harbour museum, guide', '14', 'Projects', [4200, 2600, 5100]),
      ...summer('City library, signs', '24', 'Projects', [1850, 2400, 1850]),
      ...summer('Studio rent', '01', 'Studio rent', [-880, -880, -880]),
      ...summer('Illustrations, N. Okafor', '19', 'Freelancers', [-1350, -980, -1720]),
      ...summer('Design tools', '03', 'Software', [-186, -186, -214]),
      ...summer('Train to the museum', '10', 'Travel', [-96.4, -210.8, -164.2]),
    ],
    accounts,
    categories,
  )
  const widget = (type: string, x: number, y: number, w: number, h: number, config = {}) => ({
    id: `${type} ${x} ${y}`,
    type,
    position: { x, y },
    size: { w, h },
    config,
  })
  const [{ id }] = await store(story, owner, 'dashboards', [{
    name: 'Third quarter',
    visibility: 'shared',
    date_range: { start_date: '2025-07-01', end_date: '2025-09-30' },
    layout: {
      widgets: [
        widget('stat', 0, 0, 4, 2, { measure: 'income' }),
        widget('stat', 4, 0, 4, 2, { measure: 'expense' }),
        widget('stat', 8, 0, 4, 2, { measure: 'balance' }),
        widget('budgets', 0, 2, 6, 4),
        widget('distribution', 6, 2, 6, 4),
        widget('transactions', 0, 6, 12, 4, { rows: 5 }),
      ],
    },
  }])
  return `/dashboards/${id}`
}
