/** Anybody's books as plain data: what fast-check makes, and what a caller of the data surface sends to have them. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Caller } from '../support/data.ts'
import { inUnits } from './budgets.ts'
import { plusDays, plusMonths } from './days.ts'
import {
  magnitude,
  type Account,
  type Books,
  type Budget,
  type Category,
  type Filter,
  type Question,
  type Rate,
  type Status,
  type Transaction,
} from './model.ts'

const currencies = ['usd', 'eur', 'jpy', 'chf'] as const
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']
/** Moments at which a day begins or ends somewhere. */
const times = ['00:00:00Z', '23:59:59.999Z', '00:30:00Z', '23:30:00Z', '04:59:59Z', '05:00:00Z', '10:00:00Z', '18:15:00Z', '12:00:00Z']

const record = <Fields>(fields: { [Key in keyof Fields]: fc.Arbitrary<Fields[Key]> }) => fc.record(fields, { noNullPrototype: true })
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const currency = fc.constantFrom(...currencies)

/** Days of the four years before this one, of which one is a leap year; mostly where months and years meet. */
const day = (year: number): fc.Arbitrary<string> => {
  const first = `${year - 4}-01-01`
  const edges = Array.from({ length: 48 }, (_, month) => plusMonths(first, month)).flatMap((begin) => [begin, plusDays(begin, -1)]).slice(2)
  return fc.oneof(fc.constantFrom(...edges), fc.nat({ max: 4 * 365 }).map((days) => plusDays(first, days)))
}
const rateDays = (year: number): string[] => [`${year - 4}-01-01`, `${year - 3}-03-01`, `${year - 2}-12-31`]
const status = fc.constantFrom<Status>('paid', 'paid', 'paid', 'pending', 'failed')

export type Sketch = {
  accounts: { currency: string, balance: number }[]
  transactions: {
    amount: number
    currency: string
    status: Status
    day: string
    /** None where the sender gave a whole day, as a bank does. */
    time: string | undefined
    category: number | undefined
    account: number | undefined
    items: { percent: number, category: number | undefined, isNegative: boolean }[]
  }[]
  transfers: { from: number, to: number, amount: number, toAmount: number, day: string, time: string | undefined, status: Status }[]
  /** Where they were sent. */
  zone: string
  categories: { monthlyBudget: number | undefined, currency: string }[]
  budgets: { category: number, month: number | undefined, start: number | undefined, amount: number, currency: string, rollover: boolean }[]
  /** Of each other currency in dollars from the first day on, so that there is a way between any two. */
  hub: [number, number, number] | undefined
  /** Where there is an inverse, it is of the same day and says something else. */
  rates: { on: string, base: string, quote: string, rate: number, inverse: number | undefined }[]
  questions: {
    zone: string
    range: [string, string] | undefined
    currency: string | undefined
    account: number | undefined
    /** None of them is those of no category. */
    categories: number[] | undefined
    statuses: Status[] | undefined
    type: 'income' | 'expense' | 'balance'
    convertTo: string | undefined
  }[]
}

