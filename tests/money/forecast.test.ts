/**
 * Random forecasts match the model, exact to the cent. A failure prints the seed and the smallest
 * failing sketch.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'
import { cents, written } from './books.ts'
import { dayIn, plusDays } from './days.ts'
import { chosenOf, forecast, sketches, store, type Day } from './forecast.ts'

let stack: DataStack
beforeAll(async () => {
  stack = await dataStack()
})
afterAll(() => stack.stop())

const inOrder = (days: Day[]) =>
  days.toSorted((one, other) =>
    `${one.account} ${one.day}` < `${other.account} ${other.day}` ? -1 : 1
  )

test('every balance, change and reason of a forecast is that of the model', async () => {
  await fc.assert(
    fc.asyncProperty(sketches(), async (sketch) => {
      const caller = stack.as(await stack.person())
      const today = dayIn(sketch.zone, new Date().toISOString())
      const books = await store(caller, sketch, today)
      const { status, text, body } = await caller.post('/rpc/get_forecast', {
        p_until: plusDays(today, sketch.length),
        ...(sketch.chosen === undefined ? {} : { p_account_ids: chosenOf(sketch, books) }),
        p_what_if: books.whatIf.map(({ account, day, name, amount }) => ({
          account_id: account,
          on_date: day,
          name,
          amount: written(amount),
        })),
        ...(sketch.convertTo === undefined ? {} : { p_convert_to: sketch.convertTo }),
      }, { prefer: `timezone=${sketch.zone}` })
      // After midnight the books have another present.
      if (dayIn(sketch.zone, new Date().toISOString()) !== today) return
      expect(status, text).toBe(200)
      const answered = body.map((row: any): Day => ({
        account: row.account_id,
        day: row.day,
        currency: row.currency,
        balance: cents(row.balance),
        change: cents(row.change),
        reasons: row.reasons.map(({ name, amount }: any) =>
          `${name}: ${amount === null ? 'no rate' : cents(amount)}`
        ).toSorted(),
        isLowest: row.is_lowest,
        leftOut: row.left_out,
      }))
      expect(inOrder(answered)).toEqual(inOrder(forecast(books, sketch, today)))
      for (const { reasons, change } of body)
        expect(cents(change)).toBe(
          reasons.reduce((sum: bigint, { amount }: any) => sum + cents(amount), 0n),
        )
    }),
    { numRuns: Number(process.env['BOOKS'] ?? 60) },
  )
})
