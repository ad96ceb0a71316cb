/**
 * Questions about functions: a stranger's value in each argument, and in filters on the returned
 * rows.
 */
import type { Table } from './catalogue.ts'
import {
  json,
  prefer,
  reading,
  describePreference,
  valuesOf,
  type QuestionTemplate,
  type Depth,
} from './questions.ts'
import type { Request } from './sender.ts'
import { uuid, valueOf, word, type Crowd } from './strangers.ts'
import type { World } from './world.ts'

/** The value of an argument that does not concern strangers. */
const harmless = (type: string): unknown =>
  type === 'jsonb' ? [] : type === 'uuid' ? uuid(0) : type === 'text' ? 'usd' : 1

/** Filters in the format of the functions, one for each column and operation. */
function listsOf(table: Table, strangers: Crowd): object[][] {
  return table.columns.flatMap((column) => {
    const [common, middle] = valuesOf(table, column, strangers)
    if (common === undefined || middle === undefined) return []
    const conditions: [string, unknown][] = [
      ['eq', common.value],
      ['neq', common.value],
      ['like', `${common.value.slice(0, -1)}*`],
      ['gt', middle.value],
      [
        'is_null',
        true,
      ],
    ]
    return conditions.map(([operation, value]) => [{ field: column.name, operation, value }])
  })
}

/**
 * Every argument of every exposed function. The depth `a little` omits the filters of each column.
 */
export function* calling(
  world: World,
  strangers: Crowd,
  depth: Depth,
): Generator<QuestionTemplate> {
  const { tables, signatures } = world.catalogue
  /** The value of the strangers in the first column with a name. */
  const common = (name: string): unknown[] =>
    tables.flatMap((table) =>
      table.columns.filter((one) => one.name === name).map((one) =>
        valueOf(table, one, strangers.start, strangers)
      )
    ).slice(0, 1)
  const transactions = tables.filter(({ name }) =>
    depth === 'everything' && name === 'transactions'
  )
  const someone = word(strangers.start)
  const pairs = [{ user_id: someone }, { organization_id: someone }, {
    user_id: someone,
    organization_id: someone,
  }]
  const objects = [
    ...transactions.flatMap((table) => listsOf(table, strangers)),
    ...pairs,
    ...common('currency').map((currency) => ({ filters: { currency } })),
  ]
  // A computed field has no argument that a client could send.
  for (
    const { name, args, returns, isVolatile } of signatures.filter((one) =>
      one.args.every((argument) => argument.name !== null)
    )
  ) {
    const ask = (
      argument: string,
      operation: string,
      given: Record<string, unknown>,
      headers: Request['headers'] = {},
    ): QuestionTemplate => ({
      table: `${name}()`,
      column: argument,
      operation,
      ...(isVolatile ? { isWriting: true as const } : {}),
      request: {
        method: 'POST',
        path: `/rpc/${name}`,
        body: JSON.stringify(given),
        headers: { ...json, ...headers },
      },
    })
    const required = Object.fromEntries(
      args.filter(({ isRequired }) => isRequired).map((
        { name: argument, type },
      ) => [argument, harmless(type)]),
    )
    for (const { name: argument, type } of args) {
      const values = type === 'uuid'
        ? [uuid(strangers.start)]
        : type === 'jsonb'
        ? objects
        : type === 'text'
        ? [someone, ...common(argument.replace(/^p_/, ''))]
        : []
      for (const value of values) {
        const what = typeof value === 'string' ? value : JSON.stringify(value)
        for (
          const preference of [undefined, 'count=planned', ['handling=lenient', 'count=planned']]
        )
          yield ask(argument, `${what}, ${describePreference(preference)}`, {
            ...required,
            [argument]: value,
          }, prefer(preference))
      }
    }
    const table = tables.find((one) => one.name === returns)
    if (table === undefined || depth === 'a little') continue
    for (
      const one of reading(
        world,
        table,
        strangers,
        'a little',
        `/rpc/${name}`,
        JSON.stringify(required),
      )
    ) yield { ...one, table: `${name}()` }
  }
}
