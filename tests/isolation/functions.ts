/**
 * The functions, asked with one's own and with other tenants' ids. What each must answer is worked out from the rows
 * that the model lets the caller see. A function that is exposed and not here makes the suite fail.
 */
import { randomUUID } from 'node:crypto'
import { expectedOf, nothing, targetsOf, type Case, type Expected } from './cases.ts'
import { consequences, id, list, may, sameTenant, sees } from './model.ts'
import { type Actor, type StoredRow, type World } from './world.ts'

type Call = { operation: string, target?: string, args: Record<string, unknown>, expected: Expected, method?: 'GET' }
type Seen = {
  world: World
  actor: Actor
  user: string
  active: string | null
  otherTeam: string
  /** Rows of a table that the caller sees. */
  visible: (table: string) => StoredRow[]
  /** Those of the active context: "the organization's while one is active, else your personal ones". */
  inContext: (table: string, organization?: string | null) => StoredRow[]
}

const ok = (wrong: Expected['wrong']): Expected => ({ answers: [{ status: 200 }], ...nothing, ...(wrong === undefined ? {} : { wrong }) })
/** "Naming another user or organization is 403." */
const denied = expectedOf({ refused: ['denied'] }, [], false)
const missing: Expected = { answers: [{ status: 404 }], ...nothing }

const numberOf = (row: StoredRow, column: string): number => Number(row.payload[column] ?? 0)
const cents = (value: unknown): number => Math.round(Number(value) * 100)
const total = (rows: StoredRow[]): number => rows.reduce((sum, row) => sum + numberOf(row, 'amount'), 0)
const counted = (rows: StoredRow[]): StoredRow[] => rows.filter(({ payload }) => payload['status'] !== 'failed')
const is = (expected: number) => (body: unknown) => cents(body) === cents(expected) ? undefined : `answered ${String(body)}, not ${expected}`
/** That a column of an answer's rows adds up to what the caller may know. */
const addsUp = (column: string, expected: number) => (body: unknown) => {
  const sum = (body as Record<string, unknown>[]).reduce((before, row) => before + Number(row[column]), 0)
  return cents(sum) === cents(expected) ? undefined : `${column} adds up to ${sum}, not ${expected}`
}
const groups = (rows: StoredRow[]) => [...new Set(rows.map(({ refers }) => refers['category_id'] ?? null))]
/** That an answer has exactly these groups. */
const hasGroups = (column: string, expected: (string | null)[]) => (body: unknown) => {
  const found = (body as Record<string, string | null>[]).map((row) => row[column] ?? '').toSorted()
  return found.join() === expected.map((key) => key ?? '').toSorted().join() ? undefined : `groups ${found.join()}, not ${expected.join()}`
}

