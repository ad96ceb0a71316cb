/** Portions of an imported file. */
import type { Statement, StatementRow } from 'finance-client/import'
import { expect, test } from 'vitest'
import type { Account } from '../../data/accounts.ts'
import { accountFor, groupsOf, lacksCurrency, portionsOf } from './portions.ts'

const row = (name: string, more: Partial<StatementRow> = {}): StatementRow => ({
  name,
  amount: -1,
  transaction_date: '2025-01-31',
  ...more,
})
const statement = (rows: StatementRow[], accounts: Statement['accounts'] = []) =>
  ({ format: 'ofx', rows, accounts, problems: [] }) as unknown as Statement
const giro = { id: 'giro', currency: 'eur', account_number: '1234' } as Account
const dollars = { id: 'dollars', currency: 'usd', account_number: '1234' } as Account

test('two accounts with the same last digits have different keys, and no key contains a whole number', () => {
  const [one, other] = [row('one'), row('other')]
  const groups = groupsOf(
    statement([one, other], [{ id: 'DE1234', rows: [one] }, { id: 'AT1234', rows: [other] }]),
  )
  expect(groups.map(({ key }) => key)).toEqual(['…1234', '…1234 (2)'])
})

test('rows get the currency of their account, and pending rows are left out', () => {
  const of = statement([row('booked'), row('waiting', { status: 'pending' })])
  const groups = groupsOf(of)
  const choices = { accounts: { '': 'giro' }, currency: 'usd', withPending: false }
  expect(groups.map((group) => lacksCurrency(group, choices))).toEqual([false])
  expect(portionsOf(of, groups, [giro], choices)).toMatchObject([{
    source: 'ofx giro',
    accountId: 'giro',
    currency: 'eur',
    rows: [{ name: 'booked' }],
  }])
})

test('a statement of a month without transactions is a portion with its balance, and one without both is none', () => {
  const of = {
    format: 'camt',
    rows: [],
    problems: [],
    accounts: [{ id: 'DE1234', rows: [], balance: { amount: 5, on: '2025-01-31' } }, {
      id: 'DE5678',
      rows: [],
    }],
  }
  const groups = groupsOf(of as unknown as Statement)
  expect(
    portionsOf(of as unknown as Statement, groups, [giro], {
      accounts: { '…1234': 'giro' },
      currency: 'usd',
      withPending: false,
    }),
  ).toMatchObject([
    { accountId: 'giro', rows: [], balance: { amount: 5, on: '2025-01-31' } },
  ])
})

test("the statement's balance is of the chosen account, if its day is known and its currency is the account's", () => {
  const rows = [row('one')]
  const balanceOf = (account: object, chosen = 'giro') => {
    const of = {
      format: 'ofx',
      rows,
      problems: [],
      accounts: [{ id: 'DE1234', rows, ...account }],
    } as unknown as Statement
    const groups = groupsOf(of)
    return portionsOf(of, groups, [giro], {
      accounts: { [groups[0]?.key ?? '']: chosen },
      currency: 'usd',
      withPending: false,
    })[0]?.balance
  }
  const balance = { amount: 5, on: '2025-01-31' }
  expect([balanceOf({ balance }), balanceOf({ balance, currency: 'eur' })]).toEqual([
    balance,
    balance,
  ])
  expect([
    balanceOf({ balance, currency: 'usd' }),
    balanceOf({ balance: { amount: 5 } }),
    balanceOf({}),
    balanceOf({ balance }, ''),
  ]).toEqual([
    null,
    null,
    null,
    null,
  ])
  const plain = { ...statement(rows), balance }
  const inDollars = { ...statement([row('one', { currency: 'usd' })]), balance }
  expect(
    portionsOf(inDollars, groupsOf(inDollars), [giro], {
      accounts: { '': 'giro' },
      currency: 'usd',
      withPending: false,
    }),
  ).toMatchObject([{
    balance: null,
  }])
  expect(
    portionsOf(plain, groupsOf(plain), [giro], {
      accounts: { '': 'giro' },
      currency: 'usd',
      withPending: false,
    }),
  ).toMatchObject([{ balance }])
})

test('one number with several currencies is a group for each, and each finds the account of its currency', () => {
  const [euro, dollar] = [row('one', { currency: 'eur' }), row('other', { currency: 'usd' })]
  const balance = { amount: 5, on: '2025-01-31' }
  const accounts = [{ id: 'DE1234', currency: 'eur', rows: [euro], balance }, {
    id: 'DE1234',
    currency: 'usd',
    rows: [],
    balance,
  }]
  const groups = groupsOf(statement([euro], accounts))
  expect(groups.map(({ key, account }) => [key, account?.name])).toEqual([[
    '…1234 EUR',
    '…1234 EUR',
  ], ['…1234 USD', '…1234 USD']])
  expect(groups.map((group) => accountFor(group, groups, [giro, dollars], undefined))).toEqual([
    'giro',
    'dollars',
  ])
  expect(groups.map((group) => accountFor(group, groups, [giro, dollars], 'giro'))).toEqual([
    'giro',
    'dollars',
  ])
  // The key stays the same in a file of only one currency.
  const later = groupsOf(statement([dollar], [{ id: 'DE1234', currency: 'usd', rows: [dollar] }]))
  expect(later.map(({ key, account }) => [key, account?.name])).toEqual([['…1234 USD', '…1234']])
  const without = groupsOf(statement([euro, dollar]))
  expect(without.map(({ key, rows }) => [key, rows])).toEqual([['EUR', [euro]], ['USD', [dollar]]])
})

test('a checking and a savings account of one number are two groups, and the number decides neither', () => {
  const [one, other] = [row('one', { currency: 'eur' }), row('other', { currency: 'eur' })]
  const accounts = [{ id: 'DE1234', type: 'CHECKING', currency: 'eur', rows: [one] }, {
    id: 'DE1234',
    type: 'SAVINGS',
    currency: 'eur',
    rows: [other],
  }]
  const groups = groupsOf(statement([one, other], accounts))
  expect(groups.map(({ key }) => key)).toEqual(['…1234 CHECKING EUR', '…1234 SAVINGS EUR'])
  expect(groups.map((group) => accountFor(group, groups, [giro], undefined))).toEqual(['', ''])
  expect(groups.slice(0, 1).map((group) => accountFor(group, [group], [giro], undefined))).toEqual([
    'giro',
  ])
})

test('an account without rows has a portion if the file states its balance and the user chose an account', () => {
  const of = statement([], [{
    id: 'DE1234',
    currency: 'eur',
    rows: [],
    balance: { amount: 5, on: '2025-01-31' },
  }])
  const portions = (chosen: string) =>
    portionsOf(of, groupsOf(of), [giro], {
      accounts: { '…1234 EUR': chosen },
      currency: 'usd',
      withPending: false,
    })
  expect(portions('giro')).toMatchObject([{
    accountId: 'giro',
    rows: [],
    balance: { amount: 5, on: '2025-01-31' },
  }])
  expect(portions('')).toMatchObject([{ rows: [], balance: null }])
})
