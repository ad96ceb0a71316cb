/**
 * That the isolation suite notices a hole. Each run tries a tenth of all weakenings, another tenth each day, so that ten
 * days try all; `MUTATIONS=all`, or `node tests/isolation/mutations.ts`, tries all of them at once.
 */
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { equivalents } from './equivalents.ts'
import { openPlace } from './place.ts'
import { runMutations, summaryOf, type Outcome } from './mutations.ts'
import { operands, weakerFunctions } from './weakenings.ts'

const parts = 10
const day = Math.floor(Date.now() / 86_400_000) % parts
const isAll = process.env['MUTATIONS'] === 'all'

let place: Awaited<ReturnType<typeof openPlace>>
let outcome: Outcome

beforeAll(async () => {
  place = await openPlace(inject('serverUrl'))
  outcome = await runMutations(place, isAll ? {} : { likelyOnly: true, choose: (all) => all.filter((_, at) => at % parts === day) })
  console.log(`${summaryOf(outcome)}${isAll ? '' : ` (part ${day + 1} of ${parts})`}`)
}, isAll ? 1_800_000 : 300_000)
afterAll(() => place.close())

test('each weakening of the row rules turns the isolation suite red', () => {
  expect(outcome.survivors).toEqual([])
  expect(outcome.tried).toBeGreaterThan(20)
})

test('each weakening that is left out has a reason', () => {
  for (const { name, reason } of equivalents) expect(reason, name.source).toMatch(/\w+ \w+ \w+/)
})

test('every operand of a policy is found, however deep', () => {
  const policy = `((a IS NULL) AND (EXISTS ( SELECT FROM t WHERE ((t.id = x) AND (t.y = ( SELECT uid() AS uid))))))`
  expect(operands(policy).map(([from, to]) => policy.slice(from, to))).toEqual([
    'a IS NULL', 'EXISTS ( SELECT FROM t WHERE ((t.id = x) AND (t.y = ( SELECT uid() AS uid))))', 't.id = x', 't.y = ( SELECT uid() AS uid)',
  ])
})

test('every check of a function is found, and nothing in its comments', () => {
  const source = `create or replace function f() as $$ begin
  -- this and that = nothing
  if a = 1 or b = 2 then perform private.deny('t'); end if;
  select from t where x = 1 and y = 2;
end $$`
  expect(weakerFunctions(source).map(({ what }) => what.replace(/ at \d+$/, '')).toSorted()).toEqual([
    'never a = 1', 'never a = 1 or b = 2', 'never b = 2', `without perform private.deny('t')`, 'without x = 1', 'without y = 2',
  ])
})
