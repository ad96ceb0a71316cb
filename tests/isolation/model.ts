/**
 * A model of the rights to see and change each row. It is written from the sentences of the
 * interface, which are quoted next to the code, and not from the SQL. If both disagree, one of them
 * is wrong. Pure: no I/O, no clock, no database.
 */

import { isPart, models, type TableModel } from '../support/tables.ts'

export const roles = ['owner', 'admin', 'editor', 'viewer'] as const
export type Role = typeof roles[number]
export type Action = 'list' | 'get' | 'create' | 'update' | 'delete'

/**
 * The caller, with a session or a key. A refused caller has an invalid, expired or revoked token.
 */
export type Caller =
  | {
    kind: 'user'
    user: string
    organization: string | null
    role: Role | null
    key?: 'reads' | 'changes'
  }
  | { kind: 'anonymous' }
  | { kind: 'refused' }
type User = Extract<Caller, { kind: 'user' }>

/** A row as the model sees it: its tenant and its references. Its key is its id or its ids. */
export type Row = {
  table: string
  key: string
  /** The owner pair. A part has that of its transaction, or the sent one. */
  user: string | null
  organization: string | null
  visibility?: string
  /** The actor of the recorded change, for a row of activity. */
  actor?: string
  /** The referenced id of each column. */
  refers: Record<string, string>
}

/**
 * Reasons to refuse a request. If several apply, any of them may be reported, because the interface
 * gives no order.
 */
export type Reason =
  | 'token'
  | 'anonymous'
  | 'denied'
  | 'missing'
  | 'taken'
  | 'kept'
  | 'changed since'

/** The result: a refusal, or the affected rows and the changes. Keys are `table:key`. */
export type Verdict = { refused: Reason[] } | {
  rows: Row[]
  changed: string[]
  gone: string[]
  added: Row[]
}

/** Looks a row up by table and key. */
export type Find = (table: string, key: string) => Row | undefined

/**
 * "Roles and permissions": owner, admin and editor list, get, create, update and delete; a viewer
 * lists and gets.
 */
const rights: Record<Role, readonly Action[]> = {
  owner: ['list', 'get', 'create', 'update', 'delete'],
  admin: ['list', 'get', 'create', 'update', 'delete'],
  editor: ['list', 'get', 'create', 'update', 'delete'],
  viewer: ['list', 'get'],
}
export const may = (role: Role | null, action: Action): boolean =>
  role !== null && rights[role].includes(action)

export const id = (row: Pick<Row, 'table' | 'key'>): string => `${row.table}:${row.key}`
const modelOf = (table: string): TableModel => {
  const found = models[table]
  if (found === undefined)
    throw new Error(`tests/support/tables.ts has no entry for the table ${table}`)
  return found
}

/** The same organization, or the same user's personal context. */
export const sameTenant = (
  a: Pick<Row, 'user' | 'organization'>,
  b: Pick<Row, 'user' | 'organization'>,
): boolean => a.organization === b.organization && (a.organization !== null || a.user === b.user)

/** "Personal rows are accessible only to their owning user", and "by no key of a team". */
const reachesPersonal = (caller: User, row: Pick<Row, 'user'>): boolean =>
  row.user === caller.user && (caller.key === undefined || caller.organization === null)

/**
 * "A row is visible when (organization_id is null and user_id equals uid()) or (organization_id
 * equals org_id() and the role may list)." "A person reads their own context's [activity], in a
 * team owner and admin do, and an editor what they changed." "A viewer can view shared dashboards."
 * "A table read by an anonymous caller returns an empty array."
 */
export function sees(caller: Caller, row: Row): boolean {
  if (caller.kind !== 'user') return false
  if (row.organization === null) return reachesPersonal(caller, row)
  return row.organization === caller.organization && may(caller.role, 'list')
    && (modelOf(row.table).kind !== 'log' || caller.role === 'owner' || caller.role === 'admin' ||
      caller.role === 'editor' && row.actor === caller.user)
    && !(row.table === 'dashboards' && caller.role === 'viewer' && row.visibility === 'private')
}

/** Personal rows completely, rows of a team as the role allows. */
const mayDo = (caller: User, row: Pick<Row, 'user' | 'organization'>, action: Action): boolean =>
  row.organization === null
    ? reachesPersonal(caller, row)
    : row.organization === caller.organization && may(caller.role, action)

/**
 * Reasons that refuse a caller for any target: no token, an invalid token, or a table without write
 * access.
 */
