/**
 * Builds example books: a household's year up to today. Pure: the same day and names make the same
 * books, apart from ids.
 */
import type { NewRow } from 'finance-client'
import { decimalsOf, sumOf } from '../../locale/amounts.ts'
import { addDays, addMonths, monthOf } from '../../locale/months.ts'
import type { ExampleNames } from '../../messages/example-names.ts'

export type ExampleBooks = {
  accounts: Array<NewRow<'accounts'>>
  categories: Array<NewRow<'categories'>>
  tags: Array<NewRow<'tags'>>
  subscriptions: Array<NewRow<'subscriptions'>>
  transactions: Array<NewRow<'transactions'>>
  line_items: Array<NewRow<'line_items'>>
  transaction_tags: Array<NewRow<'transaction_tags'>>
}

type AccountName = keyof ExampleNames['accounts']
type CategoryName = keyof ExampleNames['categories']
type PayeeName = keyof ExampleNames['payees']

type BooksOptions = {
  /** The last day of the books. */
  today: string
  currency: string
  names: ExampleNames
  newId: () => string
}

/** Full months before the current one. */
const fullMonths = 12

/** Rough price levels by currency. All other currencies have 1. */
const priceLevels: Record<string, number> = {
  sek: 10,
  nok: 10,
  dkk: 7,
  pln: 4,
  czk: 22,
  huf: 350,
  ron: 4.5,
  try: 30,
  uah: 40,
  jpy: 140,
  cny: 7,
  krw: 1400,
  inr: 60,
  brl: 5,
  mxn: 15,
  zar: 15,
}

/**
 * The source of example transactions. Its rows have an external id, so that no import of the user
 * takes one for an own row.
 */
const source = 'example'

/** Returns numbers from 0 to 1 that look random and are the same each time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** A payment of every month, on a day until the 28th. */
type Monthly = {
  payee: PayeeName
  category: CategoryName
  account: AccountName
  day: number
  amount: number
  isRecurring?: boolean
}

const fixed: readonly Monthly[] = [
  {
    payee: 'salary',
    category: 'salary',
    account: 'everyday',
    day: 1,
    amount: 2950,
    isRecurring: true,
  },
  { payee: 'rent', category: 'rent', account: 'everyday', day: 1, amount: -980, isRecurring: true },
  {
    payee: 'transit',
    category: 'transport',
    account: 'everyday',
    day: 2,
    amount: -49,
    isRecurring: true,
  },
  {
    payee: 'gym',
    category: 'health',
    account: 'everyday',
    day: 3,
    amount: -29.9,
    isRecurring: true,
  },
  {
    payee: 'energy',
    category: 'energy',
    account: 'everyday',
    day: 6,
    amount: -92,
    isRecurring: true,
  },
  {
    payee: 'internet',
    category: 'internet',
    account: 'everyday',
    day: 8,
    amount: -39.95,
    isRecurring: true,
  },
  {
    payee: 'music',
    category: 'leisure',
    account: 'card',
    day: 20,
    amount: -10.99,
    isRecurring: true,
  },
]

/** Payments of varying amounts: the days of a month, and the smallest and largest amount. */
type Varying = {
  payees: readonly PayeeName[]
  category: CategoryName
  account: AccountName
  days: readonly number[]
  from: number
  to: number
}

const varying: readonly Varying[] = [
  {
    payees: ['supermarket', 'market', 'discounter'],
    category: 'groceries',
    account: 'everyday',
    days: [3, 7, 11, 15, 19, 23, 27],
    from: 28,
    to: 68,
  },
  {
    payees: ['bakery'],
    category: 'groceries',
    account: 'cash',
    days: [5, 13, 21, 28],
    from: 4,
    to: 9,
  },
  {
    payees: ['trattoria', 'noodles', 'cafe'],
    category: 'eatingOut',
    account: 'card',
    days: [2, 9, 16, 22, 26],
    from: 12,
    to: 46,
  },
  { payees: ['train'], category: 'transport', account: 'card', days: [10, 24], from: 18, to: 42 },
  {
    payees: ['cinema', 'books', 'swimming'],
    category: 'leisure',
    account: 'card',
    days: [14, 25],
    from: 9,
    to: 34,
  },
]

