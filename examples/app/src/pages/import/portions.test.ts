/** Portions of an imported file. */
import type { Statement, StatementRow } from 'finance-client/import'
import { expect, test } from 'vitest'
import type { Account } from '../../data/accounts.ts'
import { groupsOf, lacksCurrency, portionsOf } from './portions.ts'

const row = (name: string, more: Partial<StatementRow> = {}): StatementRow => ({ name, amount: -1, transaction_date: '2025-01-31', ...more })
const statement = (rows: StatementRow[], accounts: Array<{ id: string, rows: StatementRow[] }> = []) =>
  ({ format: 'ofx', rows, accounts, problems: [] }) as unknown as Statement
const giro = { id: 'giro', currency: 'eur' } as Account

test('two accounts with the same last digits have different keys, and no key contains a whole number', () => {
  const [one, other] = [row('one'), row('other')]
  const groups = groupsOf(statement([one, other], [{ id: 'DE1234', rows: [one] }, { id: 'AT1234', rows: [other] }]))
  expect(groups.map(({ key }) => key)).toEqual(['…1234', '…1234 (2)'])
})

test('rows get the currency of their account, and pending rows are left out', () => {
  const of = statement([row('booked'), row('waiting', { status: 'pending' })])
  const groups = groupsOf(of)
  const choices = { accounts: { '': 'giro' }, currency: 'usd', withPending: false }
  expect(groups.map((group) => lacksCurrency(group, choices))).toEqual([false])
  expect(portionsOf(of, groups, [giro], choices)).toMatchObject([{ source: 'ofx giro', accountId: 'giro', currency: 'eur', rows: [{ name: 'booked' }] }])
})
