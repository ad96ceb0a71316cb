/**
 * Filters against a model without SQL: random filters over random rows, through PostgREST. The page
 * must have the model's rows in the model's order, and the report must count the same number.
 * `FILTERS=5000` sets the number of cases.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

const seed = 20_251
const runs = Number(process.env['FILTERS'] ?? 200)

type Row = {
  id: string
  cents: number
  moment: number
  tenant: 'own' | 'team' | 'other'
  texts: Record<string, string | null>
  tags: string[]
}
type Filter = { field: string, operation: string, value?: unknown }

// Moments around midnight in three zones, and around the days on which clocks change.

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata']
const days = ['2024-12-31', '2025-01-01', '2025-03-09', '2025-03-30', '2025-03-31', '2025-10-26']
const dayInMs = 86_400_000

/** Returns the UTC offset of a zone at a moment, in milliseconds. */
function ahead(zone: string, moment: number): number {
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
      .formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - moment
}
/**
 * Returns the moment at which clocks in a zone show this time. Times that a clock change skips do
 * not occur here.
 */
function local(zone: string, clock: string): number {
  const asUtc = Date.parse(`${clock}Z`)
  const guess = asUtc - ahead(zone, asUtc)
  return asUtc - ahead(zone, guess)
}
const midnight = (zone: string, day: string) => local(zone, `${day}T00:00:00`)
const dayAfter = (day: string) => new Date(Date.parse(day) + dayInMs).toISOString().slice(0, 10)
const borders = zones.flatMap((zone) =>
  days.flatMap((day) => [midnight(zone, day), midnight(zone, dayAfter(day))])
)

const moment = fc.tuple(fc.constantFrom(...borders), fc.constantFrom(-1, 0, 0, 1, 3_600_000))
  .map(([border, shift]) => border + shift)
const iso = (at: number) => new Date(at).toISOString()
/**
 * A date or date-time as a client writes it, with its meaning in a zone: its moment, and the end of
 * the named day.
 */
const dateValue = fc.oneof(
  fc.constantFrom(...days).map((text) => ({
    text,
    at: (zone: string) => midnight(zone, text),
    end: (zone: string) => midnight(zone, dayAfter(text)) - 1,
  })),
  moment.map((at) => ({ text: iso(at), at: () => at, end: () => at })),
  moment.map((at) => ({
    text: iso(at + 19_800_000).replace('Z', '+05:30'),
    at: () => at,
    end: () => at,
  })),
  fc.constantFrom(...days).map((day) => ({
    text: `${day} 12:30`,
    at: (zone: string) => local(zone, `${day}T12:30:00`),
    end: (zone: string) => local(zone, `${day}T12:30:00`),
  })),
)

// Texts of letters in both cases, and of characters with a meaning in patterns and quoting.

const alphabet = ['a', 'A', 'b', 'B', '%', '_', '\\', '*', "'", '"', ',', '{', ' ', '😀']
const word = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 4 })
const pattern = fc.string({ unit: fc.constantFrom(...alphabet, '*', '%', '_'), maxLength: 5 })
  .filter((text) => !text.endsWith('\\'))

/**
 * Returns true if a text matches a LIKE pattern: % and * match any characters, _ matches one, and a
 * backslash escapes the next.
 */
function isLike(value: string[], [first, ...rest]: string[]): boolean {
  if (first === undefined) return value.length === 0
  if (first === '%' || first === '*')
    return isLike(value, rest) || (value.length > 0 && isLike(value.slice(1), [first, ...rest]))
  // The asterisk becomes a percent sign before backslashes are interpreted.
  const plain = first === '\\' ? rest[0]?.replace('*', '%') : first
  return value[0] !== undefined && (first === '_' || value[0] === plain) &&
    isLike(value.slice(1), first === '\\' ? rest.slice(1) : rest)
}

const nullable = [
  'description',
  'reference_no',
  'external_id',
  'category_id',
  'account_id',
  'organization_id',
]
const textFields = [
  'name',
  'description',
  'reference_no',
  'status',
  'source',
  'currency',
  'user_id',
  'organization_id',
  'external_id',
]
const idFields = ['id', 'category_id', 'account_id']
const labels = ['a', 'A', 'b%']
const ids = Array.from(
  { length: 90 },
  (_, at) =>
    `${(at * 7919 % 97).toString(16).padStart(8, '0')}-aaaa-4aaa-8aaa-${
      at.toString(16).padStart(12, '0')
    }`,
)
const row = (id: string): fc.Arbitrary<Row> =>
  fc.record({
    id: fc.constant(id),
    cents: fc.oneof(
      fc.integer({ min: -300, max: 300 }),
      fc.constantFrom(0, 1, -1, 9_999_999_999_999),
    ),
    moment,
    tenant: fc.constantFrom('own', 'own', 'team', 'team', 'other'),
    texts: fc.record({
      name: word,
      description: fc.option(word),
      reference_no: fc.option(word),
      status: fc.constantFrom('paid', 'pending', 'failed'),
      source: fc.constantFrom('manual', 'Bank'),
      currency: fc.constant('usd'),
      category: fc.constantFrom(null, 'first', 'second'),
      account: fc.constantFrom(null, 'first', 'second'),
    }),
    tags: fc.subarray(labels),
  })