/** Single payments: months before the current one, and the day in it. */
type Single = {
  payee: PayeeName
  category: CategoryName
  account: AccountName
  ago: number
  day: number
  amount: number
  isTagged?: boolean
}

const single: readonly Single[] = [
  { payee: 'clothes', category: 'clothing', account: 'card', ago: 11, day: 17, amount: -118.5 },
  { payee: 'dentist', category: 'health', account: 'everyday', ago: 10, day: 12, amount: -86 },
  { payee: 'insurance', category: 'home', account: 'everyday', ago: 9, day: 14, amount: -164 },
  { payee: 'shoes', category: 'clothing', account: 'card', ago: 8, day: 21, amount: -89.9 },
  { payee: 'gift', category: 'leisure', account: 'card', ago: 7, day: 18, amount: -45 },
  {
    payee: 'taxRefund',
    category: 'otherIncome',
    account: 'everyday',
    ago: 6,
    day: 20,
    amount: 412.6,
  },
  {
    payee: 'flight',
    category: 'holidays',
    account: 'card',
    ago: 5,
    day: 11,
    amount: -268,
    isTagged: true,
  },
  {
    payee: 'hotel',
    category: 'holidays',
    account: 'everyday',
    ago: 4,
    day: 5,
    amount: -540,
    isTagged: true,
  },
  { payee: 'pharmacy', category: 'health', account: 'cash', ago: 3, day: 15, amount: -17.4 },
  { payee: 'bicycle', category: 'otherIncome', account: 'cash', ago: 3, day: 23, amount: 120 },
  { payee: 'lamp', category: 'home', account: 'card', ago: 2, day: 18, amount: -74.9 },
  { payee: 'birthday', category: 'eatingOut', account: 'card', ago: 1, day: 20, amount: -96.4 },
  { payee: 'jacket', category: 'clothing', account: 'card', ago: 1, day: 12, amount: -129 },
]

/** Payments with the travel card, in its own currency. */
const abroad: readonly { payee: PayeeName, day: number, amount: number }[] = [
  { payee: 'museum', day: 8, amount: -32 },
  { payee: 'seafood', day: 9, amount: -58.2 },
  { payee: 'boat', day: 10, amount: -45 },
  { payee: 'souvenirs', day: 11, amount: -27.5 },
  { payee: 'taxi', day: 12, amount: -38.9 },
]
const monthsSinceTravel = 4

/** Imported rows without a category. Their days are counted back from today. */
const unsorted: readonly { payee: PayeeName, ago: number, amount: number }[] = [
  { payee: 'bankCafe', ago: 1, amount: -6.8 },
  { payee: 'bankSupermarket', ago: 2, amount: -37.45 },
  { payee: 'bankOnline', ago: 3, amount: -24.99 },
  { payee: 'bankFuel', ago: 5, amount: -51.3 },
  { payee: 'bankRefund', ago: 6, amount: 19.95 },
  { payee: 'bankParking', ago: 8, amount: -4.5 },
]

const budgets: Partial<Record<CategoryName, number>> = {
  home: 1200,
  groceries: 340,
  eatingOut: 150,
  transport: 130,
  health: 60,
  leisure: 90,
}

const families: ReadonlyArray<
  { name: CategoryName, color: string, kind: 'income' | 'expense', parent?: CategoryName }
> = [
  { name: 'salary', color: '#3f8f5f', kind: 'income' },
  { name: 'otherIncome', color: '#7a9a3a', kind: 'income' },
  { name: 'home', color: '#4a7fb5', kind: 'expense' },
  { name: 'rent', color: '#4a7fb5', kind: 'expense', parent: 'home' },
  { name: 'energy', color: '#5f93c4', kind: 'expense', parent: 'home' },
  { name: 'internet', color: '#7aa8d2', kind: 'expense', parent: 'home' },
  { name: 'groceries', color: '#5b9a68', kind: 'expense' },
  { name: 'eatingOut', color: '#b9712a', kind: 'expense' },
  { name: 'transport', color: '#8a6fb0', kind: 'expense' },
  { name: 'health', color: '#c2607f', kind: 'expense' },
  { name: 'leisure', color: '#3f8f95', kind: 'expense' },
  { name: 'holidays', color: '#d09a2f', kind: 'expense', parent: 'leisure' },
  { name: 'clothing', color: '#96705a', kind: 'expense' },
]

