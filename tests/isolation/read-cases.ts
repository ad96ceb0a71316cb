/** Reads of a table: lists, counts, single rows, and rows with those of related tables. */
import { expectedOf, nothing, type Case } from './cases.ts'
import type { Table } from './catalogue.ts'
import { list, sees, type Row } from './model.ts'
import { labelOf } from './rows.ts'
import type { TableRequests } from './table-requests.ts'
import type { StoredRow, World } from './world.ts'

const object = { accept: 'application/vnd.rest.object+json' }

/** All reads of one table by one actor. */
export function* readCases(requests: TableRequests): Generator<Case> {
  const {
    world,
    actor,
    table,
    rows,
    caller,
    label,
    targets,
    everyTarget,
    absent,
    make,
    where,
    whereAny,
  } = requests
  const visible = list(caller, rows)

  const reads = (
    operation: string,
    target: string,
    query: string,
    matching: Row[],
    headers: Record<string, string> = {},
  ): Case =>
    make(
      'select',
      operation,
      target,
      'GET',
      query,
      expectedOf(
        caller.kind === 'refused'
          ? { refused: ['token'] }
          : { rows: list(caller, matching), ...nothing },
        [200],
        headers['accept'] === undefined,
      ),
      undefined,
      headers,
    )
  yield reads('list', '', '', rows)
  if (actor.depth === 'everything') {
    yield reads('list as CSV', '', '', rows, { accept: 'text/csv' })
    yield reads('or-filter', '', `?${whereAny([...everyTarget, absent])}`, everyTarget)
    if (label !== undefined) {
      yield reads('or-filter by contents', '', `?or=(${label}.like.*zqyr*,${label}.is.null)`, rows)
      yield reads('search by contents', '', `?${label}=ilike.*zqyr*`, rows)
    }
    const seen = caller.kind === 'refused'
      ? { refused: ['token' as const] }
      : { rows: visible, ...nothing }
    yield make(
      'select',
      'count',
      '',
      'HEAD',
      '',
      {
        ...expectedOf(seen, [200], false),
        ...('refused' in seen ? { answers: [{ status: 401 }] } : { count: visible.length }),
      },
      undefined,
      { prefer: 'count=exact' },
    )
  }
  for (const [target, row = absent] of targets) {
    if (actor.depth === 'a little' && target !== 'own') continue
    const isVisible = sees(caller, row)
    yield reads('get', target, `?${where(row)}`, [row])
    yield make(
      'select',
      'object',
      target,
      'GET',
      `?${where(row)}`,
      caller.kind === 'refused' ? expectedOf({ refused: ['token'] }, [], false) : isVisible
        ? { answers: [{ status: 200 }], rows: [row.key], ...nothing } :
        { answers: [{ status: 406, code: /^PGRST116$/ }], ...nothing },
      undefined,
      object,
    )
  }
  if (actor.depth === 'everything') yield* embeds(world, table, reads, rows, targets)
}

/** Embeds related tables: referenced rows, referencing rows, and those across a table of pairs. */
function* embeds(
  world: World,
  table: Table,
  reads: (operation: string, target: string, query: string, matching: Row[]) => Case,
  rows: StoredRow[],
  targets: Map<string, StoredRow | undefined>,
): Generator<Case> {
  const { tables } = world.catalogue
  const keys = (alias: string, to: Table | undefined, row: Row): string =>
    (to?.key ?? []).map((column, at) => `${alias}.${column}=eq.${row.key.split('/')[at]}`).join('&')
  const byName = (name: string): Table | undefined => tables.find((one) => one.name === name)
  for (const { name, column, table: up } of table.references) {
    yield reads(`embed up ${column}`, '', `?select=*,e:${up}!${name}(*)`, rows)
    const order = labelOf(byName(up) ?? table)
    if (order !== undefined)
      yield reads(
        `order by ${column}`,
        '',
        `?select=*,e:${up}!${name}(*)&order=e(${order}).desc`,
        rows,
      )
    for (
      const [target, row] of [...targets].map(([place]) =>
        [
          place,
          world.rows.find((one) =>
            one.table === up && one.key === targets.get(place)?.refers[column]
          ),
        ] as const
      )
    ) {
      if (row !== undefined)
        yield reads(
          `inner embed up ${column}`,
          target,
          `?select=*,e:${up}!${name}!inner(*)&${keys('e', byName(up), row)}`,
          rows.filter(({ refers }) => refers[column] === row.key),
        )
    }
  }
  for (const down of tables) {
    for (const { name, column, table: to } of down.references) {
      if (to !== table.name) continue
      yield reads(`embed down ${down.name}`, '', `?select=*,e:${down.name}!${name}(*)`, rows)
      for (const [target, row] of targets) {
        const child = world.rows.find((one) =>
          one.table === down.name && row !== undefined && one.refers[column] === row.key
        )
        if (child !== undefined)
          yield reads(
            `inner embed down ${down.name}`,
            target,
            `?select=*,e:${down.name}!${name}!inner(*)&${keys('e', down, child)}`,
            rows.filter(({ key }) => key === child.refers[column]),
          )
      }
      const across = down.references.find((other) =>
        other.column !== column && down.key.includes(column) && down.key.includes(other.column)
      )
      if (across !== undefined)
        yield reads(`embed across ${down.name}`, '', `?select=*,e:${across.table}(*)`, rows)
    }
  }
}
