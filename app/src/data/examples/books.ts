/**
 * Builds example books: a household's year up to today. Pure: the same day and names make the same
 * books, apart from ids.
 */
import type { NewRow } from 'finance-client'
import { sumOf } from '../../locale/amounts.ts'
import { addDays } from '../../locale/months.ts'
import {
  openLedger,
  book,
  type BooksOptions,
  dayOf,
  type Ledger,
  priceIn,
  spentByCard,
  tag,
  transfer,
} from './ledger.ts'
import {
  abroad,
  accountKinds,
  type AccountName,
  budgets,
  families,
  fixed,
  monthsSinceTravel,
  recurring,
  single,
  unsorted,
  varying,
} from './household.ts'

export type ExampleBooks = {
  accounts: Array<NewRow<'accounts'>>
  categories: Array<NewRow<'categories'>>
  tags: Array<NewRow<'tags'>>
  subscriptions: Array<NewRow<'subscriptions'>>
  transactions: Array<NewRow<'transactions'>>
  line_items: Array<NewRow<'line_items'>>
  transaction_tags: Array<NewRow<'transaction_tags'>>
}

/** Full months before the current one. */
const fullMonths = 12

/** The amount by which the salary rises. */
const raise = 110

/** Returns numbers from 0 to 1 that look random and are the same each time. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

function bookFixed(ledger: Ledger, ago: number): void {
  for (const { payee, category, account, day, amount } of fixed) {
    // the salary rises in the middle of the year
    const isRaised = payee === 'salary' && ago <= 6
    book(ledger, {
      name: ledger.names.payees[payee],
      day: dayOf(ledger, ago, day),
      amount: priceIn(ledger.currency, isRaised ? amount + raise : amount),
      account,
      category,
      recurringId: ledger.recurringIds.get(payee) ?? null,
    })
  }
}

/** @param next returns a number from 0 to 1 */
function bookVarying(ledger: Ledger, ago: number, next: () => number): void {
  for (const { payees, category, account, days, from, to } of varying) {
    for (const [index, day] of days.entries()) {
      const payee = payees[index % payees.length]
      const amount = -Math.round((from + (to - from) * next()) * 20) / 20
      if (payee !== undefined)
        book(ledger, {
          name: ledger.names.payees[payee],
          day: dayOf(ledger, ago, day),
          amount: priceIn(ledger.currency, amount),
          account,
          category,
        })
    }
  }
}

function bookSingle(ledger: Ledger, ago: number): void {
  for (
    const { payee, category, account, day, amount, isTagged } of single.filter((one) =>
      one.ago === ago
    )
  ) {
    const id = book(ledger, {
      name: ledger.names.payees[payee],
      day: dayOf(ledger, ago, day),
      amount: priceIn(ledger.currency, amount),
      account,
      category,
    })
    if (isTagged === true) tag(ledger, id)
  }
}

/** Fills the travel card, and pays with it. */
function bookTravel(ledger: Ledger): void {
  const { names, currency } = ledger
  transfer(ledger, {
    name: names.transfers.travel,
    day: dayOf(ledger, monthsSinceTravel, 4),
    to: 'travel',
    amount: priceIn(currency, 220),
    received: 230,
  })
  for (const { payee, day, amount } of abroad)
    tag(
      ledger,
      book(ledger, {
        name: names.payees[payee],
        day: dayOf(ledger, monthsSinceTravel, day),
        amount,
        account: 'travel',
        category: 'holidays',
      }),
    )
}

/** @param cardBefore the payments by card of the month before, which are due now */
function bookTransfers(ledger: Ledger, ago: number, cardBefore: number): void {
  const { names: { transfers }, currency } = ledger
  const on = (day: number) => dayOf(ledger, ago, day)
  transfer(ledger, {
    name: transfers.savings,
    day: on(2),
    to: 'savings',
    amount: priceIn(currency, 650),
  })
  if (cardBefore > 0)
    transfer(ledger, { name: transfers.card, day: on(5), to: 'card', amount: cardBefore })
  if (ago % 2 === 0)
    transfer(ledger, {
      name: transfers.cash,
      day: on(4),
      to: 'cash',
      amount: priceIn(currency, 60),
    })
}