function refusedOutright(caller: Caller, table: string, action: Action): Reason[] {
  if (caller.kind === 'refused') return ['token']
  if (caller.kind === 'anonymous') return ['anonymous']
  if (onlyReads(caller)) return ['denied']
  const { kind } = modelOf(table)
  const isReadOnly = kind === 'own' || kind === 'log' || kind === 'stored' && action !== 'delete' ||
    kind === 'stored part' && action === 'create'
  return isReadOnly ? ['denied'] : []
}

/**
 * A reference needs a row of the same tenant. A row of another tenant fails with the same error as
 * a missing one.
 */
function missingReferences(caller: User, row: Row, columns: string[], find: Find): Reason[] {
  return columns.flatMap((column): Reason[] => {
    const key = row.refers[column]
    const reference = modelOf(row.table).refers[column]
    if (key === undefined || reference === undefined) return []
    if (reference.isKept === true)
      return find(row.table, row.key)?.refers[column] === key
        ? []
        : ['kept']
    const found = find(reference.table, key)
    if (found === undefined || !sameTenant(found, row)) return ['missing']
    return column === 'transaction_id' && !sees(caller, found) ? ['missing'] : []
  })
}

const unique = (reasons: Reason[]) => [...new Set(reasons)]
const isRefused = (reasons: Reason[]) => reasons.length > 0

/** Returns the owner pair of a part: in a team it has no user. */
export const pairOfPart = (
  whole: Pick<Row, 'user' | 'organization'> | undefined,
): Pick<Row, 'user' | 'organization'> => ({
  user: whole?.organization == null ? whole?.user ?? null : null,
  organization: whole?.organization ?? null,
})

/**
 * "On create, user_id and organization_id are filled from the JWT", for a part from its
 * transaction. Other values are refused.
 */
function againstNew(caller: User, row: Row, find: Find): Reason[] {
  const hasPairOfWhole = isPart(row.table)
  if (hasPairOfWhole) {
    // If the caller cannot see the transaction, its part is refused.
    const whole = find('transactions', row.refers['transaction_id'] ?? '')
    if (whole === undefined || !sees(caller, whole)) return ['missing']
    const pair = pairOfPart(whole)
    if (row.user !== pair.user || row.organization !== pair.organization) return ['denied']
  }
  return [
    ...(hasPairOfWhole || row.user === caller.user ? [] : ['denied' as const]),
    ...(mayDo(caller, row, 'create') ? [] : ['denied' as const]),
    ...missingReferences(caller, row, Object.keys(row.refers), find),
  ]
}

/** "A viewer's key reads, and only reads." */
export const onlyReads = (caller: Caller): boolean =>
  caller.kind === 'user' && caller.key === 'reads'

export const list = (caller: Caller, rows: Row[]): Row[] => rows.filter((row) => sees(caller, row))

/** Inserts one or many rows: all or none. */
export function insert(caller: Caller, rows: Row[], find: Find): Verdict {
  const reasons = rows.flatMap((row) => refusedOutright(caller, row.table, 'create'))
  if (caller.kind !== 'user' || isRefused(reasons)) return { refused: unique(reasons) }
  const against = rows.flatMap((row) => [
    ...againstNew(caller, row, find),
    ...(find(row.table, row.key) === undefined ? [] : ['taken' as const]),
  ])
  return isRefused(against)
    ? { refused: unique(against) }
    : { rows, changed: [], gone: [], added: rows }
}

/** The requested changes of an update. */
export type Patch = {
  user?: string | null
  organization?: string | null
  key?: string
  refers?: Record<string, string>
}

/**
 * "Neither can be changed afterwards": not the id, the user, nor the organization, and not the
 * transaction of a file.
 */
function againstPatch(caller: User, row: Row, patch: Patch, find: Find): Reason[] {
  const changesWhole = modelOf(row.table).kind === 'stored part' &&
    Object.entries(patch.refers ?? {}).some(([column, key]) => row.refers[column] !== key)
  const moves = changesWhole ||
    ([['user', row.user], ['organization', row.organization], ['key', row.key]] as const)
      .some(([what, present]) => what in patch && patch[what] !== present)
  const after: Row = { ...row, refers: { ...row.refers, ...patch.refers } }
  return [
    ...(mayDo(caller, row, 'update') && !moves ? [] : ['denied' as const]),
    ...(changesWhole
      ? []
      : missingReferences(caller, after, Object.keys(patch.refers ?? {}), find)),
  ]
}

/**
 * "A filter updates all matching rows" that are visible; one that may not be updated refuses all.
 */
