/**
 * Calls of the functions with own ids and with ids of other tenants. The expected results are
 * computed from the rows that the model lets the caller see. The suite fails for an exposed
 * function that is missing here.
 */
import { randomUUID } from 'node:crypto'
import { expectedOf, nothing, targetsOf, type Case, type Expected } from './cases.ts'
import { consequences, id, list, may, onlyReads, pairOfPart, sameTenant, sees } from './model.ts'
import { type Actor, type StoredRow, type World } from './world.ts'

type Call = {
  operation: string
  target?: string
  args: Record<string, unknown>
  expected: Expected
  method?: 'GET'
  /** The path, if it differs: a query of a computed field with its row, or of some columns. */
  path?: string
}
type Seen = {
  world: World
  actor: Actor
  user: string
  active: string | null
  otherTeam: string
  /** The rows of a table that the caller sees. */
  visible: (table: string) => StoredRow[]
  /**
   * Those of the active context: "the organization's while one is active, else your personal ones".
   */
  inContext: (table: string, organization?: string | null) => StoredRow[]
}

const ok = (wrong: Expected['wrong']): Expected => ({
  answers: [{ status: 200 }],
  ...nothing,
  ...(wrong === undefined ? {} : { wrong }),
})
/** "Naming another user or organization is 403." */
const denied = expectedOf({ refused: ['denied'] }, [], false)
const missing: Expected = { answers: [{ status: 404 }], ...nothing }

const numberOf = (row: StoredRow, column: string): number => Number(row.payload[column] ?? 0)
const cents = (value: unknown): number => Math.round(Number(value) * 100)
const total = (rows: StoredRow[]): number =>
  rows.reduce((sum, row) => sum + numberOf(row, 'amount'), 0)
const counted = (rows: StoredRow[]): StoredRow[] =>
  rows.filter(({ payload }) => payload['status'] !== 'failed')
const is = (expected: number) => (body: unknown) =>
  cents(body) === cents(expected) ? undefined : `answered ${String(body)}, not ${expected}`
/** Checks that a column of the result adds up to what the caller may see. */
const addsUp = (column: string, expected: number) => (body: unknown) => {
  const sum = (body as Record<string, unknown>[]).reduce(
    (before, row) => before + Number(row[column]),
    0,
  )
  return cents(sum) === cents(expected) ? undefined : `${column} adds up to ${sum}, not ${expected}`
}
const groups = (
  rows: StoredRow[],
) => [...new Set(rows.map(({ refers }) => refers['category_id'] ?? null))]
/** Checks that the result has exactly these groups. */
const hasGroups = (column: string, expected: (string | null)[]) => (body: unknown) => {
  const found = (body as Record<string, string | null>[]).map((row) => row[column] ?? '').toSorted()
  return found.join() === expected.map((key) => key ?? '').toSorted().join()
    ? undefined
    : `groups ${found.join()}, not ${expected.join()}`
}

