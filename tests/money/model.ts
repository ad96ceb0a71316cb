/**
 * A model of every report, written from the sentences of docs/data.md and not from the SQL. It
 * computes with whole cents and exact fractions. Pure: no I/O, no clock, no database.
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
  /** The same in both halves of a transfer. */
  transfer: string | null
  payee: string
  tags: string[]
  items: LineItem[]
}
/** One `base` is worth `rate` / 10^12 `quote` from that day. */
export type Rate = { on: string, base: string, quote: string, rate: bigint }
/**
 * The account is listed from `openedOn`, when its balance begins, until the day before `closedOn`.
 */
export type Account = {
  id: string
  currency: string
  balance: bigint
  openedOn: string | null
  closedOn: string | null
}
export type Kind = 'income' | 'expense'
export type Category = {
  id: string
  kind: Kind
  parent: string | null
  monthlyBudget: bigint | null
  budgetCurrency: string
}
/** A budget of one month. Without a month, of every month without its own row. */
export type Budget = {
  category: string
  month: string | null
  startsOn: string | null
  amount: bigint
  currency: string
  rollover: boolean
}
/** `present` is the first day of the month in which the rows were stored. */
export type Books = {
  accounts: Account[]
  transactions: Transaction[]
  rates: Rate[]
  categories: Category[]
  budgets: Budget[]
  present: string
}

/** The filter of a report. */
export type Filter = {
  first?: string
  last?: string
  currency?: string
  /** Only these accounts. */
  accounts?: string[]
  /** Transactions in any of these categories. Null selects those without a category. */
  categories?: (string | null)[]
  statuses?: Status[]
  type?: Kind | 'balance'
}
export type Question = { zone: string, filter: Filter, convertTo?: string }

/**
 * The part of a transaction in a category. A transaction has several if its line items have
 * different categories.
 */
export type Part = {
  transaction: Transaction
  day: string
  category: string | null
  currency: string
  /** 0 if it is left out. */
  amount: bigint
  /** The amount whose sign decides the side of a part without a category. */
  signed: bigint
  isLeftOut: boolean
}

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
    ...until.filter(({ base, quote }) => base === from && quote === to).map(({ rate, on }) => ({
      numerator: rate,
      denominator: parity,
      on,
      turn: 0,
    })),
    ...until.filter(({ base, quote }) => base === to && quote === from).map(({ rate, on }) => ({
      numerator: parity,
      denominator: rate,
      on,
      turn: 1,
    })),
  ].toSorted((a, b) => a.on === b.on ? a.turn - b.turn : a.on < b.on ? 1 : -1)[0]
}

/**
 * "Only when there is neither: through one common currency; of several the one whose older leg is
 * youngest, then by code."
 */
function through(rates: Rate[], from: string, to: string, day: string): Conversion | undefined {
  const codes = [...new Set(rates.flatMap(({ base, quote }) => [base, quote]))].toSorted()
  return codes.flatMap((code): Conversion[] => {
    const [first, second] = [direct(rates, from, code, day), direct(rates, code, to, day)]
    return first === undefined || second === undefined ? [] : [{
      numerator: first.numerator * second.numerator,
      denominator: first.denominator * second.denominator,
      on: first.on < second.on ? first.on : second.on,
    }]
  }).reduce<Conversion | undefined>(
    (best, next) => best === undefined || next.on > best.on ? next : best,
    undefined,
  )
}

/** Returns undefined if the books cannot convert between the currencies on that day. */
export function converted(
  amount: bigint,
  rates: Rate[],
  from: string,
  to: string,
  day: string,
): bigint | undefined {
  const unit = smallest(to)
  // A part of a month's budget may have more decimals than its currency.
  if (from === to) return rounded(amount, unit) * unit
  const found = direct(rates, from, to, day) ?? through(rates, from, to, day)
  return found === undefined
    ? undefined
    : rounded(amount * found.numerator, found.denominator * unit) * unit
}

const sum = (all: bigint[]): bigint => all.reduce((before, next) => before + next, 0n)

/**
 * "Each line item with a category moves its amount there, with its sign; the rest stays with the
 * transaction's category."
 */
function partsOf(transaction: Transaction, question: Question, rates: Rate[]): Part[] {
  const { amount, currency, category, items } = transaction
  const day = dayIn(question.zone, transaction.at)
  const target = question.convertTo ?? currency
  const convert = (cents: bigint): bigint => converted(cents, rates, currency, target, day) ?? 0n
  const isLeftOut = converted(amount, rates, currency, target, day) === undefined
  const moved = new Map<string, bigint>()
  for (const item of items)
    if (item.category !== null && item.category !== category)
      moved.set(item.category, (moved.get(item.category) ?? 0n) + item.amount)
  const rest = amount - sum([...moved.values()])
  // "a category whose items add up to 0 has no part"
  const shares = [...moved].filter(([, cents]) => cents !== 0n).map(([of, cents]) => ({
    of,
    cents,
    size: magnitude(cents),
  }))
    .toSorted((one, other) =>
      one.size === other.size ? (one.of < other.of ? -1 : 1) : one.size > other.size ? -1 : 1
    )
  // "the rest has what rounding leaves; where no rest is left, the largest part has it"
  const first = rest !== 0n || shares.length === 0 ? { of: category } : shares.shift()
  // "of a transaction of 0, the sign of what stays"
  const signed = amount === 0n ? rest : amount
  const part = (of: string | null, cents: bigint): Part => ({
    transaction,
    day,
    category: of,
    currency: target,
    amount: cents,
    signed,
    isLeftOut,
  })
  const others = shares.map(({ of, cents }) => part(of, convert(cents)))
  return [
    part(first?.of ?? null, convert(amount) - sum(others.map((one) => one.amount))),
    ...others,
  ]
}

