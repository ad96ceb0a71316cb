/**
 * Mutation tests: the isolation suite notices weakened rules. A run of a part tries a fifth of all
 * weakenings.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { selected } from '../rotation.ts'
import type { Stack } from '../support/stack.ts'
import { runMutations, startPlace, summaryOf, type Outcome } from './mutations.ts'
import { operands } from './weakenings.ts'

let place: Stack
let outcome: Outcome

beforeAll(async () => {
  place = await startPlace()
  outcome = await runMutations(place, {
    choose: (all) => selected('tests/isolation/mutations.test.ts', all),
  })
  console.log(summaryOf(outcome))
}, 3_600_000)
afterAll(() => place.close())

test('the isolation suite fails for each weakening of the row rules', () => {
  expect(outcome.survivors).toEqual([])
  expect(outcome.tried).toBeGreaterThan(20)
})

test('the parser finds every operand of a policy, at any depth', () => {
  const policy =
    `((a IS NULL) AND (EXISTS ( SELECT FROM t WHERE ((t.id = x) AND (t.y = ( SELECT uid() AS uid))))))`
  expect(operands(policy).map(([from, to]) => policy.slice(from, to))).toEqual([
    'a IS NULL',
    'EXISTS ( SELECT FROM t WHERE ((t.id = x) AND (t.y = ( SELECT uid() AS uid))))',
    't.id = x',
    't.y = ( SELECT uid() AS uid)',
  ])
})