export function update(
  caller: Caller,
  table: string,
  matching: Row[],
  patch: Patch,
  find: Find,
): Verdict {
  const reasons = refusedOutright(caller, table, 'update')
  if (caller.kind !== 'user' || isRefused(reasons)) return { refused: reasons }
  const rows = list(caller, matching)
  const against = rows.flatMap((row) => againstPatch(caller, row, patch, find))
  return isRefused(against)
    ? { refused: unique(against) }
    : { rows, changed: rows.map(id), gone: [], added: [] }
}

/** Returns the rows that a deletion also deletes, and those that lose a reference. */
export function consequences(gone: Row[], all: Row[]): { changed: string[], gone: string[] } {
  const goneIds = new Set(gone.map(id))
  const changed = new Set<string>()
  for (let before = -1; before !== goneIds.size;) {
    before = goneIds.size
    for (const row of all) {
      for (const [column, { table, whenGone }] of Object.entries(modelOf(row.table).refers)) {
        const key = row.refers[column]
        if (key === undefined || !goneIds.has(`${table}:${key}`)) continue
        if (whenGone === 'goes too') goneIds.add(id(row))
        else changed.add(id(row))
      }
    }
  }
  return { gone: [...goneIds], changed: [...changed].filter((row) => !goneIds.has(row)) }
}

/**
 * The deletion of an import deletes all of its transactions. It is refused if one of them has a
 * line item or a tag since.
 */
function isChangedSince(row: Row, all: Row[]): boolean {
  const transactions = all.filter(({ table, refers }) =>
    table === 'transactions' && row.table === 'imports' && refers['import_id'] === row.key
  )
  return transactions.some(({ key }) => all.some(({ refers }) => refers['transaction_id'] === key))
}

export function remove(caller: Caller, table: string, matching: Row[], all: Row[]): Verdict {
  const reasons = refusedOutright(caller, table, 'delete')
  if (caller.kind !== 'user' || isRefused(reasons)) return { refused: reasons }
  const rows = list(caller, matching)
  const against = rows.flatMap((row): Reason[] => [
    ...(mayDo(caller, row, 'delete') ? [] : ['denied' as const]),
    ...(isChangedSince(row, all) ? ['changed since' as const] : []),
  ])
  return isRefused(against)
    ? { refused: unique(against) }
    : { rows, added: [], ...consequences(rows, all) }
}

/** An upsert or PUT. If it conflicts with an existing row, it updates all columns or nothing. */
export function upsert(caller: Caller, rows: Row[], mode: 'merge' | 'ignore', find: Find): Verdict {
  const reasons = rows.flatMap((row) => [
    ...refusedOutright(caller, row.table, 'create'),
    ...refusedOutright(caller, row.table, 'update'),
  ])
  if (caller.kind !== 'user' || isRefused(reasons)) return { refused: unique(reasons) }
  const against = rows.flatMap((row): Reason[] => {
    const existing = find(row.table, row.key)
    if (existing === undefined) return againstNew(caller, row, find)
    // A row of another tenant is neither merged nor silently ignored.
    if (!sees(caller, existing)) return ['denied', ...againstNew(caller, row, find)]
    const hasPairOfWhole = isPart(row.table)
    // A row can be sent back as it was read, also if another member created it.
    const asNew = againstNew(
      caller,
      !hasPairOfWhole && existing.user === row.user ? { ...row, user: caller.user } : row,
      find,
    ).filter((reason) => reason !== 'missing' || mode === 'ignore')
    if (mode === 'ignore') return asNew
    const { user, organization } = row
    return [
      ...asNew,
      ...againstPatch(
        caller,
        existing,
        hasPairOfWhole ? { refers: row.refers } : { user, organization, refers: row.refers },
        find,
      ),
    ]
  })
  if (isRefused(against)) return { refused: unique(against) }
  const met = rows.filter((row) => find(row.table, row.key) !== undefined)
  const former = rows.flatMap((row): Row[] => {
    const [existing, table] = [find(row.table, row.key), modelOf(row.table).keepsFormerIn]
    if (mode === 'ignore' || existing === undefined || table === undefined) return []
    const { user, organization } = existing
    return [{
      table,
      key: '',
      user: organization === null ? user : caller.user,
      organization,
      refers: {},
    }]
  })
  return {
    rows,
    changed: mode === 'merge' ? met.map(id) : [],
    gone: [],
    added: [...rows.filter((row) => !met.includes(row)), ...former],
  }
}
