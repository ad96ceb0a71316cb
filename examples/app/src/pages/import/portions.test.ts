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

test('a statement of a month without transactions is a portion with its balance, and one without both is none', () => {
  const of = {
    format: 'camt',
    rows: [],
    problems: [],
    accounts: [{ id: 'DE1234', rows: [], balance: { amount: 5, on: '2025-01-31' } }, { id: 'DE5678', rows: [] }],
  }
  const groups = groupsOf(of as unknown as Statement)
  expect(portionsOf(of as unknown as Statement, groups, [giro], { accounts: { '…1234': 'giro' }, currency: 'usd', withPending: false })).toMatchObject([
    { accountId: 'giro', rows: [], balance: { amount: 5, on: '2025-01-31' } },
  ])
})

test("the statement's balance is of the chosen account, if its day is known and its currency is the account's", () => {
  const rows = [row('one')]
  const balanceOf = (account: object, chosen = 'giro') => {
    const of = { format: 'ofx', rows, problems: [], accounts: [{ id: 'DE1234', rows, ...account }] } as unknown as Statement
    const groups = groupsOf(of)
    return portionsOf(of, groups, [giro], { accounts: { '…1234': chosen }, currency: 'usd', withPending: false })[0]?.balance
  }
  const balance = { amount: 5, on: '2025-01-31' }
  expect([balanceOf({ balance }), balanceOf({ balance, currency: 'eur' })]).toEqual([balance, balance])
  expect([balanceOf({ balance, currency: 'usd' }), balanceOf({ balance: { amount: 5 } }), balanceOf({}), balanceOf({ balance }, '')]).toEqual([
    null,
    null,
    null,
    null,
  ])
  const plain = { ...statement(rows), balance }
  expect(portionsOf(plain, groupsOf(plain), [giro], { accounts: { '': 'giro' }, currency: 'usd', withPending: false })).toMatchObject([{ balance }])
})
