/**
 * Random reconciliations match a model, exact to the cent. A failure prints the seed and the
 * smallest failing sketch.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import { cents, maybe, record, written, zones } from './books.ts'
import { dayIn } from './days.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const days = [
  '2024-02-28',
  '2024-02-29',
  '2024-03-01',
  '2024-12-31',
  '2025-01-01',
  '2025-01-31',
  '2025-02-01',
]
const times = ['00:00:00Z', '23:59:59.999Z', '04:59:59Z', '10:30:00Z', '18:15:00Z']
const amount = fc.oneof(
  fc.integer({ min: -500, max: 500 }),
  fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }),
).map(BigInt)

type Sketch = {
  opening: bigint
  openedOn: string | undefined
  rows: { amount: bigint, status: string, day: string, time: string | undefined }[]
  stated: { day: string, balance: bigint }[]
  zone: string
}
const sketches: fc.Arbitrary<Sketch> = record({
  opening: amount,
  openedOn: maybe(fc.constantFrom(...days)),
  rows: fc.array(
    record({
      amount,
      status: fc.constantFrom('paid', 'paid', 'pending', 'failed'),
      day: fc.constantFrom(...days),
      time: maybe(fc.constantFrom(...times)),
    }),
    { maxLength: 12 },
  ),
  stated: fc.uniqueArray(record({ day: fc.constantFrom(...days), balance: amount }), {
    maxLength: 5,
    selector: ({ day }) => day,
  }),
  zone: fc.constantFrom(...zones),
})

/**
 * "computed: the opening balance and all paid transactions until the end of that day. transactions:
 * of those, the ones after the row before."
 */
function reconciliation({ opening, openedOn, rows, stated, zone }: Sketch) {
  const paid = rows.filter(({ status }) => status === 'paid').map((row) => ({
    ...row,
    day: dayIn(zone, row.time === undefined ? row.day : `${row.day}T${row.time}`),
  }))
  return stated.toSorted((one, other) => one.day < other.day ? -1 : 1).map(
    ({ day, balance }, index, all) => {
      const until = paid.filter((row) => row.day <= day)
      const begun = openedOn === undefined || openedOn <= day ? opening : 0n
      const computed = until.reduce((sum, row) => sum + row.amount, begun)
      return {
        day,
        stated: balance,
        computed,
        difference: balance - computed,
        transactions: until.filter((row) => row.day > (all[index - 1]?.day ?? '')).length,
      }
    },
  )
}

test('every stated and computed balance, difference and count is that of the model', async () => {
  await fc.assert(
    fc.asyncProperty(sketches, async (sketch) => {
      const caller = stack.as(await stack.person())
      const { opening, openedOn, rows, stated, zone } = sketch
      const { id } = await caller.create('accounts', {
        name: 'Bank',
        type: 'checking',
        balance: written(opening),
        opened_on: openedOn ?? null,
      })
      const other = await caller.create('accounts', { name: 'Other', type: 'checking', balance: 3 })
      await caller.create('balances', { account_id: other.id, on_date: days[3], balance: 1 })
      await caller.create('transactions', [
        {
          name: 'of another account',
          amount: 1,
          account_id: other.id,
          transaction_date: days[0],
          status: 'paid',
        },
        ...rows.map((row) => ({
          name: 'x',
          amount: written(row.amount),
          account_id: id,
          transaction_date: row.time === undefined ? row.day : `${row.day}T${row.time}`,
          status: row.status,
        })),
      ])
      for (const { day, balance } of stated)
        await caller.create('balances', { account_id: id, on_date: day, balance: written(balance) })
      const { status, text, body } = await caller.get(
        `/rpc/get_reconciliation?p_account_id=${id}`,
        { prefer: `timezone=${zone}` },
      )
      expect(status, text).toBe(200)
      expect(body.map((row: Record<string, any>) => ({
        day: row['on_date'],
        stated: cents(row['stated']),
        computed: cents(row['computed']),
        difference: cents(row['difference']),
        transactions: row['transactions'],
      }))).toEqual(reconciliation(sketch))
    }),
    { numRuns: Number(process.env['BOOKS'] ?? 60) },
  )
})