export const functions: Record<string, (seen: Seen) => Call[]> = {
  get_filtered_transactions: ({ world, actor, visible, otherTeam }) => {
    const mine = visible('transactions')
    const filtered = (operation: string, filters: unknown[], rows: StoredRow[], target = ''): Call => ({
      operation,
      target,
      args: { filters },
      expected: { ...ok(undefined), rows: rows.map(({ key }) => key) },
    })
    return [
      filtered('all', [], mine),
      filtered('of another user', [{ field: 'user_id', operation: 'eq', value: 'other' }], []),
      filtered('of another organization', [{ field: 'organization_id', operation: 'eq', value: otherTeam }], []),
      filtered('by contents', [{ field: 'name', operation: 'like', value: '*zqyr*' }], mine),
      filtered('by amount', [{ field: 'amount', operation: 'gt', value: 0 }], mine),
      ...[...targetsOf(world, actor, 'transactions')].map(([target, row]) =>
        filtered('by id', [{ field: 'id', operation: 'eq', value: row?.key ?? randomUUID() }], mine.filter((one) => one === row), target)
      ),
    ]
  },
  get_transaction_stat: ({ actor, user, active, otherTeam, inContext }) => {
    const here = inContext('transactions')
    const sum = (operation: string, args: object, expected: Expected): Call => ({
      operation,
      args: { p_filters: [], p_aggregate_fn: 'sum', ...args },
      expected,
    })
    return [
      sum('sum', {}, ok(is(total(here)))),
      sum('count', { p_aggregate_fn: 'count' }, ok(is(here.length))),
      sum('avg', { p_aggregate_fn: 'avg' }, ok(is(here.length === 0 ? 0 : total(here) / here.length))),
      sum('of oneself, personal', { p_user_id: user, p_organization_id: null, p_transaction_type: 'balance' }, ok(is(total(inContext('transactions', null))))),
      sum('of another user', { p_user_id: 'other', p_organization_id: null }, denied),
      sum('of another user in the team', { p_user_id: 'a-editor' === user ? 'a-owner' : 'a-editor', p_organization_id: active }, denied),
      sum('of another organization', { p_user_id: user, p_organization_id: otherTeam }, denied),
      sum('of the own team by name', { p_user_id: user, p_organization_id: actor.team }, active === actor.team ? ok(is(total(here))) : denied),
      sum('with a filter on another organization', { p_filters: [{ field: 'organization_id', operation: 'eq', value: otherTeam }] }, ok(is(0))),
    ]
  },
  get_transaction_aggregate: ({ inContext }) => {
    const here = inContext('transactions')
    return [
      { operation: 'by month', args: {}, expected: ok(addsUp('value', total(here))) },
      { operation: 'by status', args: { p_group_by: 'status', p_aggregate_fn: 'count' }, expected: ok(addsUp('value', here.length)) },
      {
        operation: 'by category',
        args: { p_group_by: 'category' },
        expected: ok((body) => hasGroups('key', groups(here))(body) ?? addsUp('value', total(here))(body)),
      },
    ]
  },
  get_transaction_distribution_by_category: ({ user, active, actor, otherTeam, inContext }) => {
    const of = (operation: string, params: object, rows: StoredRow[] | undefined): Call => ({
      operation,
      args: { params },
      expected: rows === undefined
        ? denied
        : ok((body) => hasGroups('category_id', groups(counted(rows)))(body) ?? addsUp('total', total(counted(rows)))(body)),
    })
    return [
      of('all', {}, inContext('transactions')),
      of('of oneself, personal', { user_id: user, organization_id: null }, inContext('transactions', null)),
      of('of another user', { user_id: 'other', organization_id: null }, undefined),
      of('of another organization', { user_id: user, organization_id: otherTeam }, undefined),
      of('of the own team by name', { user_id: user, organization_id: actor.team }, active === actor.team ? inContext('transactions') : undefined),
    ]
  },
  get_budget_comparison: ({ inContext }) => {
    const budgets = inContext('categories')
    const spent = counted(inContext('transactions')).filter(({ refers }) => refers['category_id'] !== undefined)
    const expected = ok((body) => hasGroups('category_id', budgets.map(({ key }) => key))(body) ?? addsUp('actual', -total(spent))(body))
    const range = { start_date: '2000-01-01', end_date: '2100-01-01' }
    return [{ operation: 'read', args: range, expected }, { operation: 'read by GET', args: range, expected, method: 'GET' }]
  },
  get_cash_flow: ({ inContext }) => {
    const expected = ok(addsUp('net', total(counted(inContext('transactions')))))
    const args = { grouping: 'monthly', periods: 3 }
    return [{ operation: 'read', args, expected }, { operation: 'read by GET', args, expected, method: 'GET' }]
  },
  delete_category: ({ world, actor }) => {
    const targets = targetsOf(world, actor, 'categories')
    const { caller } = actor
    const one = (operation: string, target: string, row: StoredRow | undefined, replacement: StoredRow | 'missing' | undefined): Call => {
      const args = {
        p_category_id: row?.key ?? randomUUID(),
        ...(replacement === undefined ? {} : { p_replacement_id: replacement === 'missing' ? randomUUID() : replacement.key }),
      }
      if (row === undefined || !sees(caller, row)) return { operation, target, args, expected: missing }
      const mayDelete = row.organization === null || caller.kind === 'user' && may(caller.role, 'delete')
      const found = replacement === undefined || replacement !== 'missing' && sameTenant(replacement, row)
      if (!mayDelete || !found)
        return { operation, target, args, expected: { answers: [...(mayDelete ? [] : denied.answers), ...(found ? [] : missing.answers)], ...nothing } }
      // with a replacement nothing is cleared, but the same rows change
      const { changed } = consequences([row], world.rows)
      return { operation, target, args, expected: { answers: [{ status: 200 }], changed, gone: [id(row)], added: [] } }
    }
    const spare = (row: StoredRow): StoredRow | undefined => world.rows.find((other) => other.table === 'categories' && other !== row && sameTenant(other, row))
    const unused = (row: StoredRow): StoredRow | undefined =>
      world.rows.find((other) =>
        other.table === 'categories' && sameTenant(other, row) && !world.rows.some(({ refers }) => refers['category_id'] === other.key)
      )
    return [...targets].flatMap(([target, row]) => [
      one('delete', target, row, undefined),
      ...(row === undefined ? [] : [one('delete an unused one', target, unused(row), undefined)]),
      ...(row === undefined ? [] : [one('replace by its own', target, row, spare(row)), one('replace by nothing', target, row, 'missing')]),
      ...(row === undefined || target !== 'own' && target !== "own team's"
        ? []
        : [...targets].flatMap(([place, other]) =>
          other === undefined || other === row || sameTenant(other, row) ? [] : [one(`replace by ${place}`, target, row, other)]
        )),
    ])
  },
}

/** Every function as every actor. */
export function* functionCases(world: World): Generator<Case> {
  for (const name of world.catalogue.functions) {
    if (functions[name] === undefined) throw new Error(`api.${name}() is exposed, and tests/isolation/functions.ts has no entry for it: say what it may answer`)
  }
  for (const actor of world.actors) {
    const { caller, user } = actor
    const active = caller.kind === 'user' ? caller.organization : null
    const visible = (table: string): StoredRow[] => list(caller, world.rows.filter((row) => row.table === table)) as StoredRow[]
    const seen: Seen = {
      world,
      actor,
      user,
      active,
      visible,
      otherTeam: actor.team === 'team-a' ? 'team-b' : 'team-a',
      inContext: (table, organization = active) => visible(table).filter((row) => row.organization === organization),
    }
    for (const name of world.catalogue.functions) {
      const calls = functions[name]?.(seen) ?? []
      for (const { operation, target = '', args, expected, method } of actor.asked === 'everything' ? calls : calls.slice(0, 1)) {
        const query = method === 'GET' ? `?${new URLSearchParams(args as Record<string, string>).toString()}` : ''
        yield {
          actor,
          table: `${name}()`,
          operation,
          target,
          command: 'call',
          request: method === 'GET'
            ? { method, path: `/rpc/${name}${query}`, headers: {} }
            : { method: 'POST', path: `/rpc/${name}`, body: JSON.stringify(args), headers: { 'content-type': 'application/json' } },
          expected: caller.kind === 'user' ? expected : expectedOf({ refused: [caller.kind === 'refused' ? 'token' : 'anonymous'] }, [], false),
        }
      }
    }
  }
}
