/**
 * Imports of generated files: the dry run announces what happens, and neither the order of the
 * files nor a repetition changes the books.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import { judge, send, store, stored, undoLast, userOf, verdicts, type Row } from './import-calls.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const user = () => userOf(stack)
const withoutTimes = (row: Row): Row => ({ ...row, updated_at: '' })

test('an import of random rows does what its dry run announced', async () => {
  const mine = stack.as(await stack.person())
  const account = await mine.create('accounts', { name: 'Giro', type: 'checking', currency: 'jpy' })
  const category = await mine.create('categories', { name: 'Food' })
  const usual = (...values: unknown[]) => fc.constantFrom(...values, undefined)
  const row = fc.record({
    name: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<unknown>('Coffee', 'Tea', 'a'.repeat(255)) },
      { weight: 1, arbitrary: fc.string() },
      {
        weight: 1,
        arbitrary: fc.jsonValue(),
      },
    ),
    amount: fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom<unknown>(
          '-3.50',
          7,
          '12',
          0,
          '999999999999.99',
          -0.005,
          '12.004',
          12.5,
        ),
      },
      {
        weight: 1,
        arbitrary: fc.double().map((number) => Number.isFinite(number) ? number : String(number)),
      },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
    transaction_date: usual(
      '2025-01-01',
      '2024-02-29',
      '2025-01-01T10:00:00+02:00',
      '1900-01-01',
      '2199-12-31',
      '2025-13-01',
      '2025-01-01T24:00',
      '1899-12-31T23:00-05',
      'soon',
    ),
    currency: usual('usd', 'EUR', 'jpy', 'kwd', 'clf', 'xxx', 'K\u212Ad'),
    external_id: fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>(undefined) }, {
      weight: 2,
      arbitrary: fc.constantFrom('1', '2', 'e'.repeat(255)),
    }, {
      weight: 1,
      arbitrary: fc.string(),
    }),
    category_id: usual(category.id, category.id, crypto.randomUUID(), ''),
    status: usual('paid', 'pending', 'failed', 'PAID'),
    metadata: fc.oneof({ weight: 3, arbitrary: fc.constant<unknown>(undefined) }, {
      weight: 1,
      arbitrary: fc.jsonValue(),
    }),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (rows, isOfAccount) => {
        const more = { p_source: 'any', ...(isOfAccount && { p_account_id: account.id }) }
        const dry = await judge(mine, rows, more)
        const count = async () =>
          Number(
            (await mine.head('/transactions', { prefer: 'count=exact' })).headers.get(
              'content-range',
            )?.split('/')[1],
          )
        const before = await count()
        const whole = await send(mine, rows, { ...more, p_dry_run: false })
        expect(whole.status, whole.text).toBe(verdicts(dry).includes('invalid') ? 400 : 200)
        if (whole.status === 400) expect(await count()).toBe(before)
        // Invalid rows are left out. Each other row is stored or recognized, as its verdict says.
        const kept = rows.filter((_, at) => dry[at]?.verdict !== 'invalid')
        if (kept.length === 0) return
        const expected = await judge(mine, kept, more)
        const done = whole.status === 200 ? whole.body as Row[] : await store(mine, kept, more)
        if (whole.status === 400)
          expect(done.map(({ verdict, reason }) => ({ verdict, reason }))).toEqual(
            expected.map(({ verdict, reason }) => ({ verdict, reason })),
          )
        expect(await count()).toBe(before + done.filter(({ verdict }) => verdict === 'new').length)
        // Each stored row is recognized from then on.
        for (const { verdict } of await judge(mine, kept, more))
          expect(['duplicate', 'changed'])
            .toContain(verdict)
      },
    ),
    { numRuns: 60, seed: 20_251 },
  )
})

test(
  'a row that the user entered first among equal purchases of several days has the row of its own day whatever was entered, and however the files are cut',
  async () => {
    const days = (most: number) =>
      fc.uniqueArray(fc.integer({ min: 1, max: 14 }), { minLength: 1, maxLength: most })
    await fc.assert(
      fc.asyncProperty(
        days(3),
        days(5),
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 5, maxLength: 5 }),
        fc.boolean(),
        async (typed, booked, cuts, hasIds) => {
          const march = (day: number) => `2025-03-${String(day).padStart(2, '0')}`
          const row = (day: number) => ({
            name: 'COFFEE 12',
            amount: -3,
            transaction_date: march(day),
            ...(hasIds && { external_id: `d-${day}` }),
          })
          const whole = booked.map(row)
          const parts = [0, 1, 2].map((part) => whole.filter((_, at) => cuts[at] === part))
          const ends = []
          for (
            const files of [
              [whole],
              parts,
              parts.toReversed(),
              booked.toReversed().map((day) => [row(day)]),
            ]
          ) {
            const { caller, more, entered } = await user()
            for (const day of typed)
              await entered({ name: `Coffee ${day}`, amount: -3, transaction_date: march(day) })
            for (const file of files) if (file.length > 0) await store(caller, file, more)
            expect(new Set((await store(caller, whole, more)).map(({ verdict }) => verdict)))
              .toEqual(new Set(['duplicate']))
            ends.push((await stored(caller)).map(({ booked_on, name }) => `${booked_on} ${name}`))
          }
          for (const end of ends) expect(end).toEqual(ends[0])
        },
      ),
      { numRuns: Number(process.env['BOOKS'] ?? 12), seed: Number(process.env['SEED'] ?? 15) },
    )
  },
  120_000,
)

test(
  'random files do what their dry run announced, and importing one again changes nothing',
  async () => {
    const day = fc.integer({ min: 1, max: 9 }).map((number) => `2025-03-0${number}`)
    const amount = fc.constantFrom(-1, 1, -2, 2)
    const name = fc.constantFrom('Coffee', 'coffee corner', 'Tea')
    const row = fc.record({
      name,
      amount,
      transaction_date: day,
      status: fc.constantFrom('paid', 'pending', undefined),
      id: fc.constantFrom('1', '2', '3', undefined),
    })
    const typed = fc.record({
      name,
      amount,
      transaction_date: day,
      status: fc.constantFrom('paid', 'pending'),
      where: fc.integer({ min: 0, max: 2 }),
    })
    const files = fc.array(
      fc.record({
        rows: fc.uniqueArray(row, {
          minLength: 1,
          maxLength: 5,
          selector: ({ id }) => id ?? Math.random(),
        }),
        p_source: fc.constantFrom('csv', 'ofx'),
        where: fc.integer({ min: 0, max: 2 }),
        p_match: fc.boolean(),
        p_link_transfers: fc.boolean(),
        p_again: fc.boolean(),
        isReverted: fc.boolean(),
      }),
      { minLength: 2, maxLength: 5 },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(typed, { maxLength: 5 }), files, async (entered, imported) => {
        const { caller, giro, savings } = await user()
        const card =
          (await caller.create('accounts', { name: 'Card', type: 'credit_card', currency: 'eur' }))
            .id
        const accounts = [giro, savings, card]
        if (entered.length > 0)
          await caller.create(
            'transactions',
            entered.map(({ where, ...rest }) => ({ ...rest, account_id: accounts[where] })),
          )
        for (const { rows, where, isReverted, ...rest } of imported) {
          const file = rows.map(({ id, ...fields }) => ({
            ...fields,
            ...(id !== undefined && { external_id: `${where}-${id}` }),
          }))
          const more = { ...rest, p_account_id: accounts[where] }
          const before = (await stored(caller)).map(withoutTimes)
          const done = await store(caller, file, more)
          const after = (await stored(caller)).map(withoutTimes)
          // the row of an earlier file that had an entered transaction before is stored too
          const moved = done.filter(({ reason }) =>
            reason?.endsWith('will be matched again')
          ).length
          const added = after.length - before.length -
            done.filter(({ verdict }) => ['new', 'transfer'].includes(verdict)).length
          expect([added >= 0, added <= moved]).toEqual([true, true])
          const used = done.map(({ transaction_id }) => transaction_id).filter((id) => id !== null)
          expect(new Set(used).size).toBe(used.length)
          for (const { verdict } of await judge(caller, file, { ...more, p_again: false }))
            expect(['duplicate', 'changed']).toContain(verdict)
          const halves = Map.groupBy(
            after.filter(({ transfer_id }) => transfer_id !== null),
            ({ transfer_id }) => transfer_id,
          )
          for (const pair of halves.values()) {
            expect(pair).toHaveLength(2)
            expect([
              pair[0]?.['amount'] + pair[1]?.['amount'],
              pair[0]?.['account_id'] !== pair[1]?.['account_id'],
            ]).toEqual([0, true])
          }
          if (
            !isReverted ||
            !done.some(({ verdict }) => ['new', 'transfer', 'matched', 'updated'].includes(verdict))
          )
            continue
          const [last] = (await caller.get('/imports?order=created_at.desc&limit=1')).body
          expect((await caller.delete(`/imports?id=eq.${last.id}`)).status).toBe(204)
          expect((await stored(caller)).map(withoutTimes)).toEqual(before)
          await undoLast(caller)
          expect((await stored(caller)).map(withoutTimes)).toEqual(after)
        }
      }),
      { numRuns: Number(process.env['BOOKS'] ?? 25), seed: Number(process.env['SEED'] ?? 25) },
    )
  },
  120_000,
)
