/**
 * Mutation tests: the isolation suite notices weakened rules. Each run tries a part of all weakenings. The rules themselves determine the part, so
 * the same commit always tries the same. `MUTATIONS=all`, or `node tests/isolation/mutations.ts`, tries all.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startStack, type Stack } from '../support/stack.ts'
import { runMutations, summaryOf, type Outcome } from './mutations.ts'
import { operands, type Weakening } from './weakenings.ts'

const parts = 10
const isAll = process.env['MUTATIONS'] === 'all'

/** The selected part for the current rules. */
const partOf = (all: Weakening[]): number => createHash('sha256').update(JSON.stringify(all)).digest().readUInt32BE() % parts

let place: Stack
let outcome: Outcome

beforeAll(async () => {
  place = await startStack({ auth: false, data: true })
  outcome = await runMutations(place, isAll ? {} : { likelyOnly: true, choose: (all) => all.filter((_, at) => at % parts === partOf(all)) })
  console.log(`${summaryOf(outcome)}${isAll ? '' : ` (one of ${parts} parts)`}`)
}, isAll ? 1_800_000 : 300_000)
afterAll(() => place.close())

test('the isolation suite fails for each weakening of the row rules', () => {
  expect(outcome.survivors).toEqual([])
  expect(outcome.tried).toBeGreaterThan(20)
})

test('the parser finds every operand of a policy, at any depth', () => {
  const policy = `((a IS NULL) AND (EXISTS ( SELECT FROM t WHERE ((t.id = x) AND (t.y = ( SELECT uid() AS uid))))))`
  expect(operands(policy).map(([from, to]) => policy.slice(from, to))).toEqual([
    'a IS NULL',
    'EXISTS ( SELECT FROM t WHERE ((t.id = x) AND (t.y = ( SELECT uid() AS uid))))',
    't.id = x',
    't.y = ( SELECT uid() AS uid)',
  ])
})