/** Adds a purchase that belongs to two categories. */
function bookSplitPurchase(ledger: Ledger, ago: number): void {
  const { names, currency, newId, categoryIds, line_items } = ledger
  const parts = [
    { name: names.splits.food, amount: priceIn(currency, -58.7), category: 'groceries' },
    { name: names.splits.household, amount: priceIn(currency, -36.2), category: 'home' },
  ] as const
  const id = book(ledger, {
    name: names.payees.hypermarket,
    day: dayOf(ledger, ago, 18),
    amount: sumOf(parts.map(({ amount }) => amount)),
    account: 'everyday',
    category: 'groceries',
  })
  if (id === null) return
  line_items.push(
    ...parts.map(({ name, amount, category }) => ({
      id: newId(),
      transaction_id: id,
      name,
      amount,
      category_id: categoryIds[category],
    })),
  )
}

function bookUnsorted(ledger: Ledger): void {
  for (const { payee, ago, amount } of unsorted)
    book(ledger, {
      name: ledger.names.payees[payee],
      day: addDays(ledger.today, -ago),
      amount: priceIn(ledger.currency, amount),
      account: 'everyday',
    })
}

const accountsOf = (ledger: Ledger): ExampleBooks['accounts'] =>
  (Object.keys(ledger.names.accounts) as AccountName[]).map((account) => ({
    id: ledger.accountIds[account],
    name: ledger.names.accounts[account],
    type: accountKinds[account].type,
    currency: account === 'travel' ? ledger.abroadCurrency : ledger.currency,
    balance: account === 'travel'
      ? accountKinds[account].balance
      : priceIn(ledger.currency, accountKinds[account].balance),
    opened_on: dayOf(ledger, fullMonths, 1),
  }))

const categoriesOf = ({ categoryIds, names, currency }: Ledger): ExampleBooks['categories'] =>
  families.map(({ name, color, kind, parent }) => ({
    id: categoryIds[name],
    name: names.categories[name],
    color,
    kind,
    parent_id: parent === undefined ? null : categoryIds[parent],
    monthly_budget: budgets[name] === undefined ? null : priceIn(currency, budgets[name]),
    budget_currency: currency,
  }))

function subscriptionsOf(ledger: Ledger): ExampleBooks['subscriptions'] {
  const { names, currency, newId, accountIds, categoryIds, recurringIds } = ledger
  const monthly = recurring.map(({ payee, category, account, day, amount }) => ({
    id: recurringIds.get(payee) ?? newId(),
    title: names.payees[payee],
    amount: priceIn(currency, payee === 'salary' ? amount + raise : Math.abs(amount)),
    kind: amount > 0 ? 'income' as const : 'expense' as const,
    period: 'monthly' as const,
    currency,
    category_id: categoryIds[category],
    account_id: accountIds[account],
    starts_on: dayOf(ledger, fullMonths, day),
  }))
  const insurance = {
    id: newId(),
    title: names.payees.insurance,
    amount: priceIn(currency, 164),
    kind: 'expense' as const,
    period: 'yearly' as const,
    currency,
    category_id: categoryIds.home,
    account_id: accountIds.everyday,
    starts_on: dayOf(ledger, -3, 14),
  }
  return [...monthly, insurance]
}

/** Builds the rows of example books. None is after today. */
export function exampleBooks(options: BooksOptions): ExampleBooks {
  const ledger = openLedger(options)
  const next = numbers(20_250)
  for (let ago = fullMonths; ago >= 0; ago -= 1) {
    const cardBefore = spentByCard(ledger, ago + 1)
    bookFixed(ledger, ago)
    bookVarying(ledger, ago, next)
    bookSingle(ledger, ago)
    if (ago === monthsSinceTravel) bookTravel(ledger)
    bookTransfers(ledger, ago, cardBefore)
    // only the recent months have one
    if (ago <= 1) bookSplitPurchase(ledger, ago)
  }
  bookUnsorted(ledger)
  const { transactions, line_items, transaction_tags } = ledger
  return {
    accounts: accountsOf(ledger),
    categories: categoriesOf(ledger),
    tags: [{ id: ledger.tagId, name: ledger.names.tag }],
    subscriptions: subscriptionsOf(ledger),
    transactions,
    line_items,
    transaction_tags,
  }
}
