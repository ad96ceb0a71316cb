/** Changes and deletions of rows, and requests that send a row which may exist. */
import { randomUUID } from 'node:crypto'
import { expectedOf, targetsOf, type Case, type Expected } from './cases.ts'
import type { Column, Table } from './catalogue.ts'
import {
  id,
  insert,
  pairOfPart,
  remove,
  sameTenant,
  sees,
  update,
  upsert,
  type Patch,
  type Row,
} from './model.ts'
import { contents, daysOf, sentCanary, type Payload } from './rows.ts'
import {
  nextNumber,
  personal,
  returning,
  wholeDay,
  type Pair,
  type TableRequests,
} from './table-requests.ts'
import { keyOf, type StoredRow, type World } from './world.ts'

/** All changes and deletions of rows of one table by one actor. */
export function* changeCases(requests: TableRequests): Generator<Case> {
  const {
    world,
    actor,
    table,
    name,
    rows,
    caller,
    user,
    active,
    otherTeam,
    isOwned,
    hasPair,
    hasId,
    label,
    targets,
    everyTarget,
    absent,
    triggered,
    make,
    where,
    whereAny,
    fresh,
    refersIn,
    myPersonal,
  } = requests
  const { find, rows: all } = world

  const isNumber = ({ type }: Column): boolean => type === 'numeric'
  const dated = table.columns.find((column) =>
    column.type === 'date' && column.name in contents(table, 0, '')
  )?.name
  const number = table.columns.find(isNumber)?.name
  const changeable = label ??
    (isOwned || hasId
      ? number ?? dated ?? table.columns.find(({ type }) => type === 'text')?.name
      : undefined)
  const freshPatch = (): Payload => {
    const next = nextNumber()
    if (changeable === undefined) return refersIn(personal)
    // a table without texts and numbers changes its day, before the days of all other rows
    if (dated === changeable)
      return { [dated]: new Date(Date.UTC(1900, 0, 1 + next % 300)).toISOString().slice(0, 10) }
    return {
      [changeable]: table.columns.some((column) => isNumber(column) && column.name === changeable)
        ? next
        : sentCanary(next),
    }
  }
  const updates = (
    operation: string,
    target: string,
    query: string,
    matching: Row[],
    payload: Payload,
    patch: Patch,
    isReturned = true,
  ): Case =>
    make(
      'update',
      operation,
      target,
      'PATCH',
      query,
      withKeys(
        world,
        expectedOf(
          update(caller, name, matching, patch, find),
          [isReturned ? 200 : 204],
          isReturned,
        ),
        table,
        payload,
      ),
      payload,
      isReturned ? returning : {},
    )
  const maybe = (one: Case): Case => ({ ...one, expected: { ...one.expected, maybe: true } })
  const patchOf = (payload: Payload): Patch =>
    changeable === undefined ? { refers: payload as Record<string, string> } : {}
  const plain = (
    operation: string,
    target: string,
    query: string,
    matching: Row[],
    isReturned = true,
  ): Case => {
    const payload = freshPatch()
    return updates(operation, target, query, matching, payload, patchOf(payload), isReturned)
  }
  const deletes = (
    operation: string,
    target: string,
    query: string,
    matching: Row[],
    isReturned = false,
  ): Case =>
    make(
      'delete',
      operation,
      target,
      'DELETE',
      query,
      expectedOf(remove(caller, name, matching, all), [isReturned ? 200 : 204], isReturned),
      undefined,
      isReturned ? returning : {},
    )
  const strangers = everyTarget.filter((row) => !sees(caller, row))
  yield plain('update all', '', '', rows, false)
  yield plain('update all, shown', '', '', rows)
  yield plain('update by filter', '', `?${whereAny(everyTarget)}`, everyTarget)
  yield plain(
    'update by filter',
    "others' only",
    `?${whereAny(strangers.length === 0 ? [absent] : strangers)}`,
    strangers,
    false,
  )
  yield deletes('delete all', '', '', rows)
  yield deletes('delete all, shown', '', '', rows, true)
  yield deletes('delete by filter', '', `?${whereAny(everyTarget)}`, everyTarget)
  for (const [target, row = absent] of targets) {
    const matching = row === absent ? [] : [row]
    const query = `?${where(row)}`
    yield plain('update', target, query, matching)
    yield plain('update, unseen', target, query, matching, false)
    yield deletes('delete', target, query, matching)
    for (const column of target === 'own' || target === "own team's" ? daysOf(table) : [])
      yield updates(`${column} to a whole day`, target, query, matching, { [column]: wholeDay }, {})
    const spare = rows.filter((one) => row !== absent && sameTenant(one, row)).at(-1)
    if (spare !== undefined) yield deletes('delete the last', target, `?${where(spare)}`, [spare])
    if (hasPair) {
      for (const [what, to] of [['other', 'other'], ['nobody', null], ['me', user]] as const)
        yield maybe(
          updates(`move to user ${what}`, target, query, matching, { user_id: to }, { user: to }),
        )
      for (const to of [actor.team, otherTeam, null])
        yield maybe(
          updates(
            `move to ${to === null ? 'personal' : to === actor.team ? 'own team' : 'other team'}`,
            target,
            query,
            matching,
            { organization_id: to },
            {
              organization: to,
            },
            false,
          ),
        )
    }
    if (hasId && row !== absent) {
      const to = randomUUID()
      yield updates('move to another id', target, query, matching, { id: to }, { key: to })
    }
    for (const { column, table: referenced } of table.references) {
      for (const [place, named] of targetsOf(world, actor, referenced)) {
        if (target !== 'own' && target !== "own team's") continue
        const to = named ?? { key: randomUUID() }
        // A kept reference is no change of keys, and an existing pair would conflict.
        if (
          row.refers[column] === to.key ||
          !hasId && named !== undefined && rows.some((one) => one.refers[column] === named.key)
        ) continue
        yield updates(`${column} to ${place}`, target, query, matching, { [column]: to.key }, {
          refers: { [column]: to.key },
        })
      }
    }
    for (const [column, { table: referenced, with: values }] of triggered) {
      for (const [place, named] of targetsOf(world, actor, referenced)) {
        const to = named?.key ?? randomUUID()
        if (target !== 'own' && target !== "own team's" || Object.values(row.refers).includes(to))
          continue
        yield updates(
          `${column} to ${place}`,
          target,
          query,
          matching,
          { ...values, [column]: to },
          { refers: { [column]: to } },
        )
      }
    }
    yield* meeting(row, target)
  }

  /** Requests that name a possibly existing row: a plain insert, PUT, and both kinds of upsert. */
  function* meeting(row: StoredRow, target: string): Generator<Case> {
    const asRead = hasPair ? { user: row.user, organization: row.organization } : {}
    const asMine = isOwned ? { user, organization: active } : {}
    const hows: [string, Pair][] = row === absent || !hasPair
      ? [['as mine', asMine]]
      : [['as mine', asMine], ['as read', asRead]]
    // Neither the caller's tenant nor the actual one.
    if (hasPair && target.startsWith('own'))
      hows.push(["as a third one's", {
        user: user === 'b-owner' ? 'other' : 'b-owner',
        organization: row.organization,
      }])
    for (const [how, pair] of hows) {
      const sending = (): { payload: Payload, row: Row } => {
        // A table of pairs has no other columns than its keys.
        const refers = row === absent || how === 'as mine' && hasId
          ? refersIn({ organization: active })
          : row.refers
        const news = fresh(pair, refers, hasId ? row.key : undefined)
        return hasId
          ? news
          : {
            ...news,
            row: { ...news.row, key: row === absent ? keyOf(table, news.payload) : row.key },
          }
      }
      const taken = sending()
      yield {
        ...make(
          'insert',
          `insert with the id, ${how}`,
          target,
          'POST',
          '',
          expectedOf(insert(caller, [taken.row], find), [201], false),
          taken.payload,
        ),
      }
      for (const mode of ['merge', 'ignore'] as const) {
        const one = sending()
        const verdict = upsert(caller, [one.row], hasId ? mode : 'ignore', find)
        yield make(
          mode === 'merge' ? 'update' : 'insert',
          `upsert, ${mode}, ${how}`,
          target,
          'POST',
          '',
          expectedOf(verdict, [200, 201], false),
          one.payload,
          {
            prefer: `resolution=${mode}-duplicates,return=representation`,
          },
        )
      }
      if (hasId) {
        const one = sending()
        yield make(
          'update',
          `put, ${how}`,
          target,
          'PUT',
          `?${where(row)}`,
          expectedOf(upsert(caller, [one.row], 'merge', find), [200, 201, 204], false),
          one.payload,
        )
        if (how === 'as read') {
          const [theirs, ofCaller] = [sending(), myPersonal()]
          // The rows of one body have the same columns.
          ofCaller.payload = {
            ...Object.fromEntries(Object.keys(theirs.payload).map((column) => [column, null])),
            ...ofCaller.payload,
            id: ofCaller.row.key,
            ...(hasPair ? { user_id: user } : {}),
          }
          yield make(
            'update',
            `upsert many, merge, ${how}`,
            target,
            'POST',
            '',
            expectedOf(
              upsert(caller, [ofCaller.row, theirs.row], 'merge', find),
              [200, 201],
              false,
            ),
            [ofCaller.payload, theirs.payload],
            { prefer: 'resolution=merge-duplicates' },
          )
        }
      }
    }
  }
}

/** Changes a key column: the old rows no longer exist, and new ones do. */
function withKeys(world: World, expected: Expected, table: Table, payload: Payload): Expected {
  if (!Object.keys(payload).some((column) => table.key.includes(column))) return expected
  const { rows: _, ...rest } = expected
  const added = world.rows.filter((row) => expected.changed.includes(id(row))).map((row) => {
    return {
      table: table.name,
      ...pairOfPart(world.find('transactions', String(payload['transaction_id'])) ?? row),
    }
  })
  return { ...rest, changed: [], gone: expected.changed, added }
}