let stack: DataStack
let rows: Row[]
let callers: { caller: Caller, sees: Row[], counts: Row[] }[]
const idByName: Record<string, string> = {}

beforeAll(async () => {
  stack = await dataStack()
  const [ann, bob, eve] = [
    await stack.person('ann'),
    await stack.person('bob'),
    await stack.person('eve'),
  ]
  const team = await stack.organization({ owner: bob, editor: ann })
  rows = fc.sample(fc.tuple(...ids.map(row)), { seed, numRuns: 1 })[0] ?? []
  for (
    const [tenant, user, organization] of [['own', ann.id, null], ['team', bob.id, team.id], [
      'other',
      eve.id,
      null,
    ]] as const
  ) {
    for (const name of ['first', 'second']) {
      const { rows: [category] } = await stack.owner.query(
        'insert into api.categories (name, user_id, organization_id) values ($1, $2, $3) returning id',
        [
          name,
          user,
          organization,
        ],
      )
      idByName[`${tenant} ${name}`] = category.id
      const { rows: [account] } = await stack.owner.query(
        `insert into api.accounts (name, type, user_id, organization_id) values ($1, 'cash', $2, $3) returning id`,
        [name, user, organization],
      )
      idByName[`${tenant} account ${name}`] = account.id
    }
    for (const label of labels) {
      const { rows: [tag] } = await stack.owner.query(
        'insert into api.tags (name, user_id, organization_id) values ($1, $2, $3) returning id',
        [
          label,
          user,
          organization,
        ],
      )
      idByName[`${tenant} tag ${label}`] = tag.id
    }
    for (const one of rows.filter((each) => each.tenant === tenant)) {
      const { category, account, ...texts } = one.texts
      const stored = {
        ...texts,
        category_id: category === null ? null : idByName[`${tenant} ${category}`] ?? null,
        account_id: account === null ? null : idByName[`${tenant} account ${account}`] ?? null,
        user_id: user,
        organization_id: organization,
        external_id: one.cents % 2 === 0 ? null : one.id,
      }
      one.texts = { ...stored, id: one.id }
      await stack.owner.query(
        `insert into api.transactions (id, amount, transaction_date, ${
          Object.keys(stored).join(', ')
        }) values ($1, $2, $3, ${Object.keys(stored).map((_, at) => `$${at + 4}`).join(', ')})`,
        [one.id, one.cents / 100, iso(one.moment), ...Object.values(stored)],
      )
      for (const label of one.tags)
        await stack.owner.query(
          'insert into api.transaction_tags (transaction_id, tag_id) values ($1, $2)',
          [one.id, idByName[`${tenant} tag ${label}`]],
        )
    }
  }
  const annsRows = rows.filter(({ tenant }) => tenant === 'own')
  const ours = rows.filter(({ tenant }) => tenant === 'team')
  callers = [{ caller: stack.as(ann), sees: annsRows, counts: annsRows }, {
    caller: stack.as(ann, team),
    sees: [...annsRows, ...ours],
    counts: ours,
  }]
})
afterAll(() => stack.stop())

// Filters, each with the model's predicate.

type Meant = {
  filter: Filter
  passes: (one: Row, zone: string) => boolean
  isReversed?: (zone: string) => boolean
}
const ordered = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'from', 'to', 'between']

/**
 * Comparison operations on a value: each value has a start, and an end that `to` and `between` use.
 */
function compares(
  operation: string,
  value: number,
  places: { at: number, end: number }[],
): boolean {
  const [first = { at: 0, end: 0 }, last = first] = places
  switch (operation) {
    case 'eq':
      return value === first.at
    case 'neq':
      return value !== first.at
    case 'gt':
      return value > first.at
    case 'gte':
    case 'from':
      return value >= first.at
    case 'lt':
      return value < first.at
    case 'lte':
      return value <= first.at
    case 'to':
      return value <= first.end
    case 'between':
      return value >= first.at && value <= last.end
    default:
      return places.some(({ at }) => value === at)
  }
}
const sent = (operation: string, values: unknown[]) =>
  operation === 'in' ? values : operation === 'between' ? values.slice(0, 2) : values[0]

