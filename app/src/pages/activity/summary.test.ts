/** Summaries of activity. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Activity } from '../../data/activity.ts'
import { activity } from '../../messages/activity.ts'
import { fields } from '../../messages/fields.ts'
import { differencesOf, hidden, summaryOf } from './summary.ts'

const change = (
  table_name: string,
  action: Activity['action'],
  before: Activity['before'],
  after: Activity['after'],
) => ({ table_name, action, before, after }) as Activity
const names = new Map([['food', 'Food']])

test('a request is one sentence: first the row that the user changed, then the rows that were deleted with it', () => {
  const part = change('line_items', 'delete', { name: 'Bread' }, null)
  const whole = change('transactions', 'delete', { name: 'Groceries' }, null)
  expect(summaryOf([part, part, whole], false, names)).toBe(
    'deleted the transaction “Groceries” and 2 splits',
  )
})

test('rows without a name are counted, and a request that is cut says so', () => {
  const row = change('budgets', 'update', null, null)
  expect(summaryOf([row], false, names)).toBe('changed a budget')
  expect(summaryOf([row, row], true, names)).toBe('changed 2 or more budgets')
})

test('changed fields are named and formatted, and hidden ones are left out', () => {
  const row = { name: 'Bread', category_id: null, reference_no: null, updated_at: '2025-01-01' }
  const differences = differencesOf(
    change('transactions', 'update', row, {
      ...row,
      category_id: 'food',
      reference_no: 'R-1',
      updated_at: '2025-01-02',
    }),
    names,
  )
  expect(differences).toEqual([
    { field: 'category', before: 'nothing', after: 'Food' },
    { field: 'reference', before: 'nothing', after: 'R-1' },
  ])
})

test('values of a fixed set, lists and conditions of rules are words', () => {
  const created = (table: string, after: Activity['after']) =>
    differencesOf(change(table, 'create', null, after), names).map(({ field, after: value }) =>
      `${field}: ${value}`
    )
  expect(created('subscriptions', { period: 'monthly', kind: 'transfer', is_active: true }))
    .toEqual([
      'frequency: every month',
      'type: transfer',
      'active: yes',
    ])
  expect(
    created('rules', {
      add_tags: ['trip', 'fun'],
      conditions: [{ value: 'rail' }, { value: 'food' }],
    }),
  ).toEqual([
    'new tags: trip and fun',
    'conditions: rail and Food',
  ])
  expect(created('exchange_rates', { base: 'usd' })).toEqual(['from currency: USD'])
})

test('every column of the tables that activity shows has a name, or is hidden', () => {
  const schema = readFileSync(new URL('../../../../db/schema.sql', import.meta.url), 'utf8')
  const columns = Object.keys(activity.tables).flatMap((table) => {
    const [, body = ''] = new RegExp(`create table api\\.${table} \\(([^;]*);`).exec(schema) ?? []
    return [...body.matchAll(/^ {2}(\w+) /gm)].map(([, column = '']) => column).filter((column) =>
      column !== 'constraint'
    )
  })
  expect(columns.length).toBeGreaterThan(100)
  expect([...new Set(columns)].filter((column) => !hidden.has(column) && !(column in fields)))
    .toEqual([])
})
