/** The requests of one actor for one table, and the rows that they name or send. */
import { randomUUID } from 'node:crypto'
import { isPart, models } from '../support/tables.ts'
import { targetsOf, type Case, type Expected } from './cases.ts'
import type { Table } from './catalogue.ts'
import { pairOfPart, type Row } from './model.ts'
import { contents, labelOf, sentCanary, type Payload } from './rows.ts'
import { keyOf, type Actor, type StoredRow, type World } from './world.ts'

export const returning = { prefer: 'return=representation' }
const json = { 'content-type': 'application/json' }
export const personal = { organization: null }
/** A day after the start of recurring costs. */
export const wholeDay = '2025-03-01'
let sent = 0
/** Returns another number for each sent row or change. Its values contain the number. */
export const nextNumber = (): number => (sent += 1)

/** An owner pair that a request sends. */
export type Pair = { user?: string | null, organization?: string | null }

/** The rows, targets and requests of a table as an actor uses it. */
export function requestsOf(world: World, actor: Actor, table: Table) {
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
  const triggered = Object.entries(model?.refers ?? {}).filter(([, reference]) =>
    reference.with !== undefined
  )

  /**
   * A new row of a tenant, as sent and as the model sees it. The token or the transaction fills the
   * missing half of the owner pair.
   */
  const fresh = (
    pair: Pair,
    refers: Record<string, string>,
    key?: string,
  ): { payload: Payload, row: Row } => {
    const number = nextNumber()
    const word = sentCanary(number)
    const owner = find('transactions', refers['transaction_id'] ?? '')
    const payload: Payload = {
      ...contents(table, number, word),
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
  const otherTeam = actor.team === 'team-a' ? 'team-b' : 'team-a'
  const mine = () => fresh({}, refersIn({ organization: active }))
  const myPersonal = () => fresh(personal, refersIn(personal))
  const forgedUser = () =>
    fresh({ user: 'other', organization: null }, refersIn({ user: 'other', organization: null }))
  const forgedTeam = () => fresh({ organization: otherTeam }, refersIn({ organization: otherTeam }))

  return {
    world,
    actor,
    table,
    name,
    rows,
    model,
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
    mine,
    myPersonal,
    forgedUser,
    forgedTeam,
  }
}
export type TableRequests = ReturnType<typeof requestsOf>
