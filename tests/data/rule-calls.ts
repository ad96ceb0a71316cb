/** Calls of tests that store and apply rules, and rules that are refused. */
import { randomUUID } from 'node:crypto'
import type { Caller } from '../support/data.ts'

export const named = (pattern: string) => [{ field: 'name', operation: 'ilike', value: pattern }]
export const category = async (caller: Caller, name = 'Food'): Promise<string> =>
  (await caller.create('categories', { name })).id
export const pay = async (caller: Caller, name: string, more: object = {}): Promise<string> =>
  (await caller.create('transactions', { name, amount: -5, ...more })).id
export const rule = async (caller: Caller, row: object): Promise<string> =>
  (await caller.create('rules', { name: 'Rule', conditions: named('*rewe*'), ...row })).id
export const apply = (caller: Caller, more: object = {}) =>
  caller.post('/rpc/apply_rules', { p_dry_run: false, ...more })
export const stored = async (caller: Caller, id: string) =>
  (await caller.get(`/transactions?id=eq.${id}&select=name,category_id,tags(name)`)).body[0]

/** Conditions that no transaction meets, each with the field that contradicts itself. */
export const contradictions: [[string, string, unknown][], string][] = [
  [[['amount', 'gt', 5], ['amount', 'lt', 3]], 'amount'],
  [[['amount', 'eq', 5], ['amount', 'neq', 5]], 'amount'],
  [[['amount', 'is_null', true], ['amount', 'gt', 0]], 'amount'],
  [
    [['transaction_date', 'from', '2025-02-01'], ['transaction_date', 'lt', '2025-01-01']],
    'transaction_date',
  ],
  [[['currency', 'eq', 'eur'], ['currency', 'eq', 'USD']], 'currency'],
  [
    [['status', 'in', ['paid', 'pending']], ['status', 'neq', 'paid'], [
      'status',
      'neq',
      'pending',
    ]],
    'status',
  ],
  [[['category_id', 'is_null', true], ['category_id', 'eq', randomUUID()]], 'category_id'],
]

/** Values of a rule that are refused. */
export const refusedValues: [object][] = [
  [{ add_tags: [''] }],
  [{ add_tags: ['x'.repeat(101)] }],
  [{ add_tags: [null] }],
  [{ add_tags: Array.from({ length: 21 }, (_, i) => `tag ${i}`) }],
  [{ add_tags: [['a'], ['b']] }],
  [{ set_name: '' }],
  [{ set_name: 'x'.repeat(256) }],
  [{ priority: null }],
  [{ priority: 'first' }],
  [{ is_active: null }],
  [{ name: '' }],
  [{ conditions: null }],
  [{
    conditions: [{
      field: 'name',
      operation: 'in',
      value: Array.from({ length: 1000 }, () => 'x'.repeat(20)),
    }],
  }],
]