/** Whether a range is from the greater to the less, which is refused. */
const reversed = (operation: string, [first, last]: { at: number, end: number }[]) =>
  operation === 'between' && first!.at > last!.end

/** Orders a pair half of the time, because a range from the greater to the less is refused. */
const several = <T>(value: fc.Arbitrary<T>, order: (one: T) => number) =>
  fc.tuple(fc.array(value, { minLength: 2, maxLength: 3 }), fc.boolean())
    .map(([values, isOrdered]) =>
      isOrdered ? values.toSorted((a, b) => order(a) - order(b)) : values
    )

/**
 * An amount: half of the time that of a row, so that equality occurs. In thousandths, because
 * filters may be finer than stored amounts.
 */
const thousandths = fc.oneof(
  fc.nat().map((at) => (rows[at % rows.length]?.cents ?? 0) * 10),
  fc.integer({ min: -3_000, max: 3_000 }),
)
const amountFilter = fc.tuple(
  fc.constantFrom(...ordered),
  several(thousandths, Number),
  fc.boolean(),
)
  .map(([operation, values, asText]): Meant => ({
    filter: {
      field: 'amount',
      operation,
      value: sent(operation, values.map((at) => asText ? (at / 1000).toFixed(3) : at / 1000)),
    },
    passes: ({ cents }) => compares(operation, cents * 10, values.map((at) => ({ at, end: at }))),
    isReversed: () => reversed(operation, values.map((at) => ({ at, end: at }))),
  }))
// Whole days are more frequent, because their borders matter most.
const dateFilter = fc.tuple(
  fc.constantFrom(...ordered, 'to', 'between', 'between', 'between'),
  several(dateValue, ({ at }) => at('UTC')),
)
  .map(([operation, values]): Meant => ({
    filter: {
      field: 'transaction_date',
      operation,
      value: sent(operation, values.map(({ text }) => text)),
    },
    passes: (one, zone) =>
      compares(
        operation,
        one.moment,
        values.map((value) => ({ at: value.at(zone), end: value.end(zone) })),
      ),
    isReversed: (zone) =>
      reversed(operation, values.map((value) => ({ at: value.at(zone), end: value.end(zone) }))),
  }))
const presetFilter = fc.tuple(
  fc.constantFrom('transaction_date', 'created_at', 'updated_at'),
  fc.constantFrom(...ordered),
)
  .map(([field, operation]): Meant => ({
    filter: { field, operation, value: 'all_time' },
    passes: () => !['neq', 'gt', 'lt'].includes(operation),
  }))
/** A value of a row, or another text. */
const valueOf = (field: string) =>
  fc.tuple(fc.nat(), word, fc.boolean()).map(([at, other, isOther]) => {
    const isId = idFields.includes(field)
    const value = rows[at % rows.length]?.texts[field]
    return value !== null && value !== undefined && (isId || field === 'status' || !isOther)
      ? value
      : isId
      ? ids[0] ?? ''
      : other
  })
const textFilter = fc.constantFrom(...textFields, ...idFields).chain((field) =>
  fc.tuple(
    fc.constantFrom('eq', 'neq', 'in'),
    fc.array(valueOf(field), { minLength: 1, maxLength: 4 }),
    fc.boolean(),
  )
    .map(([operation, values, inCapitals]): Meant => ({
      filter: {
        field,
        operation,
        value: sent(
          operation,
          values.map((value) =>
            inCapitals && idFields.includes(field) ? value.toUpperCase() : value
          ),
        ),
      },
      passes: ({ texts }) => {
        const value = texts[field] ?? null
        return operation === 'neq'
          ? value !== values[0]
          : value !== null && (operation === 'eq' ? value === values[0] : values.includes(value))
      },
    }))
)
const patternFilter = fc.tuple(
  fc.constantFrom('name', 'description', 'reference_no'),
  fc.constantFrom('like', 'ilike'),
  pattern,
)
  .map(([field, operation, value]): Meant => ({
    filter: { field, operation, value },
    passes: ({ texts }) => {
      const text = texts[field] ?? null
      return text !== null &&
        (operation === 'like'
          ? isLike(Array.from(text), Array.from(value))
          : isLike(Array.from(text.toLowerCase()), Array.from(value.toLowerCase())))
    },
  }))
const nullFilter = fc.tuple(
  fc.constantFrom('amount', 'transaction_date', ...textFields, ...idFields),
  fc.constantFrom(true, false, null, undefined),
)
  .map(([field, value]): Meant => ({
    filter: { field, operation: 'is_null', ...(value === undefined ? {} : { value }) },
    passes: ({ texts }) => (nullable.includes(field) && texts[field] === null) === (value ?? true),
  }))