/**
 * "The kind of its category decides on which side an amount stands; without a category the sign of
 * the transaction."
 */
function sideOf({ categories }: Books, { signed, category }: Part): Kind | undefined {
  const found = categories.find(({ id }) => id === category)
  if (found !== undefined) return found.kind
  return signed === 0n ? undefined : signed > 0n ? 'income' : 'expense'
}

type By = { status?: boolean, account?: boolean }

/**
 * "A transfer counts only in a report by account: its half is money in or out of the account. A
 * transfer between two of the selected accounts does not count, unless each account is a group."
 */
function countsAsTransfer(
  { transactions }: Books,
  { transfer }: Transaction,
  accounts: string[] | undefined,
  by: By,
): boolean {
  if (transfer === null || by.account === true) return true
  if (accounts === undefined) return false
  return transactions.filter((half) =>
    half.transfer === transfer && half.account !== null && accounts.includes(half.account)
  ).length === 1
}

/**
 * Returns the parts that count. Those of a failed transaction count only if the filter selects the
 * status, or if each status is a group.
 */
export function counted(books: Books, question: Question, by: By = {}): Part[] {
  const { first, last, currency, accounts, categories, statuses, type } = question.filter
  return books.transactions.filter((one) => {
    const day = dayIn(question.zone, one.at)
    return countsAsTransfer(books, one, accounts, by)
      && (statuses === undefined
        ? by.status === true || one.status !== 'failed'
        : statuses.includes(one.status))
      && (first === undefined || day >= first) && (last === undefined || day <= last)
      && (currency === undefined || one.currency === currency)
      && (accounts === undefined || one.account !== null && accounts.includes(one.account))
  }).flatMap((one) => partsOf(one, question, books.rates)).filter((part) =>
    (categories === undefined || categories.includes(part.category))
    && (type === undefined || type === 'balance' || sideOf(books, part) === type)
  )
}

export type Group = {
  key: string | null
  currency: string
  amount: bigint
  pending: bigint
  count: bigint
  pendingCount: bigint
  leftOut: bigint
}

/**
 * Parts by a key and by currency. "`count` and `avg` are of transactions": each counts once in a
 * group, however many of its parts are there. A part with several keys counts in each.
 */
export function grouped(parts: Part[], keysOf: (part: Part) => (string | null)[]): Group[] {
  const groups = new Map<string, { key: string | null, currency: string, parts: Part[] }>()
  for (const part of parts)
    for (const key of keysOf(part)) {
      const name = JSON.stringify([key, part.currency])
      const group = groups.get(name) ?? { key, currency: part.currency, parts: [] }
      groups.set(name, group)
      group.parts.push(part)
    }
  const add = (all: Part[]): bigint => sum(all.map(({ amount }) => amount))
  const count = (all: Part[]): bigint =>
    BigInt(new Set(all.map(({ transaction }) => transaction)).size)
  return [...groups.values()].map(({ key, currency, parts: all }) => {
    const pending = all.filter(({ transaction }) => transaction.status === 'pending')
    const leftOut = count(all.filter((part) => part.isLeftOut))
    return {
      key,
      currency,
      amount: add(all),
      pending: add(pending),
      count: count(all),
      pendingCount: count(pending),
      leftOut,
    }
  })
}

export type Fn = 'sum' | 'avg' | 'count'
/**
 * A sum in hundredths, or a count. "An average has the decimals of its currency." It is 0 if every
 * transaction is left out.
 */
export function measured({ currency, amount, count, leftOut }: Group, fn: Fn): bigint {
  if (fn !== 'avg') return fn === 'sum' ? amount : count
  const unit = smallest(currency)
  return count === leftOut ? 0n : rounded(amount, (count - leftOut) * unit) * unit
}

/**
 * One number and how many transactions it leaves out, or the currencies that cannot be added up.
 */
export function stat(
  books: Books,
  question: Question,
  fn: Fn,
): { figure: bigint, leftOut: bigint } | string[] {
  const parts = counted(
    books,
    fn === 'count' ? { zone: question.zone, filter: question.filter } : question,
  )
  const groups = grouped(parts, () => [null])
  if (fn !== 'count' && groups.length > 1) return groups.map(({ currency }) => currency).toSorted()
  return {
    figure: sum(groups.map((group) => measured(group, fn))),
    leftOut: sum(groups.map(({ leftOut }) => leftOut)),
  }
}

