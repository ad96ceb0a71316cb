/**
 * Every actor × table × operation × target, with the request and the effects that the model
 * expects. The cases are generated, so a new table is covered without further work.
 */
import { randomUUID } from 'node:crypto'
import { isPart, models } from '../support/tables.ts'
import type { Column, Table } from './catalogue.ts'
import {
  id,
  insert,
  list,
  pairOfPart,
  remove,
  sameTenant,
  sees,
  update,
  upsert,
  type Patch,
  type Reason,
  type Row,
  type Verdict,
} from './model.ts'
import { contents, daysOf, labelOf, sentCanary, type Payload } from './rows.ts'
import type { Request } from './sender.ts'
import { keyOf, type Actor, type StoredRow, type World } from './world.ts'

export type Expected = {
  /** The allowed responses, by status and code of the error. */
  answers: { status: number, code?: RegExp }[]
  /** The keys of exactly these rows are in the body. */
  rows?: string[]
  /** The total in Content-Range. */
  count?: number
  /** Checks the result of a function. @returns its error */
  wrong?: (body: unknown) => string | undefined
  /** The expected effects: rows by `table:key`, and new rows by table and owner pair. */
  changed: string[]
  gone: string[]
  added: Pick<Row, 'table' | 'user' | 'organization'>[]
  /**
   * True if a row in `changed` may stay the same, because the request may send its current values.
   */
  maybe?: true
}
export type Case = {
  actor: Actor
  table: string
  operation: string
  target: string
  /** The kind of policy or grant that decides. */
  command: 'select' | 'insert' | 'update' | 'delete' | 'call'
  request: Request
  expected: Expected
}
export const nameOf = ({ actor, table, operation, target }: Case): string =>
  `${actor.name} · ${table} · ${operation}${target === '' ? '' : ` · ${target}`}`

const answerTo: Record<Reason, { status: number, code: RegExp }> = {
  token: { status: 401, code: /30[13]$/ },
  anonymous: { status: 401, code: /^42501$/ },
  denied: { status: 403, code: /^42501$/ },
  missing: { status: 409, code: /^23503$/ },
  taken: { status: 409, code: /^23505$/ },
  kept: { status: 400, code: /^22023$/ },
  'changed since': { status: 409, code: /^PT409$/ },
}
export const nothing = { changed: [], gone: [], added: [] }

/** Translates a verdict of the model into an expected response. */
export function expectedOf(verdict: Verdict, allowed: number[], isReturned: boolean): Expected {
  if ('refused' in verdict)
    return { answers: verdict.refused.map((reason) => answerTo[reason]), ...nothing }
  const { rows, changed, gone, added } = verdict
  return {
    answers: allowed.map((status) => ({ status })),
    changed,
    gone,
    added,
    ...(isReturned ? { rows: rows.map(({ key }) => key) } : {}),
  }
}

const returning = { prefer: 'return=representation' }
const object = { accept: 'application/vnd.rest.object+json' }
const json = { 'content-type': 'application/json' }

/**
 * The targets of each operation. Excludes targets that an actor cannot have, such as team rows of a
 * table without organizations.
 */
export function targetsOf(
  world: World,
  actor: Actor,
  table: string,
): Map<string, StoredRow | undefined> {
  const rows = world.rows.filter((row) => row.table === table)
  const targets = new Map<string, StoredRow | undefined>()
  const add = (name: string, row: StoredRow | undefined): void => {
    if (row !== undefined) targets.set(name, row)
  }
  const isPersonal = (row: Row): boolean => row.organization === null
  add('own', rows.find((row) => isPersonal(row) && row.user === actor.user))
  add(
    "other's personal",
    rows.find((row) => isPersonal(row) && row.user === (actor.user === 'other' ? 'solo' : 'other')),
  )
  add(
    "colleague's personal",
    rows.find((row) =>
      isPersonal(row) && row.user === (actor.user === 'a-editor' ? 'a-owner' : 'a-editor')
    ),
  )
  const team = rows.filter((row) => row.organization === actor.team && row.user !== actor.user)
  add("own team's", team.find(({ visibility }) => visibility !== 'private'))
  add("own team's private", team.find(({ visibility }) => visibility === 'private'))
  if (models[table]?.kind === 'owned' || models[table]?.kind === 'stored')
    add(
      "own team's without a user",
      team.find((row) => row.user === null && row.visibility !== 'private'),
    )
  add(
    'own, in the team',
    rows.find((row) => row.organization === actor.team && row.user === actor.user),
  )
  add(
    "other team's",
    rows.find((row) =>
      !isPersonal(row) && row.organization !== actor.team && row.visibility !== 'private'
    ),
  )
  targets.set('nonexistent', undefined)
  // An invalid token is refused for each target alike, so two targets are enough.
  if (actor.caller.kind === 'refused') {
    for (const name of targets.keys())
      if (name !== 'own' && name !== "own team's")
        targets.delete(name)
  }
  return targets
}

