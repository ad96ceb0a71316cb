/**
 * No response depends on a stranger's values, and the tests would detect it otherwise.
 * docs/isolation.md explains the suite.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Column, Table } from './catalogue.ts'
import { isPart } from '../support/tables.ts'
import { nameOf } from './questions.ts'
import { refusingPieces, unrefused } from './refusals.ts'
import { valueOf, word } from './strangers.ts'
import {
  describe as said,
  exceptions,
  openTwins,
  strangers,
  type Difference,
  type Twins,
} from './twins.ts'
import type { Weakening } from './weakenings.ts'

let twins: Twins
let differences: Difference[]

/** The number of differences of each table, and the first one of each column. */
function digest(some: Difference[]): string[] {
  const columns = Map.groupBy(some, ({ question: { table, column } }) => `${table}.${column}`)
  return [...columns].map(([column, all]) =>
    `${column}: ${all.length}, such as ${all[0] === undefined ? '' : said(all[0])}`
  )
}

/** Fails with the whole digest as its message, because a report shortens compared values. */
function expectNone(some: Difference[]): void {
  expect(some.length, digest(some).join('\n')).toBe(0)
}

beforeAll(async () => {
  const started = Date.now()
  twins = await openTwins()
  differences = await twins.compare()
  const operations = new Set(twins.questions.map(({ operation }) => operation)).size
  console.log(
    `values: ${twins.questions.length} questions of ${twins.actors.length} callers, ${operations} operations, to two databases; ${
      differences.filter(({ isExpected }) => !isExpected).length
    } answers differ, ${Math.round((Date.now() - started) / 1000)} s`,
  )
})
afterAll(() => twins.close())

const isEstimate = ({ question: { operation } }: Difference): boolean =>
  /planned|estimated/.test(operation)

test('no count for a caller without rights depends on a value of a stranger', () => {
  expectNone(differences.filter((one) => !one.isExpected && isEstimate(one)))
})

test('no other part of a response depends on it: rows, their order, errors', () => {
  expectNone(differences.filter((one) => !one.isExpected && !isEstimate(one)))
})

test('an allowed difference occurs, says that a key is taken, and reveals nothing of its row', () => {
  for (const { operation, reason } of exceptions) {
    const those = differences.filter(({ question }) => operation.test(question.operation))
    expect(those.length, `${operation.source}: ${reason}`).toBeGreaterThan(0)
    for (const { question, answers: [theirs] } of those) {
      expect([403, 409], nameOf(question)).toContain(theirs.status)
      expect(JSON.parse(theirs.text), nameOf(question)).toMatchObject({
        code: expect.stringMatching(/^(?:42501|23505)$/),
        details: null,
        hint: null,
      })
      expect(theirs.text, nameOf(question)).not.toMatch(new RegExp(`${word(0).slice(0, 4)}|f{8}-`))
    }
  }
})

test('a request for an estimate is refused in every way to send it', async () => {
  expect((await unrefused(twins)).slice(0, 20)).toEqual([])
})

test('the questions cover every column of every exposed table', () => {
  const covered = new Set(
    twins.questions.filter(({ actor }) => actor.name === 'personal').map(({ table, column }) =>
      `${table}.${column}`
    ),
  )
  const columns = twins.world.catalogue.tables.flatMap((table): [Table, Column][] =>
    table.columns.map((column) => [table, column])
  )
  expect(
    columns.filter(([table, { name }]) => !covered.has(`${table.name}.${name}`))
      .map(([table, { name }]) => `${table.name}.${name}: give the column a form in strangers.ts`),
  ).toEqual([])
  expect(
    columns.filter(([table, column]) =>
      column.type !== 'jsonb' && valueOf(table, column, strangers.start, strangers) === undefined
    ),
  ).toEqual([])
})

test('a disabled piece of the refusal lets an estimate through, for each piece', async () => {
  const [owner, other] = twins.owners
  const pieces = await refusingPieces(owner)
  const tables = twins.world.catalogue.tables.map(({ name }) => name)
  expect(
    tables.filter((table) => !pieces.some((piece) => piece.table === table)),
    'tables whose policy refuses no estimate',
  ).toEqual([])
  /** Runs the questions without these pieces, and puts the pieces back. */
  const without = async <Found>(some: Weakening[], ask: () => Promise<Found>): Promise<Found> => {
    for (const { apply } of some) for (const db of [owner, other]) await db.query(apply)
    const found = await ask()
    for (const { revert } of some.toReversed())
      for (const db of [owner, other]) await db.query(revert)
    return found
  }
  // The policy of a part selects its transaction, and that policy refuses too.
  const keptBy = ({ table = '' }: Weakening): Weakening[] =>
    isPart(table) ? pieces.filter((piece) => piece.table === 'transactions') : []
  const survivors: string[] = []
  for (const piece of pieces) {
    const granted = await without(
      [piece, ...keptBy(piece)],
      () => unrefused(twins, { table: piece.table, stopAtFirst: true }),
    )
    if (granted.length === 0) survivors.push(piece.name)
  }
  expect(survivors).toEqual([])
})

test(
  'a query plan that depends on the requested value changes a response of an update without a count, and is detected',
  async () => {
    const set = async (mode: string): Promise<void> => {
      // The role belongs to the server, so it is the same for both databases.
      await twins.owners[0].query(`alter role authenticated set plan_cache_mode = ${mode}`)
      for (const owner of twins.owners) await owner.query(`notify pgrst, 'reload config'`)
    }
    const changes = twins.questions.filter(({ actor, operation }) =>
      actor.name === 'personal' && operation.startsWith('PATCH') &&
      !exceptions.some((one) => one.operation.test(operation))
    )
    await set('auto')
    try {
      await expect.poll(
        async () => (await twins.compare({ questions: changes, stopAtFirst: true })).length,
        { timeout: 20_000 },
      ).toBeGreaterThan(0)
    } finally {
      await set('force_generic_plan')
    }
  },
  60_000,
)
