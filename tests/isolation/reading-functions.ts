/** Calls of the functions that only read, with own ids and with ids of other tenants. */
import { randomUUID } from 'node:crypto'
import { nothing, targetsOf, type Expected } from './cases.ts'
import {
  addsUp,
  cents,
  counted,
  denied,
  groups,
  hasGroups,
  is,
  missing,
  numberOf,
  ok,
  total,
  type Call,
  type Seen,
} from './function-calls.ts'
import { sees } from './model.ts'
import type { StoredRow } from './world.ts'

/** The calls of each function, with the results that the caller may see. */
export const readingFunctions: Record<string, (seen: Seen) => Call[]> = {
  get_filtered_transactions: ({ world, actor, visible, otherTeam }) => {
    const mine = visible('transactions')
    const filtered = (
      operation: string,
      filters: unknown[],
      rows: StoredRow[],
      target = '',
    ): Call => ({
      operation,
      target,
      args: { filters },
      expected: { ...ok(undefined), rows: rows.map(({ key }) => key) },
    })
    return [
      filtered('all', [], mine),
      filtered('of another user', [{ field: 'user_id', operation: 'eq', value: 'other' }], []),
      filtered('of another organization', [{
        field: 'organization_id',
        operation: 'eq',
        value: otherTeam,
      }], []),
      filtered('by contents', [{ field: 'name', operation: 'like', value: '*zqyr*' }], mine),
      filtered('by amount', [{ field: 'amount', operation: 'gt', value: 0 }], mine),
      ...[...targetsOf(world, actor, 'transactions')].map(([target, row]) =>
        filtered(
          'by id',
          [{ field: 'id', operation: 'eq', value: row?.key ?? randomUUID() }],
          mine.filter((one) => one === row),
          target,
        )
      ),
    ]
  },
  get_transaction_stat: ({ actor, user, active, otherTeam, inContext }) => {
    const countedRows = counted(inContext('transactions'))
    const sum = (operation: string, args: object, expected: Expected): Call => ({
      operation,
      args: { p_filters: [], p_aggregate_fn: 'sum', ...args },
      expected,
    })
    return [
      sum('sum', {}, ok(is(total(countedRows)))),
      sum('count', { p_aggregate_fn: 'count' }, ok(is(countedRows.length))),
      sum(
        'avg',
        { p_aggregate_fn: 'avg' },
        ok(is(countedRows.length === 0 ? 0 : total(countedRows) / countedRows.length)),
      ),
      sum(
        'of oneself, personal',
        { p_user_id: user, p_organization_id: null, p_transaction_type: 'balance' },
        ok(is(total(counted(inContext('transactions', null))))),
      ),
      sum('of another user', { p_user_id: 'other', p_organization_id: null }, denied),
      sum('of another user in the team', {
        p_user_id: 'a-editor' === user ? 'a-owner' : 'a-editor',
        p_organization_id: active,
      }, denied),
      sum('of another organization', { p_user_id: user, p_organization_id: otherTeam }, denied),
      sum(
        'of the own team by name',
        { p_user_id: user, p_organization_id: actor.team },
        active === actor.team ? ok(is(total(countedRows))) : denied,
      ),
      sum('with a filter on another organization', {
        p_filters: [{ field: 'organization_id', operation: 'eq', value: otherTeam }],
      }, ok(is(0))),
    ]
  },
  get_transaction_aggregate: ({ inContext }) => {
    const countedRows = counted(inContext('transactions'))
    return [
      { operation: 'by month', args: {}, expected: ok(addsUp('value', total(countedRows))) },
      {
        operation: 'by status',
        args: { p_group_by: 'status', p_aggregate_fn: 'count' },
        expected: ok(addsUp('value', inContext('transactions').length)),
      },
      {
        operation: 'by category',
        args: { p_group_by: 'category' },
        expected: ok((body) =>
          hasGroups('key', groups(countedRows))(body) ?? addsUp('value', total(countedRows))(body)
        ),
      },
    ]
  },
  get_missing_rates: ({ inContext }) => {
    const args = { p_convert_to: 'xof' }
    const expected = ok(addsUp('transactions', counted(inContext('transactions')).length))
    return [{ operation: 'read', args, expected }, {
      operation: 'read by GET',
      args,
      expected,
      method: 'GET',
    }]
  },
  get_transaction_distribution_by_category: ({ user, active, actor, otherTeam, inContext }) => {
    const of = (operation: string, params: object, rows: StoredRow[] | undefined): Call => ({
      operation,
      args: { params },
      expected: rows === undefined
        ? denied
        : ok((body) =>
          hasGroups('category_id', groups(counted(rows)))(body) ??
            addsUp('total', total(counted(rows)))(body)
        ),
    })
    return [
      of('all', {}, inContext('transactions')),
      of(
        'of oneself, personal',
        { user_id: user, organization_id: null },
        inContext('transactions', null),
      ),
      of('of another user', { user_id: 'other', organization_id: null }, undefined),
      of('of another organization', { user_id: user, organization_id: otherTeam }, undefined),
      of(
        'of the own team by name',
        { user_id: user, organization_id: actor.team },
        active === actor.team ? inContext('transactions') : undefined,
      ),
    ]
  },
  get_budget_comparison: ({ inContext }) => {
    const budgets = inContext('categories')
    const spent = counted(inContext('transactions')).filter(({ refers }) =>
      refers['category_id'] !== undefined
    )
    const expected = ok((body) =>
      hasGroups('category_id', budgets.map(({ key }) => key))(body) ??
        addsUp('actual', -total(spent))(body)
    )
    const range = { start_date: '2000-01-01', end_date: '2100-01-01' }
    return [{ operation: 'read', args: range, expected }, {
      operation: 'read by GET',
      args: range,
      expected,
      method: 'GET',
    }]
  },
  get_cash_flow: ({ inContext }) => {
    const expected = ok(addsUp('net', total(counted(inContext('transactions')))))
    const args = { grouping: 'monthly', periods: 3 }
    return [{ operation: 'read', args, expected }, {
      operation: 'read by GET',
      args,
      expected,
      method: 'GET',
    }]
  },
  search_text: ({ visible }) => [{
    operation: 'of a list',
    args: {},
    method: 'GET',
    path: '/transactions?select=id,search_text',
    expected: ok(hasGroups('id', visible('transactions').map(({ key }) => key))),
  }],
  sort_name: ({ visible }) => [{
    operation: 'of a list',
    args: {},
    method: 'GET',
    path: '/transactions?select=id,sort_name&order=sort_name',
    expected: ok(hasGroups('id', visible('transactions').map(({ key }) => key))),
  }],
  current_balance: ({ visible }) => {
    const moved = counted(visible('transactions')).filter(({ payload }) =>
      payload['status'] === 'paid'
    )
    const balances = visible('accounts').map((account) =>
      `${account.key} ${
        cents(
          numberOf(account, 'balance') +
            total(moved.filter(({ refers }) => refers['account_id'] === account.key)),
        )
      }`
    )
    const isRight = (body: unknown): string | undefined => {
      const found = (body as Record<string, unknown>[])
        .map(({ id: key, current_balance: balance }) => `${String(key)} ${cents(balance)}`)
      return found.toSorted().join() === balances.toSorted().join()
        ? undefined
        : `balances ${found.join()}, not ${balances.join()}`
    }
    return [{
      operation: 'of a list',
      args: {},
      method: 'GET',
      path: '/accounts?select=id,current_balance',
      expected: ok(isRight),
    }]
  },
  get_balances: ({ inContext }) => {
    const moved = inContext('transactions').filter(({ refers, payload }) =>
      refers['account_id'] !== undefined && payload['status'] === 'paid'
    )
    const opening = inContext('accounts').reduce((sum, row) => sum + numberOf(row, 'balance'), 0)
    const expected = ok((body) =>
      hasGroups('account_id', inContext('accounts').map(({ key }) => key))(body) ??
        addsUp('balance', opening + total(moved))(body)
    )
    return [{ operation: 'read', args: {}, expected }, {
      operation: 'read by GET',
      args: {},
      expected,
      method: 'GET',
    }]
  },
  get_net_worth: ({ inContext }) => {
    const moved = inContext('transactions').filter(({ refers, payload }) =>
      refers['account_id'] !== undefined && payload['status'] === 'paid'
    )
    const opening = inContext('accounts').reduce((sum, row) => sum + numberOf(row, 'balance'), 0)
    const args = { grouping: 'monthly', periods: 1 }
    const expected = ok(addsUp('net', opening + total(moved)))
    return [{ operation: 'read', args, expected }, {
      operation: 'read by GET',
      args,
      expected,
      method: 'GET',
    }]
  },
  suggest_categories: ({ world, actor, inContext }) =>
    [...targetsOf(world, actor, 'transactions')].flatMap(([target, row]) => {
      const args = { p_transaction_ids: [row?.key ?? randomUUID()] }
      // each transaction of the world has a name of its own
      const seen = (rows: StoredRow[]) => (body: unknown) => {
        const [one] = body as Record<string, unknown>[]
        return one?.['seen'] === rows.length && one['category_id'] === null
          ? undefined
          : `answered ${JSON.stringify(one)}`
      }
      const byId = {
        operation: 'of a transaction',
        target,
        args,
        expected: row !== undefined && sees(actor.caller, row) ? ok(seen([])) : missing,
      }
      if (row === undefined) return [byId]
      const filed = inContext('transactions').filter((one) =>
        one === row && one.refers['category_id'] !== undefined
      )
      const ofName = { p_rows: [{ name: row.payload['name'], amount: row.payload['amount'] }] }
      // without the reason, which repeats the name
      const path = '/rpc/suggest_categories?select=seen,category_id'
      return [byId, {
        operation: 'of the name of a transaction',
        target,
        args: ofName,
        path,
        expected: ok(seen(filed)),
      }]
    }),
  monthly_cost: ({ visible }) => {
    const costs = visible('subscriptions').map((row) =>
      `${row.key} ${Math.round(numberOf(row, 'amount') * 100 * 365 / 12 / 30)}`
    )
    const isRight = (body: unknown): string | undefined => {
      const found = (body as Record<string, unknown>[]).map(({ id: key, monthly_cost: cost }) =>
        `${String(key)} ${cents(cost)}`
      )
      return found.toSorted().join() === costs.toSorted().join()
        ? undefined
        : `costs ${found.join()}, not ${costs.join()}`
    }
    return [{
      operation: 'of a list',
      args: {},
      method: 'GET',
      path: '/subscriptions?select=id,monthly_cost',
      expected: ok(isRight),
    }]
  },
  next_due_on: ({ visible }) => {
    const keys = visible('subscriptions').map(({ key }) => key)
    const isRight = (body: unknown): string | undefined => {
      const due = (body as Record<string, unknown>[]).filter(({ next_due_on: day }) => day !== null)
        .map(({ id: key }) => String(key))
      return due.toSorted().join() === keys.toSorted().join()
        ? undefined
        : `due are ${due.join()}, not ${keys.join()}`
    }
    return [{
      operation: 'of a list',
      args: {},
      method: 'GET',
      path: '/subscriptions?select=id,next_due_on',
      expected: ok(isRight),
    }]
  },
  get_upcoming: ({ inContext }) => {
    const days = inContext('subscriptions').flatMap(({ key }) => Array<string>(12).fill(key))
    const expected = ok(hasGroups('subscription_id', days))
    const args = { start_date: '2025-01-01', end_date: '2025-12-31' }
    return [{ operation: 'of a year', args, expected }, {
      operation: 'of a year by GET',
      args,
      expected,
      method: 'GET',
    }]
  },
  get_instance_rates: () => [{
    operation: 'of today',
    args: {},
    method: 'GET',
    expected: ok(hasGroups('quote', [])),
  }],
  get_forecast: ({ world, actor, inContext }) => {
    const accounts = inContext('accounts')
    // Few days, because sums of many due days look like canaries.
    const future = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    return [
      {
        operation: 'of all accounts',
        args: { p_until: 'today' },
        expected: ok(hasGroups('account_id', accounts.map(({ key }) => key))),
      },
      {
        operation: 'converted',
        args: { p_until: 'today', p_convert_to: 'usd' },
        expected: ok(hasGroups('account_id', accounts.length === 0 ? [] : [null])),
      },
      ...[...targetsOf(world, actor, 'accounts')].flatMap(([target, row]): Call[] => {
        const key = row?.key ?? randomUUID()
        const isOurs = accounts.some((account) => account.key === key)
        const added = {
          p_until: future,
          p_what_if: [{ account_id: key, on_date: future, amount: 1 }],
        }
        return [
          {
            operation: 'of an account',
            target,
            args: { p_until: 'today', p_account_ids: [key] },
            expected: isOurs ? ok(hasGroups('account_id', [key])) : missing,
          },
          {
            operation: 'what if',
            target,
            args: added,
            expected: isOurs
              ? ok(undefined)
              : { answers: [{ status: 400, code: /^22023$/ }], ...nothing },
          },
        ]
      }),
    ]
  },
  get_reconciliation: ({ world, actor, visible }) =>
    [...targetsOf(world, actor, 'accounts')].flatMap(([target, row]) => {
      const args = { p_account_id: row?.key ?? randomUUID() }
      const stated = visible('balances').filter(({ refers }) => refers['account_id'] === row?.key)
        .reduce((sum, one) => sum + numberOf(one, 'balance'), 0)
      const expected = row === undefined || !sees(actor.caller, row)
        ? missing
        : ok(addsUp('stated', stated))
      return [{ operation: 'read', target, args, expected }, {
        operation: 'read by GET',
        target,
        args,
        expected,
        method: 'GET' as const,
      }]
    }),
  open_attachment: ({ world, actor }) =>
    [...targetsOf(world, actor, 'attachments')].map(([target, row]) => ({
      operation: 'open',
      target,
      args: { id: row?.key ?? randomUUID() },
      expected: row !== undefined && sees(actor.caller, row) ? ok(undefined) : missing,
    })),
  get_file_space: ({ actor: { caller }, active, inContext }) => {
    const isOfTeam = caller.kind === 'user' && caller.key !== undefined && active !== null
    const contexts = [...(isOfTeam ? [] : [null]), ...(active === null ? [] : [active])]
    const used = contexts.map((context) => [
      context,
      inContext('attachments', context).reduce((sum, row) => sum + numberOf(row, 'size'), 0),
    ])
    const isRight = (body: unknown): string | undefined => {
      const found = (body as Record<string, unknown>[]).map((
        row,
      ) => [row['organization_id'], row['bytes_used']])
      return JSON.stringify(found) === JSON.stringify(used)
        ? undefined
        : `answered ${JSON.stringify(found)}, not ${JSON.stringify(used)}`
    }
    return [{ operation: 'of each context', args: {}, expected: ok(isRight) }, {
      operation: 'by GET',
      args: {},
      method: 'GET',
      expected: ok(isRight),
    }]
  },
}