/** A day after the start of recurring costs. */
const wholeDay = '2025-03-01'
let sent = 0

/** All cases of one table for one actor. */
function* ofTable(world: World, actor: Actor, table: Table): Generator<Case> {
  const { find } = world
  const all = world.rows
  const name = table.name
  const rows = all.filter((row) => row.table === name)
  const model = models[name]
  const { caller } = actor
  const user = actor.user
  const active = caller.kind === 'user' ? caller.organization : null
  const isOwned = model?.kind === 'owned'
  const hasPair = model?.kind !== 'own'
  const hasId = table.key.join() === 'id'
  const label = labelOf(table)
  const targets = targetsOf(world, actor, name)
  const absent: StoredRow = {
    table: name,
    key: table.key.map(() => randomUUID()).join('/'),
    user: null,
    organization: null,
    refers: {},
    n: 0,
    payload: {},
  }
  const visible = list(caller, rows)

  const make = (
    command: Case['command'],
    operation: string,
    target: string,
    method: string,
    query: string,
    expected: Expected,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Case => ({
    actor,
    table: name,
    operation,
    target,
    command,
    expected,
    request: {
      method,
      path: `/${name}${query}`,
      headers: { ...(body === undefined ? {} : json), ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    },
  })
  const where = (row: Row): string =>
    table.key.map((column, at) => `${column}=eq.${row.key.split('/')[at]}`).join('&')
  const whereAny = (some: Row[]): string =>
    `or=(${
      some.map((row) =>
        `and(${table.key.map((column, at) => `${column}.eq.${row.key.split('/')[at]}`).join()})`
      ).join()
    })`
  const everyTarget = [...targets.values()].filter((row) => row !== undefined)

  // Reads.
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

  const triggered = Object.entries(model?.refers ?? {}).filter(([, reference]) =>
    reference.with !== undefined
  )

  // Creations.
  type Pair = { user?: string | null, organization?: string | null }
  /**
   * A new row of a tenant, as sent and as the model sees it. The token or the transaction fills the
   * missing half of the owner pair.
   */
  const fresh = (
    pair: Pair,
    refers: Record<string, string>,
    key?: string,
  ): { payload: Payload, row: Row } => {
    sent += 1
    const word = sentCanary(sent)
    const owner = find('transactions', refers['transaction_id'] ?? '')
    const payload: Payload = {
      ...contents(table, sent, word),
      ...refers,
      ...(hasPair && 'user' in pair
        ? { user_id: pair.user }
        : model?.kind === 'own'
        ? { user_id: user }
        : {}),
      ...(hasPair && 'organization' in pair ? { organization_id: pair.organization } : {}),
      ...(key === undefined ? {} : { id: key }),
    }
    const ofWhole = pairOfPart(owner)
    const row: Row = isPart(name)
      ? {
        table: name,
        key: '',
        user: pair.user ?? ofWhole.user,
        organization: pair.organization ?? ofWhole.organization,
        refers,
      }
      : {
        table: name,
        key: '',
        user: 'user' in pair ? pair.user ?? null : user,
        organization: 'organization' in pair ? pair.organization ?? null : active,
        refers,
      }
    row.key = hasId ? key ?? randomUUID() : keyOf(table, payload)
    return { payload, row }
  }
  /** References within a tenant: to the spare row, which also makes a new pair of keys. */
  const refersIn = (tenant: Pair): Record<string, string> =>
    Object.fromEntries(table.references.flatMap(({ column, table: referenced }) => {
      if (model?.refers[column]?.isKept === true) return []
      const ours = all.filter((row) =>
        row.table === referenced && row.organization === (tenant.organization ?? null) &&
        (row.organization !== null || row.user === (tenant.user ?? user))
      )
      const row = referenced === 'transactions' ? ours[0] : ours.at(-1)
      return row === undefined ? [] : [[column, row.key]]
    }))
  const inserts = (
    operation: string,
    news: { payload: Payload, row: Row }[],
    asCsv = false,
  ): Case => {
    const body = asCsv
      ? csv(news.map(({ payload }) => payload))
      : news.length === 1
      ? news[0]?.payload
      : news.map(({ payload }) => payload)
    const expected = expectedOf(insert(caller, news.map(({ row }) => row), find), [201], false)
    return make('insert', operation, '', 'POST', '', expected, body, {
      ...returning,
      ...(asCsv ? { 'content-type': 'text/csv' } : {}),
    })
  }
  const personal = { organization: null }
  const otherTeam = actor.team === 'team-a' ? 'team-b' : 'team-a'
  const mine = () => fresh({}, refersIn({ organization: active }))
  const myPersonal = () => fresh(personal, refersIn(personal))
  const forgedUser = () =>
    fresh({ user: 'other', organization: null }, refersIn({ user: 'other', organization: null }))
  const forgedTeam = () => fresh({ organization: otherTeam }, refersIn({ organization: otherTeam }))
  yield inserts('insert', [mine()])
  if (actor.depth === 'a little') {
    yield inserts('insert, forged organization', [forgedTeam()])
    return
  }
  yield inserts('insert, personal', [myPersonal()])
  for (const column of daysOf(table)) {
    const { payload, row } = mine()
    yield inserts(`insert, ${column} a whole day`, [{
      payload: { ...payload, [column]: wholeDay },
      row,
    }])
  }
  yield inserts('insert, own team named', [
    fresh({ organization: actor.team }, refersIn({ organization: actor.team })),
  ])
  yield inserts('insert, forged user', [forgedUser()])
  yield inserts('insert, forged organization', [forgedTeam()])
  if (hasPair) {
    yield inserts('insert, forged colleague', [
      fresh(
        { user: actor.user === 'a-editor' ? 'a-owner' : 'a-editor', organization: actor.team },
        refersIn({ organization: actor.team }),
      ),
    ])
    yield inserts('insert, forged pair', [
      fresh({ user: 'b-owner', organization: 'team-b' }, refersIn({ organization: 'team-b' })),
    ])
  }
  if (hasId) yield inserts('insert many', [myPersonal(), myPersonal()])
  // The rows of one body have the same columns.
  yield inserts('insert many, one forged user', [
    fresh({ user, organization: null }, refersIn(personal)),
    forgedUser(),
  ])
  yield inserts('insert many, one forged organization', [myPersonal(), forgedTeam()])
  // In CSV a JSON value can only be a string.
  if (!table.columns.some(({ type, required }) => type === 'jsonb' && required)) {
    yield inserts('insert as CSV', [myPersonal()], true)
    yield inserts('insert as CSV, forged organization', [myPersonal(), forgedTeam()], true)
  }
  for (const { column, table: referenced } of table.references) {
    for (const [target, row] of targetsOf(world, actor, referenced)) {
      const refers = { ...refersIn(personal), [column]: row?.key ?? randomUUID() }
      yield { ...inserts(`insert, ${column} of`, [fresh(personal, refers)]), target }
    }
  }
  for (const [column, { table: referenced, with: values }] of triggered) {
    for (const [target, row] of targetsOf(world, actor, referenced)) {
      const refers = refersIn(personal)
      const key = row?.key ?? randomUUID()
      // the two accounts of a transfer differ
      if (Object.values(refers).includes(key)) continue
      const news = fresh(personal, { ...refers, [column]: key })
      news.payload = { ...news.payload, ...values }
      yield { ...inserts(`insert, ${column} of`, [news]), target }
    }
  }

  for (const columns of table.uniques) {
    const isRecognized = columns.toSorted().join() === model?.recognizedBy
    for (const [target, row] of targets) {
      if (row === undefined || columns.some((column) => row.payload[column] == null)) continue
      // These columns identify the row within its tenant. In every other tenant it is a new row.
      const same = Object.fromEntries(columns.map((column) => [column, row.payload[column]]))
      const within = (payload: Payload): Record<string, string> =>
        Object.fromEntries(
          Object.entries(payload).filter(([column]) =>
            table.references.some((one) => one.column === column)
          ),
        ) as Record<string, string>
      for (const column of columns) {
        const other = mine()
        other.payload = { ...other.payload, ...same, [column]: other.payload[column] }
        other.row = {
          ...other.row,
          refers: {
            ...other.row.refers,
            ...within(same),
            ...within({ [column]: other.payload[column] }),
          },
        }
        yield make(
          'insert',
          `import of another ${column}`,
          target,
          'POST',
          '',
          expectedOf(upsert(caller, [other.row], 'merge', find), [200, 201], false),
          other.payload,
          { prefer: 'resolution=merge-duplicates' },
        )
      }
      const importing = () => {
        const news = mine()
        return {
          payload: { ...news.payload, ...same },
          row: isRecognized && sameTenant(news.row, row) && caller.kind === 'user'
            ? { ...news.row, user: row.user, key: row.key }
            : { ...news.row, refers: { ...news.row.refers, ...within(same) } },
        }
      }
      /**
       * Only the id identifies the other row. So if these columns must be unique, the second row is
       * refused.
       */
      const unlessTaken = (verdict: Verdict): Verdict =>
        isRecognized || 'refused' in verdict || !verdict.added.some((news) => sameTenant(news, row))
          ? verdict
          : { refused: ['taken'] }
      const [plain, merged, ignored] = [importing(), importing(), importing()]
      yield {
        ...make(
          'insert',
          'import',
          target,
          'POST',
          '',
          expectedOf(
            unlessTaken(
              insert(
                caller,
                [plain.row.key === row.key ? { ...plain.row, user } : plain.row],
                find,
              ),
            ),
            [201],
            false,
          ),
          plain.payload,
          returning,
        ),
      }
      yield make(
        'insert',
        'import, merge',
        target,
        'POST',
        '',
        expectedOf(unlessTaken(upsert(caller, [merged.row], 'merge', find)), [200, 201], false),
        merged.payload,
        {
          prefer: 'resolution=merge-duplicates',
        },
      )
      yield make(
        'insert',
        'import, ignore',
        target,
        'POST',
        '',
        expectedOf(unlessTaken(upsert(caller, [ignored.row], 'ignore', find)), [200, 201], false),
        ignored.payload,
        { prefer: 'resolution=ignore-duplicates' },
      )
    }
  }

  // Changes and deletions.
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
    sent += 1
    if (changeable === undefined) return refersIn(personal)
    // a table without texts and numbers changes its day, before the days of all other rows
    if (dated === changeable)
      return { [dated]: new Date(Date.UTC(1900, 0, 1 + sent % 300)).toISOString().slice(0, 10) }
    return {
      [changeable]: table.columns.some((column) => isNumber(column) && column.name === changeable)
        ? sent
        : sentCanary(sent),
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

const csv = (rows: Payload[]): string => {
  const columns = Object.keys(rows[0] ?? {})
  const cell = (value: unknown): string =>
    value === null || value === undefined
      ? 'NULL'
      : `"${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll('"', '""')}"`
  return [columns.join(), ...rows.map((row) => columns.map((column) => cell(row[column])).join())]
    .join('\n')
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

/** Everything that is not exposed, requested in every way. */
function* beyond(actor: Actor): Generator<Case> {
  const ask = (
    operation: string,
    path: string,
    answers: Expected['answers'],
    headers: Record<string, string> = {},
  ): Case => ({
    actor,
    table: '',
    operation,
    target: '',
    command: 'select',
    request: { method: 'GET', path, headers },
    // A missing table is 404 for each token, because PostgREST checks it before the database.
    expected: {
      answers: actor.caller.kind === 'refused'
        ? [{ status: 401 }, ...answers.filter(({ status }) => status >= 400)]
        : answers,
      ...nothing,
    },
  })
  for (const schema of ['auth', 'private', 'public', 'isolation_kept'])
    yield ask(`schema ${schema}`, '/transactions', [{ status: 406, code: /^PGRST106$/ }], {
      'accept-profile': schema,
    })
  for (
    const path of [
      '/users',
      '/members',
      '/auth.users',
      '/settings',
      '/rpc/can',
      '/rpc/pre_request',
      '/rpc/uid',
      '/rpc/active_product',
      '/rpc/one_object',
      '/bank_values',
      '/bank_versions',
      '/import_updates',
      '/deleted_bank_rows',
      '/import_balances',
      '/rpc/bank_history',
      '/rpc/classify_import',
    ]
  )
    yield ask(path, path, [{ status: 404 }])
  yield ask('embed users', '/transactions?select=*,users(*)', [{ status: 400, code: /^PGRST200$/ }])
  yield ask('aggregate', '/transactions?select=amount.sum()', [{ status: 400, code: /^PGRST/ }])
  yield ask('description', '/', [{ status: 200 }])
}

/** All cases of tables and of unexposed objects, actor by actor. */
export function* tableCases(world: World): Generator<Case> {
  for (const actor of world.actors) {
    for (const table of world.catalogue.tables) yield* ofTable(world, actor, table)
    if (actor.depth === 'everything') yield* beyond(actor)
  }
}
