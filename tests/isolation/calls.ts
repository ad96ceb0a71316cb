/** The same for the functions: a stranger's value in each argument, and in filters on what they return. */
import type { Column, Table } from './catalogue.ts'
import { json, prefer, reading, shown, valuesOf, type Asked, type Depth } from './questions.ts'
import type { Request } from './sender.ts'
import { uuid, valueOf, word, type Crowd } from './strangers.ts'
import type { World } from './world.ts'

export function* calling(world: World, strangers: Crowd, depth: Depth): Generator<Asked> {
  const { tables, signatures } = world.catalogue
  const column = (name: string): [Table, Column] | undefined => tables.flatMap((table): [Table, Column][] => table.columns.filter((one) => one.name === name).map((one) => [table, one]))[0]
  const transactions = tables.find(({ name }) => name === 'transactions')
  const listed = (depth === 'a little' ? [] : transactions?.columns ?? []).flatMap((one) => {
    if (transactions === undefined) return []
    const [common, middle] = valuesOf(transactions, one, strangers)
    return common === undefined ? [] : [['eq', common.value], ['neq', common.value], ['like', `${common.value.slice(0, -1)}*`], ['gt', middle?.value], ['is_null', true]].map(([operation, value]) => [{ field: one.name, operation, value }])
  })
  const pairs = [{ user_id: word(strangers.start) }, { organization_id: word(strangers.start) }, { user_id: word(strangers.start), organization_id: word(strangers.start) }]
  for (const { name, args, returns, isVolatile } of signatures) {
    const ask = (argument: string, operation: string, given: Record<string, unknown>, query = '', headers: Request['headers'] = {}): Asked => ({
      table: `${name}()`, column: argument, operation, ...(isVolatile ? { isWriting: true as const } : {}),
      request: { method: 'POST', path: `/rpc/${name}${query}`, body: JSON.stringify(given), headers: { ...json, ...headers } },
    })
    const required: Record<string, unknown> = Object.fromEntries(args.filter(({ isRequired }) => isRequired).map(({ name: argument, type }) => [argument, type === 'jsonb' ? [] : type === 'uuid' ? uuid(0) : type === 'text' ? 'usd' : 1]))
    for (const { name: argument, type } of args) {
      const known = column(argument.replace(/^p_/, ''))
      const values: unknown[] = type === 'uuid' ? [uuid(strangers.start)]
        : type === 'jsonb' ? [...listed, ...pairs, ...pairs.map((pair) => [pair]), { filters: { currency: known?.[1] ?? 'usd' } }]
        : type === 'text' ? [word(strangers.start), ...(known === undefined ? [] : [valueOf(...known, strangers.start, strangers)]), ...(/currency|convert/.test(argument) ? [currencyOf(world, strangers)] : [])] : []
      for (const value of values) {
        const what = typeof value === 'string' ? 'a stranger\'s' : JSON.stringify(value)
        yield ask(argument, what, { ...required, [argument]: value })
        yield ask(argument, `${what}, ${shown('count=planned')}`, { ...required, [argument]: value }, '', prefer('count=planned'))
        yield ask(argument, `${what}, ${shown(['handling=lenient', 'count=planned'])}`, { ...required, [argument]: value }, '', prefer(['handling=lenient', 'count=planned']))
      }
    }
    const table = tables.find((one) => one.name === returns)
    if (table !== undefined && depth === 'everything') for (const one of reading(world, table, strangers, 'a little', `/rpc/${name}`, JSON.stringify(required))) yield { ...one, table: `${name}()` }
  }
}

function currencyOf({ catalogue: { tables } }: World, strangers: Crowd): unknown {
  for (const table of tables) for (const one of table.columns) if (one.name === 'currency') return valueOf(table, one, strangers.start, strangers)
  return 'usd'
}
