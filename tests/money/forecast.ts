/**
 * Random forecasts: sketches for fast-check, the requests that store them, and a model written from
 * the sentences of docs/data.md and not from the SQL. The model computes with whole cents and day
 * by day.
 */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Caller } from '../support/data.ts'
import { currencies, maybe, record, written, zones } from './books.ts'
import { inUnits } from './budgets.ts'
import { dayIn, plusDays } from './days.ts'
import { converted, type Rate, type Status } from './model.ts'
import { occurrences, type Terms } from './occurrences.ts'

const offset = 12 - new Date().getUTCHours()
/** A time zone in which it is about noon. */
export const noonZone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`
const noonDay = new Date(Date.now() + offset * 3_600_000).toISOString().slice(0, 10)
/** Returns a day relative to today in that time zone. */
export const inDays = (days: number): string => plusDays(noonDay, days)

type Kind = 'expense' | 'income' | 'transfer'
export type Sketch = {
  zone: string
  accounts: { currency: string, balance: number }[]
  /** Days are numbers of days from today. */
  transactions: {
    account: number | undefined
    amount: number
    status: Status
    day: number
    time: string | undefined
  }[]
  subscriptions: {
    kind: Kind
    amount: number
    period: string
    interval: number | undefined
    start: number
    length: number | undefined
    account: number | undefined
    to: number
    isActive: boolean
    /** Records some due days: every n-th, and then changes the transaction. */
    recorded: { every: number, becomes: 'failed' | 'paid' | 'other amount' | undefined } | undefined
  }[]
  whatIf: { account: number, day: number, amount: number }[]
  length: number
  /** The chosen accounts; undefined for all. */
  chosen: number[] | undefined
  convertTo: string | undefined
  rates: { day: number, base: string, quote: string, rate: number }[]
  hub: [number, number, number] | undefined
}

const times = ['00:00:00Z', '23:59:59.999Z', '09:30:00Z', '14:30:00Z'] as const

/** A sketch of books and a question, which shrinks to a few rows. */
export function sketches(): fc.Arbitrary<Sketch> {
  const place = fc.nat({ max: 2 })
  const amount = fc.integer({ min: -20_000, max: 20_000 })
  const rate = fc.integer({ min: 1_000, max: 3_000_000 })
  const currency = fc.constantFrom(...currencies)
  return record<Sketch>({
    zone: fc.constantFrom(...zones),
    accounts: fc.array(record({ currency, balance: amount }), { minLength: 1, maxLength: 3 }),
    transactions: fc.array(
      record({
        account: maybe(place),
        amount,
        status: fc.constantFrom<Status>('paid', 'pending', 'failed'),
        day: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -60, max: 120 })),
        time: maybe(fc.constantFrom(...times)),
      }),
      { maxLength: 8 },
    ),
    subscriptions: fc.array(
      record({
        kind: fc.constantFrom<Kind>('expense', 'income', 'transfer'),
        amount: fc.integer({ min: 1, max: 20_000 }),
        period: fc.constantFrom(
          'monthly',
          'yearly',
          'quarterly',
          'semi-annually',
          'weekly',
          'daily',
        ),
        interval: maybe(fc.integer({ min: 1, max: 90 })),
        start: fc.oneof(fc.integer({ min: -800, max: 60 }), fc.integer({ min: -1, max: 1 })),
        length: fc.option(fc.nat({ max: 900 }), { nil: undefined }),
        account: maybe(place),
        to: place,
        isActive: fc.constantFrom(true, true, true, false),
        recorded: maybe(
          record({
            every: fc.integer({ min: 1, max: 4 }),
            becomes: maybe(fc.constantFrom('failed', 'paid', 'other amount')),
          }),
        ),
      }),
      { maxLength: 4 },
    ),
    whatIf: fc.array(record({ account: place, day: fc.nat({ max: 120 }), amount }), {
      maxLength: 4,
    }),
    length: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 120 })),
    chosen: maybe(fc.uniqueArray(place, { maxLength: 3 })),
    convertTo: maybe(currency),
    rates: fc.array(
      record({ day: fc.constantFrom(-90, 0, 1, 40), base: currency, quote: currency, rate }),
      { maxLength: 4 },
    ),
    hub: maybe(fc.tuple(rate, rate, rate)),
  })
}

type Change = { account: string, day: string, name: string, amount: bigint }
/**
 * The stored books as the model sees them: opening balances, what has happened, and what is
 * expected.
 */
export type Books = {
  accounts: { id: string, currency: string, balance: bigint }[]
  transactions: (Change & { status: Status })[]
  subscriptions: {
    title: string
    kind: Kind
    amount: bigint
    terms: Terms
    account: string | null
    to: string | null
    recorded: Set<string>
  }[]
  whatIf: Change[]
  rates: Rate[]
}

/** Stores a sketch as this caller. @param today the day in the time zone of the sketch */
export async function store(caller: Caller, sketch: Sketch, today: string): Promise<Books> {
  const sent = { prefer: `timezone=${sketch.zone},return=representation` }
  const accounts = sketch.accounts.map(({ currency, balance }) => ({
    id: randomUUID(),
    currency,
    balance: inUnits(balance, currency),
  }))
  await caller.create(
    'accounts',
    accounts.map(({ balance, ...rest }) => ({
      ...rest,
      name: 'Account',
      type: 'checking',
      balance: written(balance),
    })),
  )
  const accountOf = (at: number | undefined) => at === undefined ? undefined : accounts[at]

  const rates = [
    ...sketch.rates,
    ...(sketch.hub ?? []).map((rate, at) => ({
      day: -100,
      base: currencies[at + 1] ?? '',
      quote: 'usd',
      rate,
    })),
  ].flatMap(({ day, base, quote, rate }) =>
    base === quote ? [] : [{ on: plusDays(today, day), base, quote, rate }]
  )
  const unique = [
    ...new Map(rates.map((one) => [`${one.on} ${one.base} ${one.quote}`, one])).values(),
  ]
  if (unique.length > 0)
    await caller.create(
      'exchange_rates',
      unique.map(({ on, rate, ...pair }) => ({ on_date: on, ...pair, rate: rate / 1e6 })),
    )

  const books: Books = {
    accounts,
    transactions: [],
    subscriptions: [],
    whatIf: [],
    rates: unique.map((one) => ({ ...one, rate: BigInt(one.rate) * 1_000_000n })),
  }
  for (const [at, { account, amount, status, day, time }] of sketch.transactions.entries()) {
    const kept = accountOf(account)
    const currency = kept?.currency ?? 'usd'
    const date = `${plusDays(today, day)}${time === undefined ? '' : `T${time}`}`
    const change = {
      day: dayIn(sketch.zone, date),
      name: `Transaction ${at}`,
      amount: inUnits(amount, currency),
      status,
    }
    await caller.create(
      'transactions',
      {
        name: change.name,
        amount: written(change.amount),
        currency,
        status,
        transaction_date: date,
        account_id: kept?.id ?? null,
      },
      sent,
    )
    if (kept !== undefined) books.transactions.push({ ...change, account: kept.id })
  }
  for (const [at, one] of sketch.subscriptions.entries())
    await storeSubscription(caller, sketch, today, books, one, `Subscription ${at}`)
  const until = plusDays(today, sketch.length)
  const chosen = chosenOf(sketch, books)
  books.whatIf = sketch.whatIf.flatMap(({ account, day, amount }, at) => {
    const kept = accountOf(account)
    const on = plusDays(today, day)
    return kept === undefined || !chosen.includes(kept.id) || on > until
      ? []
      : [{
        account: kept.id,
        day: on,
        name: `What if ${at}`,
        amount: inUnits(amount, kept.currency),
      }]
  })
  return books
}

async function storeSubscription(
  caller: Caller,
  sketch: Sketch,
  today: string,
  books: Books,
  one: Sketch['subscriptions'][number],
  title: string,
) {
  const sent = { prefer: `timezone=${sketch.zone},return=representation` }
  const account = one.account === undefined ? undefined : books.accounts[one.account]
  const destination = books.accounts[one.to]
  const isPair = account !== undefined && destination !== undefined && account !== destination &&
    account.currency === destination.currency
  const kind = one.kind === 'transfer' && !isPair ? 'expense' : one.kind
  const to = kind === 'transfer' && destination !== undefined ? destination.id : null
  const currency = account?.currency ?? 'usd'
  const amount = inUnits(one.amount, currency)
  const starts = plusDays(today, one.start)
  const terms: Terms = {
    period: one.period,
    interval_in_days: one.interval ?? null,
    starts_on: starts,
    ends_on: one.length === undefined ? null : plusDays(starts, one.length),
    is_active: true,
  }
  const { id } = await caller.create(
    'subscriptions',
    {
      ...terms,
      title,
      kind,
      amount: written(amount),
      currency,
      account_id: account?.id ?? null,
      to_account_id: to,
    },
    sent,
  )
  const recorded = new Set<string>()
  const due = occurrences(terms, plusDays(today, -10), plusDays(today, 70)).filter((_, place) =>
    place % (one.recorded?.every ?? Infinity) === 0
  ).slice(0, 4)
  for (const day of due) {
    const answer = await caller.post('/rpc/record_subscription', {
      p_subscription_id: id,
      due_on: day,
    }, sent)
    if (answer.status !== 200)
      throw new Error(`record_subscription answered ${answer.status} ${answer.text}`)
    recorded.add(day)
    const becomes = one.recorded?.becomes
    let status: Status = day > today ? 'pending' : 'paid'
    let booked = amount
    if (becomes === 'other amount') booked = amount * 2n
    else if (becomes !== undefined) status = becomes
    const signed = kind === 'income' ? booked : -booked
    if (becomes !== undefined) {
      await caller.patch(
        `/transactions?id=eq.${answer.body.id}`,
        becomes === 'other amount' ? { amount: written(signed) } : { status },
      )
    }
    if (account !== undefined)
      books.transactions.push({ account: account.id, day, name: title, amount: signed, status })
    if (to !== null)
      books.transactions.push({ account: to, day, name: title, amount: booked, status })
  }
  if (!one.isActive) await caller.patch(`/subscriptions?id=eq.${id}`, { is_active: false })
  books.subscriptions.push({
    title,
    kind,
    amount,
    terms: { ...terms, is_active: one.isActive },
    account: account?.id ?? null,
    to,
    recorded,
  })
}

export const chosenOf = ({ chosen }: Sketch, { accounts }: Books): string[] =>
  accounts.filter((_, at) => chosen === undefined || chosen.includes(at)).map(({ id }) => id)

export type Day = {
  account: string | null
  day: string
  currency: string
  balance: bigint
  change: bigint
  reasons: string[]
  isLowest: boolean
  leftOut: number
}

/** The forecast of the model. */
export function forecast(books: Books, sketch: Sketch, today: string): Day[] {
  const until = plusDays(today, sketch.length)
  const changes: Change[] = [
    ...books.transactions.flatMap(({ status, ...change }) =>
      status === 'pending'
        ? [{ ...change, day: change.day < today ? today : change.day }]
        : status === 'paid' && change.day > today
        ? [change]
        : []
    ),
    ...books.subscriptions.flatMap(({ title: name, kind, amount, terms, account, to, recorded }) =>
      occurrences(terms, today, until).filter((day) => !recorded.has(day)).flatMap((day) => [
        ...(account === null
          ? []
          : [{ account, day, name, amount: kind === 'income' ? amount : -amount }]),
        ...(to === null ? [] : [{ account: to, day, name, amount }]),
      ])
    ),
    ...books.whatIf,
  ].filter(({ day }) => day <= until)
  const chosen = books.accounts.filter(({ id }) => chosenOf(sketch, books).includes(id))
  const series = sketch.convertTo === undefined ? chosen.map((account) => [account]) : [chosen]
  return series.filter((accounts) => accounts.length > 0).flatMap((accounts) =>
    daysOf(books, sketch, today, until, accounts, changes)
  )
}

function daysOf(
  books: Books,
  { convertTo }: Sketch,
  today: string,
  until: string,
  accounts: Books['accounts'],
  changes: Change[],
): Day[] {
  const currency = convertTo ?? accounts[0]?.currency ?? ''
  let leftOut = 0
  const valueOf = (amount: bigint, from: string, day: string): bigint | undefined => {
    const value = convertTo === undefined
      ? amount
      : converted(amount, books.rates, from, convertTo, day)
    if (value === undefined) leftOut += 1
    return value
  }
  let balance = accounts.reduce((sum, { id, currency: from, balance: opening }) => {
    const happened = books.transactions.filter(({ account, status, day }) =>
      account === id && status === 'paid' && day <= today
    )
    return sum +
      (valueOf(opening + happened.reduce((all, { amount }) => all + amount, 0n), from, today) ?? 0n)
  }, 0n)
  const found: Day[] = []
  for (let day = today; day <= until; day = plusDays(day, 1)) {
    const ofDay = changes.filter((one) => one.day === day).flatMap(({ account, name, amount }) => {
      const kept = accounts.find(({ id }) => id === account)
      return kept === undefined ? [] : [{ name, amount: valueOf(amount, kept.currency, day) }]
    })
    if (ofDay.length === 0 && day !== today) continue
    const change = ofDay.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n)
    balance += change
    const reasons = ofDay.map(({ name, amount }) => `${name}: ${amount ?? 'no rate'}`).toSorted()
    found.push({
      account: convertTo === undefined ? accounts[0]?.id ?? '' : null,
      day,
      currency,
      balance,
      change,
      reasons,
      isLowest: false,
      leftOut,
    })
  }
  const lowest = found.reduce((least, one) => one.balance < least.balance ? one : least)
  return found.map((one) => ({ ...one, isLowest: one === lowest }))
}
