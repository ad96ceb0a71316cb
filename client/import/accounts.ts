/** Separates the rows of a file by account, and finds the balance of each. */
import { amountIn } from './amounts.ts'
import { dayIn } from './dates.ts'
import { currencyIn, type Entry, type FileAccount, type FileStatement } from './entries.ts'
import { provenBalance } from './running-balance.ts'
import type { DateOrder, Decimal, ReadOptions, StatementAccount, StatementBalance, StatementRow } from './types.ts'

const numberOf = ({ id, bank, type }: FileAccount) => JSON.stringify([id, bank, type])

const keyOf = (account: FileAccount, currency: string | undefined) => JSON.stringify([account.id, account.bank, account.type, currency])

const nameless: FileAccount = { id: '' }

/**
 * Returns the key of each row's account: its number and its currency, so that no two currencies share a balance. A row without a currency
 * belongs to the only currency of its number.
 */
export function accountKeys(rows: StatementRow[], entries: Entry[], statements: FileStatement[], options: ReadOptions): string[] {
  const currencies = new Map<string, Set<string>>()
  const note = (account: FileAccount, currency: string | undefined) => {
    const number = numberOf(account)
    const currencySet = currencies.get(number) ?? new Set()
    currencies.set(number, currency === undefined ? currencySet : currencySet.add(currency))
  }
  for (const { account } of statements) note(account, currencyOf(account, options))
  const accounts = entries.map(({ account, statement }) => account ?? statement?.account ?? nameless)
  for (const [index, { currency }] of rows.entries()) note(accounts[index]!, currency)
  return rows.map(({ currency }, index) => {
    const account = accounts[index]!
    const currencySet = currencies.get(numberOf(account))
    return keyOf(account, currency ?? (currencySet?.size === 1 ? [...currencySet][0] : undefined))
  })
}

const currencyOf = ({ currency }: FileAccount, options: ReadOptions) => currency ?? currencyIn(options.currency)

/** An account in progress. `closed` is the day of its balance, and the time as text of the file. */
type Found = { account: StatementAccount, closed: string }

/**
 * Returns each account of the file with its rows and its last balance, and the balance of a file that names no account.
 *
 * @param keys the account of each row, as `accountKeys` returns them
 * @param duplicates the indexes of rows that are left out
 */
export function accountsOf(
  rows: StatementRow[],
  entries: Entry[],
  keys: string[],
  duplicates: Set<number>,
  statements: FileStatement[],
  { order, decimal, options }: { order: DateOrder, decimal: Decimal, options: ReadOptions },
): { accounts: StatementAccount[], balance?: StatementBalance } {
  const found = new Map<string, Found>()
  const at = (key: string, { id, bank, type, name }: FileAccount): Found => {
    const existing = found.get(key)
    if (existing !== undefined) return existing
    const [, , , currency] = JSON.parse(key) as Array<string | null>
    const account: StatementAccount = {
      id,
      ...bank === undefined ? {} : { bank },
      ...type === undefined ? {} : { type },
      ...name === undefined ? {} : { name },
      ...currency == null ? {} : { currency },
      rows: [],
    }
    const created: Found = { account, closed: '' }
    found.set(key, created)
    return created
  }
  for (const { account, closing, isPage } of statements) {
    const one = at(keyOf(account, currencyOf(account, options)), account)
    if (account.name !== undefined) one.account.name ??= account.name
    const cents = closing === undefined || isPage === true ? undefined : amountIn(closing.amount, decimal)
    if (closing === undefined || typeof cents !== 'number') continue
    const on = dayIn(closing.on, order)
    const closed = `${on ?? ''} ${closing.on}`
    if (closed < one.closed) continue
    one.closed = closed
    one.account.balance = { amount: cents / 100, ...on === undefined ? {} : { on } }
  }
  for (const [index, row] of rows.entries()) {
    const { account, statement } = entries[index]!
    const one = at(keys[index]!, account ?? statement?.account ?? nameless)
    if (!duplicates.has(index)) one.account.rows.push(row)
  }
  const [accounts, others] = [[] as StatementAccount[], [] as StatementAccount[]]
  for (const { account } of found.values()) (account.id === '' ? others : accounts).push(account)
  const proven = found.size > 1 ? undefined : provenBalance(entries, rows, decimal)
  if (proven !== undefined) { for (const account of accounts) account.balance ??= proven }
  const balance = accounts.length > 0 ? undefined : others.length === 1 ? others[0]!.balance ?? proven : proven
  return { accounts, ...balance === undefined ? {} : { balance } }
}
