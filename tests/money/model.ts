/**
 * A model of every report, written from the sentences of docs/data.md and not from the SQL. It computes with whole cents and exact fractions. Pure:
 * no I/O, no clock, no database.
 */
import { dayIn, periodOf, type Unit } from './days.ts'

export type Status = 'paid' | 'pending' | 'failed'
type LineItem = { amount: bigint, category: string | null }
export type Transaction = {
  amount: bigint
  currency: string
  status: Status
  /** A moment in UTC, or a whole day, which is the same day in every time zone. */
  at: string
  category: string | null
  account: string | null
  isTransfer: boolean
  items: LineItem[]
}
/** One `base` is worth `rate` / 10^12 `quote` from that day. */
export type Rate = { on: string, base: string, quote: string, rate: bigint }
export type Account = { id: string, currency: string, balance: bigint }
export type Category = { id: string, monthlyBudget: bigint | null, budgetCurrency: string }
/** A budget of one month. Without a month, of every month without its own row. */
export type Budget = { category: string, month: string | null, startsOn: string | null, amount: bigint, currency: string, rollover: boolean }
/** `present` is the first day of the month in which the rows were stored. */
export type Books = { accounts: Account[], transactions: Transaction[], rates: Rate[], categories: Category[], budgets: Budget[], present: string }

/** The filter of a report. */
export type Filter = {
  first?: string
  last?: string
  currency?: string
  account?: string
  /** Transactions in any of these categories. Null selects those without a category. */
  categories?: (string | null)[]
  statuses?: Status[]
  type?: 'income' | 'expense' | 'balance'
}
export type Question = { zone: string, filter: Filter, convertTo?: string }

/** The part of a transaction in a category. A transaction has several if its line items have different categories. */
export type Part = {
  transaction: Transaction
  day: string
  category: string | null
  currency: string
  amount: bigint
}
export class MissingRate extends Error {}
const unknown = (from: string, to: string, day: string): MissingRate => new MissingRate(`no exchange rate from ${from} to ${to} on or before ${day}`)

export const magnitude = (n: bigint): bigint => n < 0n ? -n : n
/** Rounds a fraction to a whole number, half away from zero. */
export const rounded = (numerator: bigint, denominator: bigint): bigint => {
  const half = (2n * magnitude(numerator) + denominator) / (2n * denominator)
  return numerator < 0n ? -half : half
}

/** The smallest amount of a currency, in hundredths. At most two decimals are stored. */
export const smallest = (currency: string): bigint => currency === 'jpy' ? 100n : 1n

type Conversion = { numerator: bigint, denominator: bigint, on: string }
const parity = 1_000_000_000_000n

/** "Latest of direct and inverse wins, direct when of the same day." */
function direct(rates: Rate[], from: string, to: string, day: string): Conversion | undefined {
  const until = rates.filter(({ on }) => on <= day)
  return [
    ...until.filter(({ base, quote }) => base === from && quote === to).map(({ rate, on }) => ({ numerator: rate, denominator: parity, on, turn: 0 })),
    ...until.filter(({ base, quote }) => base === to && quote === from).map(({ rate, on }) => ({ numerator: parity, denominator: rate, on, turn: 1 })),
  ].toSorted((a, b) => a.on === b.on ? a.turn - b.turn : a.on < b.on ? 1 : -1)[0]
}

/** "Only when there is neither: through one common currency; of several the one whose older leg is youngest, then by code." */
function through(rates: Rate[], from: string, to: string, day: string): Conversion | undefined {
  const codes = [...new Set(rates.flatMap(({ base, quote }) => [base, quote]))].toSorted()
  return codes.flatMap((code): Conversion[] => {
    const [first, second] = [direct(rates, from, code, day), direct(rates, code, to, day)]
    return first === undefined || second === undefined ? [] : [{
      numerator: first.numerator * second.numerator,
      denominator: first.denominator * second.denominator,
      on: first.on < second.on ? first.on : second.on,
    }]
  }).reduce<Conversion | undefined>((best, next) => best === undefined || next.on > best.on ? next : best, undefined)
}

/** @throws MissingRate if the books cannot convert between the currencies on that day */
export function converted(amount: bigint, rates: Rate[], from: string, to: string, day: string): bigint {
  const unit = smallest(to)
  // A part of a month's budget may have more decimals than its currency.
  if (from === to) return rounded(amount, unit) * unit
  const found = direct(rates, from, to, day) ?? through(rates, from, to, day)
  if (found === undefined) throw unknown(from, to, day)
  return rounded(amount * found.numerator, found.denominator * unit) * unit
}

const sum = (all: bigint[]): bigint => all.reduce((before, next) => before + next, 0n)

