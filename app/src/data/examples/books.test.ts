import { expect, test } from 'vitest'
import { addMonths } from '../../locale/months.ts'
import { exampleNames } from '../../messages/example-names.ts'
import { type ExampleBooks, exampleBooks } from './books.ts'
import { isExample, isMarked, keptMetadata, markedId, markedIds } from './mark.ts'

const booksOf = (today: string, currency = 'eur') =>
  exampleBooks({ today, currency, names: exampleNames, newId: markedId })

const groups = <Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string | null | undefined,
): Row[][] => [...new Set(rows.map(keyOf))].map((key) => rows.filter((row) => keyOf(row) === key))

const days = ['2025-01-01', '2025-03-31', '2024-02-29', '2025-10-22', '2025-12-31']

const categoryNamed = (books: ExampleBooks, name: string) =>
  books.categories.find((category) => category.name === name)

/** Sums what was spent in a month on a category with its subcategories. */
function spentOn(books: ExampleBooks, name: string, month: string): number {
  const top = categoryNamed(books, name)?.id
  const ids = books.categories.filter(({ id, parent_id: parent }) => id === top || parent === top)
    .map(({ id }) => id)
  const split = new Set(books.line_items.map(({ transaction_id: id }) => id))
  const inMonth = books.transactions.filter(({ transaction_date: day = '' }) =>
    day.startsWith(month)
  )
  const whole = inMonth.filter(({ id = '', category_id: category }) =>
    ids.includes(category ?? '') && !split.has(id)
  )
  const parts = books.line_items.filter((part) =>
    ids.includes(part.category_id ?? '') && inMonth.some(({ id }) => id === part.transaction_id)
  )
  return -[...whole, ...parts].reduce((sum, { amount }) => sum + amount, 0)
}

test.each(days)('the books of %s reach a year back and end on that day', (today) => {
  const booked = booksOf(today).transactions.map(({ transaction_date: day = '' }) => day).toSorted()
  expect(booked.at(-1)! <= today).toBe(true)
  const first = new Date(booked[0]!)
  expect(Math.round((Date.parse(today) - first.getTime()) / 86_400_000)).toBeGreaterThanOrEqual(365)
})

test.each(days)(
  'a household of %s earns more than it spends, and no account but the card is ever below zero',
  (today) => {
    const books = booksOf(today)
    const payments = books.transactions.filter(({ transfer_id: transfer, account_id: account }) =>
      transfer === null && books.accounts.find(({ id }) => id === account)?.currency === 'eur'
    )
    const sum = (rows: typeof payments) => rows.reduce((total, { amount }) => total + amount, 0)
    const saved = sum(payments) / sum(payments.filter(({ amount }) => amount > 0))
    expect(saved).toBeGreaterThan(0.1)
    expect(saved).toBeLessThan(0.4)
    for (const { id, balance = 0, type } of books.accounts) {
      let current = balance
      let lowest = balance
      const rows = books.transactions.filter(({ account_id: account }) => account === id)
      for (
        const { amount } of rows.toSorted((a, b) =>
          a.transaction_date!.localeCompare(b.transaction_date!) || b.amount - a.amount
        )
      ) {
        current += amount
        lowest = Math.min(lowest, current)
      }
      if (type !== 'credit_card') expect(lowest).toBeGreaterThanOrEqual(0)
      else expect(current).toBeGreaterThan(-800)
    }
  },
)

test('some budgets of the last month are exceeded, and others are not', () => {
  const books = booksOf('2025-10-22')
  const left = (name: string) =>
    (categoryNamed(books, name)?.monthly_budget ?? 0) - spentOn(books, name, '2025-09')
  expect(left('Eating out')).toBeLessThan(0)
  expect(left('Home')).toBeGreaterThan(0)
  expect(left('Transportation')).toBeGreaterThan(0)
})

test('both halves of a transfer have one day, and the same amount if their currency is the same', () => {
  const { transactions } = booksOf('2025-10-22')
  const halves = groups(
    transactions.filter(({ transfer_id: id }) => id !== null),
    ({ transfer_id: id }) => id,
  )
  expect(halves.length).toBeGreaterThan(24)
  for (const [out, into, ...more] of halves) {
    expect(more).toEqual([])
    expect(out!.transaction_date).toBe(into!.transaction_date)
    expect(out!.account_id).not.toBe(into!.account_id)
    if (out!.currency === into!.currency) expect(out!.amount).toBe(-into!.amount)
  }
})

test('the parts of a purchase add up to it', () => {
  const { transactions, line_items } = booksOf('2025-10-22')
  const parts = groups(line_items, ({ transaction_id: id }) => id)
  expect(parts.length).toBe(2)
  for (const rows of parts) {
    expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBeCloseTo(
      transactions.find((row) => row.id === rows[0]?.transaction_id)!.amount,
      2,
    )
  }
})

test('each due day of a monthly payment until today has its transaction, so that none is overdue', () => {
  for (const today of days) {
    const { subscriptions, transactions } = booksOf(today)
    for (const { id, starts_on: start = '', period } of subscriptions) {
      const recorded = transactions.filter(({ subscription_id }) => subscription_id === id)
        .map(({ due_on }) => due_on)
      const due = period === 'monthly'
        ? Array.from(
          { length: 14 },
          (_, months) => `${addMonths(start, months).slice(0, 8)}${start.slice(8)}`,
        )
        : [start]
      expect(recorded).toEqual(due.filter((day) => day <= today))
    }
  }
})

test('yen have no decimals, and their prices are plausible', () => {
  const { accounts, transactions } = booksOf('2025-10-22', 'jpy')
  const amounts = transactions.filter(({ currency }) => currency === 'jpy').map(({ amount }) =>
    amount
  )
  expect(amounts.filter((amount) => !Number.isInteger(amount))).toEqual([])
  expect(Math.max(...amounts)).toBeGreaterThan(100_000)
  expect(new Set(accounts.map(({ currency }) => currency))).toEqual(new Set(['jpy', 'usd']))
})

test('the mark of ids is recognized, and no random id has it', () => {
  const marked = markedId()
  expect(marked).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(marked >= markedIds.first && marked <= markedIds.last).toBe(true)
  expect([marked, crypto.randomUUID()].map(isMarked)).toEqual([true, false])
  expect([null, {}, keptMetadata].map((metadata) => isExample({ id: marked, metadata }))).toEqual([
    true,
    true,
    false,
  ])
})