export type Grouping =
  | Unit
  | 'category'
  | 'parent'
  | 'tag'
  | 'account'
  | 'payee'
  | 'status'
  | 'currency'
/** "The parent of a category, or the category itself if it has none." */
const topOf = ({ categories }: Books, category: string | null): string | null =>
  categories.find(({ id }) => id === category)?.parent ?? category

export function aggregate(books: Books, question: Question, grouping: Grouping): Group[] {
  const parts = counted(books, question, {
    status: grouping === 'status',
    account: grouping === 'account',
  })
  return grouped(parts, ({ transaction, category, day }) => {
    if (grouping === 'tag') return transaction.tags.length === 0 ? [null] : transaction.tags
    const keys = {
      category,
      parent: topOf(books, category),
      account: transaction.account,
      payee: transaction.payee,
      status: transaction.status,
      currency: transaction.currency,
    }
    return [
      grouping in keys ? keys[grouping as keyof typeof keys] : periodOf(day, grouping as Unit),
    ]
  })
}

export const distribution = (books: Books, question: Question, isByParent: boolean): Group[] =>
  grouped(
    counted(books, question),
    ({ category }) => [isByParent ? topOf(books, category) : category],
  )

export type Flow = { income: bigint, expenses: bigint, pending: bigint, leftOut: bigint }
/** Income and expenses by currency and period, with the key `currency period`. */
export function cashFlow(books: Books, question: Question, unit: Unit): Map<string, Flow> {
  const parts = counted(books, question)
  const byPeriod = grouped(parts, ({ day }) => [periodOf(day, unit)])
  return new Map(byPeriod.map(({ key, currency, pending, leftOut }) => {
    const ofPeriod = parts.filter((part) =>
      part.currency === currency && periodOf(part.day, unit) === key
    )
    const income = sum(
      ofPeriod.filter((part) => sideOf(books, part) === 'income').map(({ amount }) => amount),
    )
    const expenses = -sum(
      ofPeriod.filter((part) => sideOf(books, part) === 'expense').map(({ amount }) => amount),
    )
    return [`${currency} ${key}`, { income, expenses, pending, leftOut }]
  }))
}

export type Missing = { currency: string, day: string, transactions: bigint }
/** "One row a currency: the first day without a rate, and the number of transactions." */
export function missingRates(books: Books, question: Question): Missing[] {
  const parts = counted(books, question).filter(({ isLeftOut }) => isLeftOut)
  return [...new Set(parts.map(({ transaction }) => transaction.currency))].map((currency) => {
    const ofCurrency = parts.filter(({ transaction }) => transaction.currency === currency)
    const days = ofCurrency.map(({ day }) => day).toSorted()
    return {
      currency,
      day: days[0] ?? '',
      transactions: BigInt(new Set(ofCurrency.map(({ transaction }) => transaction)).size),
    }
  })
}

/**
 * "The opening `balance`, from `opened_on` on, plus all paid transactions dated up to that day,
 * including transfers."
 */
export const balanceOn = (
  { transactions }: Books,
  { id, balance, openedOn }: Account,
  zone: string,
  day: string,
): bigint =>
  (openedOn === null || openedOn <= day ? balance : 0n)
  + sum(
    transactions.filter((one) =>
      one.account === id && one.status === 'paid' && dayIn(zone, one.at) <= day
    ).map(({ amount }) => amount),
  )

export type Balance = { account: string, currency: string, amount: bigint }
/**
 * "An account is listed from `opened_on` until the day before `closed_on`; before and after, only
 * if its balance is not 0."
 */
export function balances(books: Books, zone: string, day: string, convertTo?: string): Balance[] {
  return books.accounts.flatMap((account) => {
    const { id, currency, openedOn, closedOn } = account
    const amount = balanceOn(books, account, zone, day)
    if (
      amount === 0n && (openedOn !== null && openedOn > day || closedOn !== null && closedOn <= day)
    ) return []
    if (convertTo === undefined || amount === 0n)
      return [{ account: id, currency: convertTo ?? currency, amount }]
    const found = converted(amount, books.rates, currency, convertTo, day)
    return [
      found === undefined
        ? { account: id, currency, amount }
        : { account: id, currency: convertTo, amount: found },
    ]
  })
}

export type Worth = { assets: bigint, liabilities: bigint }
/**
 * Assets and liabilities by currency: "the sum of the balances above 0", "the sum of those below 0,
 * as a positive number".
 */
export function worthOf(rows: Balance[]): Map<string, Worth> {
  const worth = new Map<string, Worth>()
  for (const { currency, amount } of rows) {
    const { assets, liabilities } = worth.get(currency) ?? { assets: 0n, liabilities: 0n }
    worth.set(
      currency,
      amount > 0n
        ? { assets: assets + amount, liabilities }
        : { assets, liabilities: liabilities - amount },
    )
  }
  return worth
}