/** "Each line item with a category moves its part there, in the transaction's sign; the rest stays with the transaction's category." */
function partsOf(transaction: Transaction, question: Question, rates: Rate[]): Part[] {
  const { amount, currency, category, items } = transaction
  const day = dayIn(question.zone, transaction.at)
  const target = question.convertTo ?? currency
  const convert = (cents: bigint): bigint => converted(cents, rates, currency, target, day)
  const sign = amount < 0n ? -1n : 1n
  const moved = new Map<string, bigint>()
  for (const item of items)
    if (item.category !== null && item.category !== category && item.amount !== 0n)
      moved.set(item.category, (moved.get(item.category) ?? 0n) + magnitude(item.amount))
  const selected = question.filter.categories
  // A transaction without a requested part needs no rate.
  if (selected !== undefined && ![category, ...moved.keys()].some((one) => selected.includes(one))) return []
  const rest = magnitude(amount) - sum([...moved.values()])
  const shares = [...moved].toSorted(([a, one], [b, other]) => one === other ? (a < b ? -1 : 1) : one > other ? -1 : 1)
  // "the rest has what rounding leaves; where no rest is left, the largest part has it"
  const first: [string | null, bigint] | undefined = rest > 0n || shares.length === 0 ? [category, rest] : shares.shift()
  const part = (of: string | null, cents: bigint): Part => ({ transaction, day, category: of, currency: target, amount: cents })
  const others = shares.map(([of, cents]) => part(of, convert(sign * cents)))
  return [part(first?.[0] ?? null, convert(amount) - sum(others.map((one) => one.amount))), ...others]
}

/** Returns the parts that count: none of a transfer, and those of a failed transaction only if the filter selects the status. */
export function counted(books: Books, question: Question, isByStatus = false): Part[] {
  const { first, last, currency, account, categories, statuses, type } = question.filter
  return books.transactions.filter((one) => {
    const day = dayIn(question.zone, one.at)
    return !one.isTransfer
      && (statuses === undefined ? isByStatus || one.status !== 'failed' : statuses.includes(one.status))
      && (first === undefined || day >= first) && (last === undefined || day <= last)
      && (currency === undefined || one.currency === currency)
      && (account === undefined || one.account === account)
      && (type === 'income' ? one.amount > 0n : type === 'expense' ? one.amount < 0n : true)
  }).flatMap((one) => partsOf(one, question, books.rates)).filter((part) => categories === undefined || categories.includes(part.category))
}

export type Group = { key: string | null, currency: string, amount: bigint, count: bigint }

/** Parts by a key and by currency. "`count` and `avg` are of transactions": each counts once in a group, however many of its parts are there. */
export function grouped(parts: Part[], keyOf: (part: Part) => string | null): Group[] {
  const groups = new Map<string, { key: string | null, currency: string, amount: bigint, transactions: Set<Transaction> }>()
  for (const part of parts) {
    const key = keyOf(part)
    const name = JSON.stringify([key, part.currency])
    const group = groups.get(name) ?? { key, currency: part.currency, amount: 0n, transactions: new Set() }
    groups.set(name, group)
    group.amount += part.amount
    group.transactions.add(part.transaction)
  }
  return [...groups.values()].map(({ transactions, ...group }) => ({ ...group, count: BigInt(transactions.size) }))
}

export type Fn = 'sum' | 'avg' | 'count'
/** A sum in hundredths, or a count. "An average has the decimals of its currency." */
export function measured({ currency, amount, count }: Omit<Group, 'key'>, fn: Fn): bigint {
  if (fn !== 'avg') return fn === 'sum' ? amount : count
  const unit = smallest(currency)
  return rounded(amount, count * unit) * unit
}

/** One number, or the currencies that cannot be added up. */
export function stat(books: Books, question: Question, fn: Fn): bigint | string[] {
  const parts = counted(books, fn === 'count' ? { zone: question.zone, filter: question.filter } : question)
  const groups = grouped(parts, () => null)
  if (fn !== 'count' && groups.length > 1) return groups.map(({ currency }) => currency).toSorted()
  return sum(groups.map((group) => measured(group, fn)))
}

export type Grouping = Unit | 'category' | 'status' | 'currency'
export function aggregate(books: Books, question: Question, grouping: Grouping): Group[] {
  const parts = counted(books, question, grouping === 'status')
  return grouped(parts, (part) => {
    if (grouping === 'category') return part.category
    if (grouping === 'status') return part.transaction.status
    return grouping === 'currency' ? part.transaction.currency : periodOf(part.day, grouping)
  })
}

export const distribution = (books: Books, question: Question): Group[] => grouped(counted(books, question), ({ category }) => category)

export type Flow = { income: bigint, expenses: bigint }
/** Income and expenses by currency and period, with the key `currency period`. */
export function cashFlow(books: Books, question: Question, unit: Unit): Map<string, Flow> {
  const flows = new Map<string, Flow>()
  for (const { transaction, day, currency, amount } of counted(books, question)) {
    const name = `${currency} ${periodOf(day, unit)}`
    const flow = flows.get(name) ?? { income: 0n, expenses: 0n }
    flows.set(name, flow)
    if (transaction.amount > 0n) flow.income += amount
    else flow.expenses -= amount
  }
  return flows
}

/** "The opening balance and all paid transactions of the account, transfers included." */
export const currentBalance = ({ transactions }: Books, account: Account): bigint =>
  account.balance + sum(transactions.filter((one) => one.account === account.id && one.status === 'paid').map(({ amount }) => amount))