const label = fc.constantFrom(...labels, 'c')
const tagFilter = fc.tuple(
  fc.constantFrom('eq', 'neq', 'in', 'is_null'),
  fc.array(label, { minLength: 1, maxLength: 2 }),
  fc.boolean(),
)
  .map(([operation, values, isNull]): Meant => ({
    filter: {
      field: 'tag',
      operation,
      value: operation === 'is_null' ? isNull : sent(operation, values),
    },
    passes: ({ tags }) => {
      if (operation === 'is_null') return (tags.length === 0) === isNull
      return operation === 'neq'
        ? !tags.includes(values[0] ?? '')
        : tags.some((tag) => operation === 'eq' ? tag === values[0] : values.includes(tag))
    },
  }))
/** A search treats every character literally. */
const searchFilter = fc.tuple(fc.constantFrom('contains', 'eq', 'ilike'), word)
  .map(([operation, value]): Meant => ({
    filter: { field: 'search', operation, value },
    passes: ({ texts }) =>
      ['name', 'description', 'reference_no'].some((field) =>
        (texts[field] ?? '').toLowerCase().includes(value.toLowerCase())
      ),
  }))
/** Filters that match many rows, so that combinations still match some. */
const wide = fc.oneof(
  fc.constantFrom('gt', 'gte').map((operation): Meant => ({
    filter: { field: 'amount', operation, value: -2.5 },
    passes: ({ cents }) => operation === 'gt' ? cents > -250 : cents >= -250,
  })),
  fc.constant<Meant>({
    filter: { field: 'name', operation: 'ilike', value: '*a*' },
    passes: ({ texts }) => /a/i.test(texts['name'] ?? ''),
  }),
  dateFilter.filter(({ filter }) => ['from', 'gte', 'to', 'lte', 'neq'].includes(filter.operation)),
)
const meant = fc.oneof(
  { weight: 2, arbitrary: wide },
  { weight: 4, arbitrary: amountFilter },
  { weight: 4, arbitrary: dateFilter },
  { weight: 1, arbitrary: presetFilter },
  { weight: 3, arbitrary: textFilter },
  { weight: 3, arbitrary: patternFilter },
  { weight: 1, arbitrary: nullFilter },
  { weight: 2, arbitrary: tagFilter },
  { weight: 2, arbitrary: searchFilter },
)

const newestFirst = (a: Row, b: Row) => b.moment - a.moment || (a.id < b.id ? -1 : 1)

test(
  "a random set of filters returns the model's rows, newest first, in pages and in reports",
  async () => {
    let some = 0
    const request = fc.record({
      at: fc.nat({ max: 1 }),
      zone: fc.constantFrom(...zones),
      asked: fc.oneof(fc.array(meant, { maxLength: 1 }), fc.array(meant, { maxLength: 3 })),
      limit: fc.option(fc.integer({ min: 1, max: 40 })),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ at, zone, asked, limit }) => {
        const { caller, sees, counts } = callers[at] ?? expect.unreachable()
        const filters = asked.map(({ filter }) => filter)
        const passing = (all: Row[]) =>
          all.filter((one) => asked.every(({ passes }) => passes(one, zone)))
        const prefer = { prefer: `timezone=${zone}` }
        const page = await caller.post(
          `/rpc/get_filtered_transactions?select=id${limit === null ? '' : `&limit=${limit}`}`,
          { filters },
          prefer,
        )
        const expected = passing(sees).toSorted(newestFirst).slice(0, limit ?? undefined)
          .map(({ id }) => id)
        if (asked.some(({ isReversed }) => isReversed?.(zone) === true)) {
          expect(page, JSON.stringify(filters)).toMatchObject({
            status: 400,
            body: { hint: 'Swap them.' },
          })
          return
        }
        if (expected.length > 0 && asked.length > 0) some += 1
        expect([
          page.status,
          Array.isArray(page.body)
            ? page.body.map(({ id }: { id: string }) => id)
            : page.body,
        ], JSON.stringify(filters)).toEqual([
          200,
          expected,
        ])
        const report = await caller.post('/rpc/get_transaction_stat', {
          p_filters: filters,
          p_aggregate_fn: 'count',
        }, prefer)
        expect(report, JSON.stringify(filters)).toMatchObject({
          status: 200,
          body: passing(counts).filter(({ texts }) =>
            texts['status'] !== 'failed' || filters.some(({ field }) =>
              field === 'status'
            )
          ).length,
        })
      }),
      { seed, numRuns: runs },
    )
    // The property would say little if most of the results were empty.
    expect(some).toBeGreaterThan(runs / 4)
  },
  120_000 + runs * 100,
)