const functions: Record<string, (seen: Seen) => Call[]> = {
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
  import_transactions: ({ world, actor, user, active }) => {
    const { caller } = actor
    const context = { user, organization: active }
    const mayCreate = active === null || caller.kind === 'user' && may(caller.role, 'create')
    const sentAmount = 12.5
    const call = (
      operation: string,
      target: string,
      row: object,
      rest: object,
      expected: Expected,
    ): Call => ({
      operation,
      target,
      args: { p_rows: [{ name: 'sent', amount: sentAmount, ...row }], ...rest },
      expected: mayCreate ? expected : denied,
    })
    const says = (verdict: RegExp, key?: string) =>
      ok((body) => {
        const [one] = body as Record<string, unknown>[]
        return verdict.test(String(one?.['verdict'])) &&
            (key === undefined || one?.['transaction_id'] === key)
          ? undefined
          : `answered ${JSON.stringify(one)}`
      })
    const stored: Expected = {
      answers: [{ status: 200 }],
      changed: [],
      gone: [],
      added: ['imports', 'transactions'].map((table) => ({ table, ...context })),
    }
    const statedToo: Expected = {
      ...stored,
      added: ['balances', 'imports', 'transactions'].map((table) => ({ table, ...context })),
    }
    const invalid: Expected = { answers: [{ status: 400, code: /^22023$/ }], ...nothing }
    const store = { p_dry_run: false }
    const directionOf = (row: StoredRow) => Math.sign(numberOf(row, 'amount'))
    /**
     * "The bank now says something else of it. No person has edited that"; "an amount below that of
     * the line items is `changed`".
     */
    const isTakenOver = (row: StoredRow): boolean => {
      const itemized = total(
        world.rows.filter(({ table, refers }) =>
          table === 'line_items' && refers['transaction_id'] === row.key
        ),
      ) * directionOf(row)
      return itemized >= 0 && itemized <= sentAmount
    }
    return [
      call('dry run', '', {}, {}, says(/^new$/)),
      call('stored', '', {}, store, stored),
      call('of the user of another', '', { user_id: 'other' }, {}, says(/^invalid$/)),
      ...[...targetsOf(world, actor, 'transactions')].flatMap(([target, row]) => {
        if (row === undefined) return []
        // with another name, direction or day it would be another transaction
        const { external_id, name, transaction_date } = row.payload
        const existing = {
          external_id,
          name,
          transaction_date,
          amount: directionOf(row) * sentAmount,
        }
        const source = { p_source: row.payload['source'] }
        const isOurs = sameTenant(row, context)
        const verdict = isTakenOver(row) ? /^updated$/ : /^changed$/
        const taken = isTakenOver(row)
          ? { changed: [id(row)], added: [{ table: 'imports', ...context }] }
          : {}
        return [
          call(
            'dry run of a known row',
            target,
            existing,
            source,
            isOurs ? says(verdict, row.key) : says(/^new$/),
          ),
          call(
            'a known row, stored',
            target,
            existing,
            { ...source, ...store },
            isOurs ? { ...says(verdict, row.key), ...taken } : stored,
          ),
        ]
      }),
      ...[...targetsOf(world, actor, 'categories')].flatMap(([target, row]) => {
        const category = { category_id: row?.key ?? randomUUID() }
        const isOurs = row !== undefined && sameTenant(row, context)
        return [
          call(
            'dry run with a category',
            target,
            category,
            {},
            says(isOurs ? /^new$/ : /^invalid$/),
          ),
          call('with a category, stored', target, category, store, isOurs ? stored : invalid),
        ]
      }),
      ...[...targetsOf(world, actor, 'accounts')].flatMap(([target, row]) => {
        const account = { p_account_id: row?.key ?? randomUUID() }
        const isOurs = row !== undefined && sameTenant(row, context)
        return [
          call('dry run with an account', target, {}, account, isOurs ? says(/^new$/) : missing),
          call(
            'with an account, stored',
            target,
            {},
            { ...account, ...store },
            isOurs ? stored : missing,
          ),
          call('with a balance, stored', target, {}, {
            ...account,
            ...store,
            p_balance: 5,
            p_balance_on: '2031-05-05',
          }, isOurs ? statedToo : missing),
        ]
      }),
    ]
  },
  apply_rules: ({ world, actor, active, inContext }) => {
    const { caller } = actor
    // the conditions of every rule hold for every transaction, and each rule sets another name
    const call = (
      operation: string,
      target: string,
      args: Record<string, unknown>,
      organization: string | null,
    ): Call => {
      const rows = inContext('transactions', organization)
      const rules = inContext('rules', organization)
      const stores = 'p_dry_run' in args
      const isRight = (body: unknown): string | undefined => {
        const found = body as Record<string, string>[]
        if (found.some(({ rule_id: rule }) => !rules.some(({ key }) => key === rule)))
          return 'applied a rule of another context'
        return hasGroups('transaction_id', rules.length === 0 ? [] : rows.map(({ key }) => key))(
          body,
        )
      }
      const expected = { ...ok(isRight), ...(stores && { changed: rows.map((row) => id(row)) }) }
      return {
        operation,
        target,
        args,
        expected: organization === null || caller.kind === 'user' && may(caller.role, 'update')
          ? expected
          : denied,
      }
    }
    return [
      call('dry run', '', {}, active),
      call('stored', '', { p_dry_run: false }, active),
      ...[...targetsOf(world, actor, 'rules')].flatMap(([target, row]) => {
        const args = { p_rule_id: row?.key ?? randomUUID() }
        if (row === undefined || !sees(caller, row))
          return [{ operation: 'dry run of a rule', target, args, expected: missing }]
        return [
          call('dry run of a rule', target, args, row.organization),
          call('a rule, stored', target, { ...args, p_dry_run: false }, row.organization),
        ]
      }),
    ]
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
  undo: ({ world, actor }) =>
    [...targetsOf(world, actor, 'activity')].map(([target, row]) => {
      const { user_id: user, organization_id: organization } =
        (row?.payload['before'] ?? {}) as Record<string, string | null>
      const back: Expected = {
        answers: [{ status: 200 }],
        changed: [],
        gone: [],
        added: [{ table: 'tags', user: user ?? null, organization: organization ?? null }],
      }
      return {
        operation: 'of a deletion',
        target,
        args: { p_activity_id: row?.key ?? randomUUID() },
        expected: row !== undefined && sees(actor.caller, row) ? back : missing,
      }
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
  record_subscription: ({ world, actor, user }) =>
    [...targetsOf(world, actor, 'subscriptions')].flatMap(([target, row]) => {
      const { caller } = actor
      const record = (operation: string, day: string, expected: Expected): Call => {
        const call = {
          operation,
          target,
          args: { p_subscription_id: row?.key ?? randomUUID(), due_on: day },
        }
        if (row === undefined || !sees(caller, row)) return { ...call, expected: missing }
        return {
          ...call,
          expected:
            row.organization === null || caller.kind === 'user' && may(caller.role, 'create')
              ? expected
              : denied,
        }
      }
      const added = row === undefined
        ? []
        : [{ table: 'transactions', user, organization: row.organization }]
      return [
        record('a day', '2025-03-02', { answers: [{ status: 200 }], changed: [], gone: [], added }),
        record('no such day', '2025-03-03', {
          answers: [{ status: 400, code: /^22023$/ }],
          ...nothing,
        }),
      ]
    }),
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
  begin_upload: ({ world, actor, visible }) =>
    [...targetsOf(world, actor, 'transactions')].flatMap(([target, row]) => {
      const { caller } = actor
      const begin = (operation: string, sha256: unknown, size: unknown, answer: Expected): Call => {
        const call = {
          operation,
          target,
          args: { transaction_id: row?.key ?? randomUUID(), name: 'sent.pdf', size, sha256 },
        }
        if (row === undefined || !sees(caller, row)) return { ...call, expected: missing }
        const isAllowed = row.organization === null ||
          caller.kind === 'user' && may(caller.role, 'create')
        return { ...call, expected: isAllowed ? answer : denied }
      }
      const added = row === undefined ? [] : [{ table: 'attachments', ...pairOfPart(row) }]
      const existing = world.rows.filter(({ table, refers }) =>
        table === 'attachments' && refers['transaction_id'] === row?.key
      )
      return [
        begin('of a new file', 'a'.repeat(64), 5, {
          answers: [{ status: 200 }],
          changed: [],
          gone: [],
          added,
        }),
        ...existing.map(({ key, payload }) =>
          begin(
            'of the same file',
            payload['sha256'],
            payload['size'],
            ok((body) => {
              const { attachment_id, status } = body as Record<string, unknown>
              const isKnown = attachment_id === key && status === 'ready' &&
                visible('attachments').some((one) => one.key === key)
              return isKnown ? undefined : `answered ${JSON.stringify(body)}`
            }),
          )
        ),
      ]
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
  set_balance: ({ world, actor, user }) =>
    [...targetsOf(world, actor, 'accounts')].map(([target, row]) => {
      const { caller } = actor
      const call = {
        operation: 'set',
        target,
        args: { p_account_id: row?.key ?? randomUUID(), p_balance: 12.5, p_on_date: '1999-12-31' },
      }
      if (row === undefined || !sees(caller, row)) return { ...call, expected: missing }
      const isAllowed = row.organization === null ||
        caller.kind === 'user' && may(caller.role, 'create')
      const added = ['balances', 'transactions'].map((table) => ({
        table,
        user,
        organization: row.organization,
      }))
      return {
        ...call,
        expected: isAllowed ? { answers: [{ status: 200 }], changed: [], gone: [], added } : denied,
      }
    }),
  create_transfer: ({ world, actor, user }) => {
    const { caller } = actor
    const targets = targetsOf(world, actor, 'accounts')
    const between = (
      operation: string,
      target: string,
      from: StoredRow | undefined,
      to: StoredRow | undefined,
    ): Call => {
      const args = {
        from_account_id: from?.key ?? randomUUID(),
        to_account_id: to?.key ?? randomUUID(),
        amount: 12.5,
      }
      const call = (expected: Expected): Call => ({ operation, target, args, expected })
      if (from === undefined || to === undefined || !sees(caller, from) || !sees(caller, to))
        return call(missing)
      if (!sameTenant(from, to))
        return call({ answers: [{ status: 400, code: /^22023$/ }], ...nothing })
      if (from.organization !== null && !(caller.kind === 'user' && may(caller.role, 'create')))
        return call(denied)
      const half = { table: 'transactions', user, organization: from.organization }
      return call({ answers: [{ status: 200 }], changed: [], gone: [], added: [half, half] })
    }
    const spare = (row: StoredRow | undefined): StoredRow | undefined =>
      world.rows.find((other) =>
        row !== undefined && other.table === 'accounts' && other !== row && sameTenant(other, row)
      )
    return [...targets].flatMap(([target, row]) => [
      between('within one context', target, row, spare(row)),
      ...[...targets].filter(([, other]) => other !== row).flatMap(([place, other]) =>
        target === 'own' || target === "own team's"
          ? [
            between(`to ${place}`, target, row, other),
            between(`from ${place}`, target, other, row),
          ]
          : []
      ),
    ])
  },
  link_transfer: ({ world, actor }) => {
    const { caller } = actor
    const targets = [...targetsOf(world, actor, 'transactions')]
    const between = (
      operation: string,
      target: string,
      from: StoredRow | undefined,
      to: StoredRow | undefined,
    ): Call => {
      const args = {
        p_from_transaction_id: from?.key ?? randomUUID(),
        p_to_transaction_id: to?.key ?? randomUUID(),
      }
      const call = (expected: Expected): Call => ({ operation, target, args, expected })
      if (from === undefined || to === undefined || !sees(caller, from) || !sees(caller, to))
        return call(missing)
      const mayUpdate = from.organization === null ||
        caller.kind === 'user' && may(caller.role, 'update')
      // the transactions of the world have one account, so no two of them are a transfer
      return call(
        sameTenant(from, to) && !mayUpdate
          ? denied
          : { answers: [{ status: 400, code: /^22023$/ }], ...nothing },
      )
    }
    const spare = (row: StoredRow | undefined): StoredRow | undefined =>
      world.rows.find((other) =>
        row !== undefined && other.table === 'transactions' && other !== row &&
        sameTenant(other, row)
      )
    return targets.flatMap(([target, row]) => [
      between('within one context', target, row, spare(row)),
      ...targets.filter(([, other]) => other !== row).map(([place, other]) =>
        between(`to ${place}`, target, row, other)
      ),
    ])
  },
  unlink_transfer: ({ world, actor }) =>
    [...targetsOf(world, actor, 'transactions')].map(([target, row]) => ({
      operation: 'the id of a transaction',
      target,
      args: { p_transfer_id: row?.key ?? randomUUID() },
      expected: missing,
    })),
  delete_category: ({ world, actor }) => {
    const targets = targetsOf(world, actor, 'categories')
    const { caller } = actor
    const one = (
      operation: string,
      target: string,
      row: StoredRow | undefined,
      replacement: StoredRow | 'missing' | undefined,
    ): Call => {
      const args = {
        p_category_id: row?.key ?? randomUUID(),
        ...(replacement === undefined
          ? {}
          : { p_replacement_id: replacement === 'missing' ? randomUUID() : replacement.key }),
      }
      if (row === undefined || !sees(caller, row))
        return { operation, target, args, expected: missing }
      const mayDelete = row.organization === null ||
        caller.kind === 'user' && may(caller.role, 'delete')
      const found = replacement === undefined ||
        replacement !== 'missing' && sameTenant(replacement, row)
      if (!mayDelete || !found)
        return {
          operation,
          target,
          args,
          expected: {
            answers: [...(mayDelete ? [] : denied.answers), ...(found ? [] : missing.answers)],
            ...nothing,
          },
        }
      // With a replacement no reference is cleared, but the same rows change.
      const { changed, gone } = consequences([row], world.rows)
      return {
        operation,
        target,
        args,
        expected: { answers: [{ status: 200 }], changed, gone, added: [] },
      }
    }
    const spare = (row: StoredRow): StoredRow | undefined =>
      world.rows.find((other) =>
        other.table === 'categories' && other !== row && sameTenant(other, row)
      )
    const unused = (row: StoredRow): StoredRow | undefined =>
      world.rows.find((other) =>
        other.table === 'categories' && sameTenant(other, row) &&
        !world.rows.some(({ refers }) => refers['category_id'] === other.key)
      )
    return [...targets].flatMap(([target, row]) => [
      one('delete', target, row, undefined),
      ...(row === undefined ? [] : [one('delete an unused one', target, unused(row), undefined)]),
      ...(row === undefined
        ? []
        : [
          one('replace by its own', target, row, spare(row)),
          one('replace by nothing', target, row, 'missing'),
        ]),
      ...(row === undefined || target !== 'own' && target !== "own team's"
        ? []
        : [...targets].flatMap(([place, other]) =>
          other === undefined || other === row || sameTenant(other, row)
            ? []
            : [one(`replace by ${place}`, target, row, other)]
        )),
    ])
  },
}

/** Functions that only read, and also store a ticket. A key that only reads may call them. */
const onlyOpens = new Set(['open_attachment'])

/** All calls of functions, for every actor. */
export function* functionCases(world: World): Generator<Case> {
  const volatile = new Set(
    world.catalogue.signatures.filter(({ name, isVolatile }) => isVolatile && !onlyOpens.has(name))
      .map(({ name }) => name),
  )
  for (const name of world.catalogue.functions) {
    if (functions[name] === undefined)
      throw new Error(
        `api.${name}() is exposed, and tests/isolation/functions.ts has no entry for it: say what it may answer`,
      )
  }
  for (const actor of world.actors) {
    const { caller, user } = actor
    const active = caller.kind === 'user' ? caller.organization : null
    const visible = (table: string): StoredRow[] =>
      list(caller, world.rows.filter((row) => row.table === table)) as StoredRow[]
    const seen: Seen = {
      world,
      actor,
      user,
      active,
      visible,
      otherTeam: actor.team === 'team-a' ? 'team-b' : 'team-a',
      inContext: (table, organization = active) =>
        visible(table).filter((row) => row.organization === organization),
    }
    for (const name of world.catalogue.functions) {
      const calls = functions[name]?.(seen) ?? []
      for (
        const { operation, target = '', args, expected, method, path }
          of actor.depth === 'everything' ? calls : calls.slice(0, 1)
      ) {
        const query = method === 'GET'
          ? `?${new URLSearchParams(args as Record<string, string>).toString()}`
          : ''
        yield {
          actor,
          table: `${name}()`,
          operation,
          target,
          command: 'call',
          request: method === 'GET'
            ? { method, path: path ?? `/rpc/${name}${query}`, headers: {} }
            : {
              method: 'POST',
              path: path ?? `/rpc/${name}`,
              body: JSON.stringify(args),
              headers: { 'content-type': 'application/json' },
            },
          expected: caller.kind === 'user'
            ? (onlyReads(caller) && volatile.has(name) ? denied : expected)
            : expectedOf(
              { refused: [caller.kind === 'refused' ? 'token' : 'anonymous'] },
              [],
              false,
            ),
        }
      }
    }
  }
}