const accountKinds: Record<AccountName, { type: NewRow<'accounts'>['type'], balance: number }> = {
  everyday: { type: 'checking', balance: 1840.35 },
  savings: { type: 'savings', balance: 6200 },
  card: { type: 'credit_card', balance: 0 },
  cash: { type: 'cash', balance: 60 },
  travel: { type: 'checking', balance: 55 },
}

/** Builds the rows of example books. None is after today. */
export function exampleBooks({ today, currency, names, newId }: BooksOptions): ExampleBooks {
  const abroadCurrency = currency === 'usd' ? 'eur' : 'usd'
  const level = priceLevels[currency] ?? 1
  const price = (amount: number) =>
    Number((amount * level).toFixed(Math.min(decimalsOf(currency), 2)))
  const next = numbers(20_250)
  const idsOf = <Name extends string>(rows: Record<Name, unknown>) =>
    Object.fromEntries(Object.keys(rows).map((name) => [name, newId()])) as Record<Name, string>
  const accountIds = idsOf(names.accounts)
  const categoryIds = idsOf(names.categories)
  const tagId = newId()
  const recurring = fixed.filter(({ isRecurring }) => isRecurring === true)
  const recurringIds = new Map(recurring.map(({ payee }) => [payee, newId()]))
  const transactions: ExampleBooks['transactions'] = []
  const line_items: ExampleBooks['line_items'] = []
  const transaction_tags: ExampleBooks['transaction_tags'] = []

  type Entry = {
    name: string
    day: string
    amount: number
    account: AccountName
    category?: CategoryName | null
    transferId?: string | null
    recurringId?: string | null
  }

  /** Adds a transaction if its day has come. Returns its id, or null. */
  const book = (
    { name, day, amount, account, category = null, transferId = null, recurringId = null }: Entry,
  ): string | null => {
    if (day > today) return null
    const id = newId()
    const count = transactions.length
    transactions.push({
      id,
      name,
      amount,
      currency: account === 'travel' ? abroadCurrency : currency,
      transaction_date: day,
      account_id: accountIds[account],
      category_id: category === null ? null : categoryIds[category],
      transfer_id: transferId,
      subscription_id: recurringId,
      due_on: recurringId === null ? null : day,
      source,
      external_id: `${source}-${count + 1}`,
    })
    return id
  }
  const transfer = (
    name: string,
    day: string,
    from: AccountName,
    to: AccountName,
    amount: number,
    received = amount,
  ) => {
    const transferId = newId()
    book({ name, day, amount: -amount, account: from, transferId })
    book({ name, day, amount: received, account: to, transferId })
  }
  const tag = (id: string | null) =>
    id !== null && transaction_tags.push({ transaction_id: id, tag_id: tagId })

  const thisMonth = monthOf(today)
  const dayOf = (ago: number, day: number) => addDays(addMonths(thisMonth, -ago), day - 1)
  for (let ago = fullMonths; ago >= 0; ago -= 1) {
    const cardBefore = spentWith(accountIds.card, dayOf(ago + 1, 1), dayOf(ago, 1))
    for (const { payee, category, account, day, amount } of fixed) {
      // the salary rises in the middle of the year
      const isRaised = payee === 'salary' && ago <= 6
      book({
        name: names.payees[payee],
        day: dayOf(ago, day),
        amount: price(isRaised ? amount + 110 : amount),
        account,
        category,
        recurringId: recurringIds.get(payee) ?? null,
      })
    }
    for (const { payees, category, account, days, from, to } of varying) {
      for (const [index, day] of days.entries()) {
        const payee = payees[index % payees.length]
        const amount = -Math.round((from + (to - from) * next()) * 20) / 20
        if (payee !== undefined)
          book({
            name: names.payees[payee],
            day: dayOf(ago, day),
            amount: price(amount),
            account,
            category,
          })
      }
    }
    for (
      const { payee, category, account, day, amount, isTagged } of single.filter((one) =>
        one.ago === ago
      )
    ) {
      const id = book({
        name: names.payees[payee],
        day: dayOf(ago, day),
        amount: price(amount),
        account,
        category,
      })
      if (isTagged === true) tag(id)
    }
    if (ago === monthsSinceTravel) {
      transfer(names.transfers.travel, dayOf(ago, 4), 'everyday', 'travel', price(220), 230)
      for (const { payee, day, amount } of abroad)
        tag(
          book({
            name: names.payees[payee],
            day: dayOf(ago, day),
            amount,
            account: 'travel',
            category: 'holidays',
          }),
        )
    }
    transfer(names.transfers.savings, dayOf(ago, 2), 'everyday', 'savings', price(650))
    if (cardBefore > 0)
      transfer(names.transfers.card, dayOf(ago, 5), 'everyday', 'card', cardBefore)
    if (ago % 2 === 0) transfer(names.transfers.cash, dayOf(ago, 4), 'everyday', 'cash', price(60))
    splitPurchase(dayOf(ago, 18), ago)
  }
  for (const { payee, ago, amount } of unsorted)
    book({
      name: names.payees[payee],
      day: addDays(today, -ago),
      amount: price(amount),
      account: 'everyday',
    })

  /** Returns the payments with an account from a day until before another. */
  function spentWith(accountId: string, from: string, until: string): number {
    const rows = transactions.filter((row) =>
      row.account_id === accountId && row.transfer_id === null && day(row) >= from &&
      day(row) < until
    )
    return sumOf(rows.map(({ amount }) => -amount))
  }

  /** Adds a purchase of the recent months that belongs to two categories. */
  function splitPurchase(on: string, ago: number): void {
    if (ago > 1) return
    const parts = [{ name: names.splits.food, amount: price(-58.7), category: 'groceries' }, {
      name: names.splits.household,
      amount: price(-36.2),
      category: 'home',
    }] as const
    const amount = sumOf(parts.map((part) => part.amount))
    const id = book({
      name: names.payees.hypermarket,
      day: on,
      amount,
      account: 'everyday',
      category: 'groceries',
    })
    if (id === null) return
    line_items.push(
      ...parts.map((part) => ({
        id: newId(),
        transaction_id: id,
        name: part.name,
        amount: part.amount,
        category_id: categoryIds[part.category],
      })),
    )
  }

  return {
    accounts: (Object.keys(names.accounts) as AccountName[]).map((account) => ({
      id: accountIds[account],
      name: names.accounts[account],
      type: accountKinds[account].type,
      currency: account === 'travel' ? abroadCurrency : currency,
      balance: account === 'travel'
        ? accountKinds[account].balance
        : price(accountKinds[account].balance),
      opened_on: dayOf(fullMonths, 1),
    })),
    categories: families.map(({ name, color, kind, parent }) => ({
      id: categoryIds[name],
      name: names.categories[name],
      color,
      kind,
      parent_id: parent === undefined ? null : categoryIds[parent],
      monthly_budget: budgets[name] === undefined ? null : price(budgets[name]),
      budget_currency: currency,
    })),
    tags: [{ id: tagId, name: names.tag }],
    subscriptions: [
      ...recurring.map(({ payee, category, account, day, amount }) => ({
        id: recurringIds.get(payee) ?? newId(),
        title: names.payees[payee],
        amount: price(payee === 'salary' ? amount + 110 : Math.abs(amount)),
        kind: amount > 0 ? 'income' as const : 'expense' as const,
        period: 'monthly' as const,
        currency,
        category_id: categoryIds[category],
        account_id: accountIds[account],
        starts_on: dayOf(fullMonths, day),
      })),
      {
        id: newId(),
        title: names.payees.insurance,
        amount: price(164),
        kind: 'expense',
        period: 'yearly',
        currency,
        category_id: categoryIds.home,
        account_id: accountIds.everyday,
        starts_on: dayOf(-3, 14),
      },
    ],
    transactions,
    line_items,
    transaction_tags,
  }
}

const day = ({ transaction_date: date = '' }: NewRow<'transactions'>): string => date