/** A sketch, which shrinks to the few rows and questions that tell. @param year the present one, of which nothing is used */
export function sketches(year: number): fc.Arbitrary<Sketch> {
  const when = { day: day(year), time: fc.option(fc.constantFrom(...times), { nil: undefined, freq: 1 }) }
  const amount = fc.integer({ min: -20_000, max: 20_000 })
  const place = fc.nat({ max: 2 })
  const rate = fc.integer({ min: 1_000, max: 3_000_000 })
  return record<Sketch>({
    zone: fc.constantFrom(...zones),
    accounts: fc.array(record({ currency, balance: amount }), { minLength: 1, maxLength: 3 }),
    transactions: fc.array(
      record({
        ...when,
        amount,
        currency,
        status,
        category: maybe(place),
        account: maybe(place),
        items: fc.array(record({ percent: fc.constantFrom(0, 1, 33, 50, 100), category: maybe(place), isNegative: fc.boolean() }), { maxLength: 3 }),
      }),
      { maxLength: 14 },
    ),
    transfers: fc.array(
      record({ ...when, from: place, to: place, amount: fc.integer({ min: 1, max: 20_000 }), toAmount: fc.integer({ min: 1, max: 20_000 }), status }),
      { maxLength: 3 },
    ),
    categories: fc.array(record({ monthlyBudget: maybe(fc.nat({ max: 20_000 })), currency }), { minLength: 3, maxLength: 3 }),
    budgets: fc.uniqueArray(
      record({
        category: place,
        month: maybe(fc.nat({ max: 47 })),
        start: maybe(fc.nat({ max: 47 })),
        amount: fc.nat({ max: 20_000 }),
        currency,
        rollover: fc.boolean(),
      }),
      { maxLength: 8, selector: ({ category, month, currency: code }) => `${category} ${month} ${code}` },
    ),
    hub: maybe(fc.tuple(rate, rate, rate)),
    // few days, so that rates of one day meet
    rates: fc.array(record({ on: fc.constantFrom(...rateDays(year)), base: currency, quote: currency, rate, inverse: maybe(rate) }), { maxLength: 8 }),
    questions: fc.array(
      record({
        zone: fc.constantFrom(...zones),
        range: maybe(fc.tuple(day(year), day(year)).map(([a, b]): [string, string] => a <= b ? [a, b] : [b, a])),
        currency: maybe(currency),
        account: maybe(place),
        categories: maybe(fc.uniqueArray(place, { maxLength: 3 })),
        statuses: maybe(fc.uniqueArray(fc.constantFrom<Status>('paid', 'pending', 'failed'), { minLength: 1, maxLength: 2 })),
        type: fc.constantFrom('balance', 'income', 'expense'),
        convertTo: fc.option(currency, { nil: undefined, freq: 3 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  })
}

const momentOf = ({ day: on, time }: { day: string, time: string | undefined }): string => time === undefined ? on : `${on}T${time}`

/** Hundredths as they are sent. */
const written = (cents: bigint): string => `${cents < 0n ? '-' : ''}${magnitude(cents) / 100n}.${String(magnitude(cents) % 100n).padStart(2, '0')}`
/** An amount that was answered, in hundredths. */
export const cents = (value: unknown): bigint => BigInt(Math.round(Number(value) * 100))

/** The rates of a sketch, one of a pair and day. */
function ratesOf({ hub, rates }: Sketch, year: number): Rate[] {
  const first = `${year - 4}-01-01`
  const all = [
    ...rates.flatMap(({ on, base, quote, rate, inverse }) => [
      { on, base, quote, rate },
      ...(inverse === undefined ? [] : [{ on, base: quote, quote: base, rate: inverse }]),
    ]),
    // the day before, because it is another day elsewhere
    ...(hub ?? []).map((rate, at) => ({ on: plusDays(first, -1), base: currencies[at + 1] ?? '', quote: 'usd', rate })),
  ].filter(({ base, quote }) => base !== quote)
  const one = new Map(all.map((each) => [`${each.on} ${each.base} ${each.quote}`, each]))
  return [...one.values()].map((each) => ({ ...each, rate: BigInt(each.rate) * 1_000_000n }))
}

/** Stores what is sketched as this caller, by the requests a front-end would send. @returns the books, and the ids of three categories */
export async function store(caller: Caller, sketch: Sketch, year: number): Promise<{ books: Books, categories: string[] }> {
  const sent = { prefer: `timezone=${sketch.zone},return=representation` }
  const budgeted = sketch.categories.map(({ monthlyBudget, currency: code }): Category => ({
    id: randomUUID(),
    monthlyBudget: monthlyBudget === undefined ? null : inUnits(monthlyBudget, code),
    budgetCurrency: code,
  }))
  const categories = budgeted.map(({ id }) => id)
  await caller.create(
    'categories',
    budgeted.map(({ id, monthlyBudget, budgetCurrency }, at) => ({
      id,
      name: `Category ${at}`,
      monthly_budget: monthlyBudget === null ? null : written(monthlyBudget),
      budget_currency: budgetCurrency,
    })),
  )
  const monthOf = (at: number | undefined) => at === undefined ? null : plusMonths(`${year - 4}-01-01`, at)
  const budgets = sketch.budgets.map(({ category, month, start, amount, currency: code, rollover }): Budget => ({
    category: categories[category] ?? '',
    month: monthOf(month),
    startsOn: month === undefined ? monthOf(start) : null,
    amount: inUnits(amount, code),
    currency: code,
    rollover,
  }))
  if (budgets.length > 0)
    await caller.create(
      'budgets',
      budgets.map(({ category, startsOn, amount, ...rest }) => ({ ...rest, category_id: category, starts_on: startsOn, amount: written(amount) })),
    )
  const accounts = sketch.accounts.map((one): Account => ({ id: randomUUID(), currency: one.currency, balance: inUnits(one.balance, one.currency) }))
  await caller.create('accounts', accounts.map(({ balance, ...rest }) => ({ ...rest, name: 'Account', type: 'checking', balance: written(balance) })))
  const rates = ratesOf(sketch, year)
  if (rates.length > 0)
    await caller.create('exchange_rates', rates.map(({ on, base, quote, rate }) => ({ on_date: on, base, quote, rate: Number(rate / 1_000_000n) / 1e6 })))

  const plain = sketch.transactions.map((one) => {
    const account = one.account === undefined ? undefined : accounts[one.account]
    const code = account?.currency ?? one.currency
    const amount = inUnits(one.amount, code)
    let left = magnitude(amount) / inUnits(1, code)
    const transaction: Transaction = {
      amount,
      currency: code,
      status: one.status,
      at: momentOf(one),
      category: one.category === undefined ? null : categories[one.category] ?? null,
      account: account?.id ?? null,
      isTransfer: false,
      items: one.items.map(({ percent, category, isNegative }) => {
        const part = left * BigInt(percent) / 100n
        left -= part
        return { amount: part * inUnits(1, code) * (isNegative ? -1n : 1n), category: category === undefined ? null : categories[category] ?? null }
      }),
    }
    return { id: randomUUID(), transaction }
  })
  if (plain.length > 0)
    await caller.create(
      'transactions',
      plain.map(({ id, transaction: { amount, currency: code, status: state, at, category, account } }) => ({
        id,
        name: 'Transaction',
        amount: written(amount),
        currency: code,
        status: state,
        transaction_date: at,
        category_id: category,
        account_id: account,
      })),
      sent,
    )
  const items = plain.flatMap(({ id, transaction }) =>
    transaction.items.map((item) => ({ transaction_id: id, name: 'Item', amount: written(item.amount), category_id: item.category }))
  )
  if (items.length > 0) await caller.create('line_items', items)

  const halves: Transaction[] = []
  for (const { from, to, amount, toAmount, status: state, ...when } of sketch.transfers) {
    const [origin, destination] = [accounts[from], accounts[to]]
    if (origin === undefined || destination === undefined || origin === destination) continue
    const out = inUnits(amount, origin.currency)
    const into = origin.currency === destination.currency ? out : inUnits(toAmount, destination.currency)
    const answer = await caller.post('/rpc/create_transfer', {
      from_account_id: origin.id,
      to_account_id: destination.id,
      amount: written(out),
      transfer_date: momentOf(when),
      ...(origin.currency === destination.currency ? {} : { to_amount: written(into) }),
    }, sent)
    if (answer.status !== 200) throw new Error(`create_transfer answered ${answer.status} ${answer.text}`)
    // of one half, and so of both
    if (state !== 'paid') await caller.patch(`/transactions?id=eq.${answer.body[0].id}`, { status: state })
    const half = { status: state, at: momentOf(when), category: null, isTransfer: true, items: [] }
    halves.push({ ...half, amount: -out, currency: origin.currency, account: origin.id })
    halves.push({ ...half, amount: into, currency: destination.currency, account: destination.id })
  }
  return {
    // nothing of the books is of this year, so any of its months will do
    books: {
      accounts,
      transactions: [...plain.map(({ transaction }) => transaction), ...halves],
      rates,
      categories: budgeted,
      budgets,
      present: `${year}-01-01`,
    },
    categories,
  }
}

/** A question of a sketch, about the accounts and categories that there are. */
export function questionOf(sketch: Sketch['questions'][number], { accounts }: Books, categories: string[]): Question {
  const account = sketch.account === undefined ? undefined : accounts[sketch.account]?.id
  const filter: Filter = {
    type: sketch.type,
    ...(sketch.range === undefined ? {} : { first: sketch.range[0], last: sketch.range[1] }),
    ...(sketch.currency === undefined ? {} : { currency: sketch.currency }),
    ...(account === undefined ? {} : { account }),
    ...(sketch.categories === undefined ? {} : { categories: sketch.categories.length === 0 ? [null] : sketch.categories.map((at) => categories[at] ?? null) }),
    ...(sketch.statuses === undefined ? {} : { statuses: sketch.statuses }),
  }
  return { zone: sketch.zone, filter, ...(sketch.convertTo === undefined ? {} : { convertTo: sketch.convertTo }) }
}
