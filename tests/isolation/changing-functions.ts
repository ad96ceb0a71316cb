/** Calls of the functions that change rows, with own ids and with ids of other tenants. */
import { randomUUID } from 'node:crypto'
import { nothing, targetsOf, type Expected } from './cases.ts'
import {
  denied,
  hasGroups,
  missing,
  numberOf,
  ok,
  total,
  type Call,
  type Seen,
} from './function-calls.ts'
import { consequences, id, may, pairOfPart, sameTenant, sees } from './model.ts'
import type { StoredRow } from './world.ts'

/** The calls of each function, with the effects that they may have. */
export const changingFunctions: Record<string, (seen: Seen) => Call[]> = {
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
