/**
 * Every actor, table, operation and target, generated from the catalogue. docs/isolation.md
 * explains the suite.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { selected } from '../rotation.ts'
import { execute } from '../support/database.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { uncoveredObjects } from './coverage.ts'
import { functionCases } from './functions.ts'
import { summary, writeReport } from './report.ts'
import { prepareSuite, runIsolation, type Result } from './run.ts'
import { tableCases } from './table-cases.ts'
import uncovered from './uncovered.json' with { type: 'json' }

let place: Stack
let result: Result

beforeAll(async () => {
  // A session keeps the plan of each of its statements, and thousands of cases a minute would fill
  // its memory before the usual 120 seconds.
  place = await startStack({
    auth: false,
    data: true,
    dataEnv: { PGRST_DB_POOL_MAX_LIFETIME: '20' },
  })
  result = await runIsolation(
    place,
    (cases) => selected('tests/isolation/isolation.test.ts', cases),
  )
  await writeReport(result)
  console.log(summary(result))
})
afterAll(() => place.close())

test('each actor can see and change exactly the rows that the interface allows', () => {
  const texts = result.failures.map(({ name, problems }) => `${name}: ${problems.join('; ')}`)
  expect(texts, texts.slice(0, 20).join('\n')).toEqual([])
})

test('each actor requests every exposed table and function', () => {
  const { catalogue, actors } = result.world
  const tested = new Set(result.tested.map(({ actor, table }) => `${actor.name} ${table}`))
  const missing = actors.flatMap(({ name }) =>
    [
      ...catalogue.tables.map((table) => table.name),
      ...catalogue.functions.map((one) => `${one}()`),
    ]
      .filter((table) => !tested.has(`${name} ${table}`)).map((table) => `${name} ${table}`)
  )
  expect(missing).toEqual([])
})

test('the commands and callers that the matrix leaves out are exactly those of uncovered.json', () => {
  const { world } = result
  const cases = [...tableCases(world), ...functionCases(world)]
  expect(uncoveredObjects(world.catalogue, cases)).toEqual(uncovered.objects)
  const withoutAnonymousTags = cases.filter(({ table, actor }) =>
    table !== 'tags' || actor.caller.kind !== 'anonymous'
  )
  expect(uncoveredObjects(world.catalogue, withoutAnonymousTags))
    .toEqual(
      ['delete', 'insert', 'select', 'update'].map((command) => `tags ${command}: no session`),
    )
})

test.each([
  [
    'table',
    'create table api.newcomers (id uuid primary key)',
    'api.newcomers is exposed, and tests/support/tables.ts has no entry',
  ],
  [
    'function',
    'create function api.newcomer() returns integer language sql return 1',
    'api.newcomer() is exposed, and tests/isolation has no entry for it',
  ],
  [
    'column',
    'alter table api.tags add column span int4range not null',
    'cannot make a row of api.tags: add a form for span',
  ],
  [
    'reference',
    'alter table api.tags add column account_id uuid references api.accounts',
    'api.tags refers to [account_id → accounts], and the model says []',
  ],
])(
  'a new %s that the suite does not know is an error that names it',
  async (_what, statement, message) => {
    await using other = await startStack({ auth: false, data: true })
    await execute(other.ownerUrl, statement)
    await expect(prepareSuite(other)).rejects.toThrow(message)
  },
)
