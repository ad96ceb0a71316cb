/** The ledger of the example books: payments and transfers enter it one by one. */
import type { NewRow } from 'finance-client'
import { decimalsOf, sumOf } from '../../locale/amounts.ts'
import { addDays, addMonths, monthOf } from '../../locale/months.ts'
import type { ExampleNames } from '../../messages/example-names.ts'
import { type AccountName, type CategoryName, type PayeeName, recurring } from './household.ts'

export type BooksOptions = {
  /** The last day of the books. */
  today: string
  currency: string
  names: ExampleNames
  newId: () => string
}

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

/** The rows so far, and the values that several of them share. */
export type Ledger = BooksOptions & {
  /** The currency of the travel card. */
  abroadCurrency: string
  accountIds: Record<AccountName, string>
  categoryIds: Record<CategoryName, string>
  tagId: string
  recurringIds: ReadonlyMap<PayeeName, string>
  transactions: Array<NewRow<'transactions'>>
  line_items: Array<NewRow<'line_items'>>
  transaction_tags: Array<NewRow<'transaction_tags'>>
}

export function openLedger(options: BooksOptions): Ledger {
  const { currency, names, newId } = options
  const idsOf = <Name extends string>(rows: Record<Name, unknown>) =>
    Object.fromEntries(Object.keys(rows).map((name) => [name, newId()])) as Record<Name, string>
  return {
    ...options,
    abroadCurrency: currency === 'usd' ? 'eur' : 'usd',
    accountIds: idsOf(names.accounts),
    categoryIds: idsOf(names.categories),
    tagId: newId(),
    recurringIds: new Map(recurring.map(({ payee }) => [payee, newId()])),
    transactions: [],
    line_items: [],
    transaction_tags: [],
  }
}

/** Converts an amount of the household to the level of the currency. */
export const priceIn = (currency: string, amount: number): number =>
  Number(
    (amount * (priceLevels[currency] ?? 1)).toFixed(Math.min(decimalsOf(currency), 2)),
  )

/** Returns a day of the month that was `ago` months before the current one. */
export const dayOf = ({ today }: Ledger, ago: number, day: number): string =>
  addDays(addMonths(monthOf(today), -ago), day - 1)

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
export function book(
  ledger: Ledger,
  { name, day, amount, account, category = null, transferId = null, recurringId = null }: Entry,
): string | null {
  const { today, currency, abroadCurrency, newId, accountIds, categoryIds, transactions } = ledger
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

type Transfer = {
  name: string
  day: string
  to: AccountName
  amount: number
  /** The amount in the currency of the other account. */
  received?: number
}

/** Moves money from the everyday account to another one. */
export function transfer(
  ledger: Ledger,
  { name, day, to, amount, received = amount }: Transfer,
): void {
  const transferId = ledger.newId()
  book(ledger, { name, day, amount: -amount, account: 'everyday', transferId })
  book(ledger, { name, day, amount: received, account: to, transferId })
}

export const tag = ({ transaction_tags, tagId }: Ledger, id: string | null) =>
  id !== null && transaction_tags.push({ transaction_id: id, tag_id: tagId })

/** Returns the payments by card of a month. */
export function spentByCard(ledger: Ledger, ago: number): number {
  const [from, until] = [dayOf(ledger, ago, 1), dayOf(ledger, ago - 1, 1)]
  const rows = ledger.transactions.filter((row) =>
    row.account_id === ledger.accountIds.card && row.transfer_id === null && dateOf(row) >= from &&
    dateOf(row) < until
  )
  return sumOf(rows.map(({ amount }) => -amount))
}

const dateOf = ({ transaction_date: date = '' }: NewRow<'transactions'>): string => date
