/** Separates the rows of a file by account, and finds the balance of each. */
import { amountIn, centsText, hasMoreDecimals, inUnits } from './amounts.ts'
import type { Conventions } from './conventions.ts'
import { dayIn } from './dates.ts'
import { currencyIn, type Entry, type FileAccount, type FileStatement, placeOf } from './entries.ts'
import { grouped } from './grouped.ts'
import { provenBalance } from './running-balance.ts'
import { amountOf } from './statement-sums.ts'
import type {
  Problem,
  ReadOptions,
  StatementAccount,
  StatementBalance,
  StatementRow,
} from './types.ts'

const numberOf = ({ id, bank, type }: FileAccount) => JSON.stringify([id, bank, type])

const keyOf = (account: FileAccount, currency: string | undefined) =>
  JSON.stringify([account.id, account.bank, account.type, currency])

const nameless: FileAccount = { id: '' }

/**
 * Gives an account without a bank or a type those of the only other account with its number: some
 * files of OFX leave them out.
 */
export function completeAccounts(statements: FileStatement[]): void {
  for (
    const accounts of grouped(statements.map(({ account }) => account), ({ id }) => id).values()
  ) {
    for (const part of ['bank', 'type'] as const) {
      const values = new Set(accounts.flatMap((account) => account[part] ?? []))
      if (values.size === 1) { for (const account of accounts) account[part] = [...values][0]! }
    }
  }
}

/**
 * Returns the key of each row's account: its number and its currency, so that no two currencies
 * share a balance. A row without a currency belongs to the only currency of its number.
 */
export function accountKeys(
  rows: StatementRow[],
  entries: Entry[],
  statements: FileStatement[],
  options: ReadOptions,
): string[] {
  const currencies = new Map<string, Set<string>>()
  const note = (account: FileAccount, currency: string | undefined) => {
    const number = numberOf(account)
    const currencySet = currencies.get(number) ?? new Set()
    currencies.set(number, currency === undefined ? currencySet : currencySet.add(currency))
  }
  for (const { account } of statements) note(account, currencyOf(account, options))
  const accounts = entries.map(({ account, statement }) =>
    account ?? statement?.account ?? nameless
  )
  for (const [index, { currency }] of rows.entries()) note(accounts[index]!, currency)
  return rows.map(({ currency }, index) => {
    const account = accounts[index]!
    const currencySet = currencies.get(numberOf(account))
    return keyOf(account, currency ?? (currencySet?.size === 1 ? [...currencySet][0] : undefined))
  })
}

const currencyOf = ({ currency }: FileAccount, options: ReadOptions) =>
  currency ?? currencyIn(options.currency)

/**
 * An account in progress. `closed` is the day of its last balance, and the time as text of the
 * file. `last` has the statements with this balance.
 */
type Found = { account: StatementAccount, closed: string, last: FileStatement[] }

/**
 * Returns the last of several statements that close on one day: the others have its opening balance
 * as their closing one, or a smaller sequence number. Statements with the same balance are equal.
 * Returns undefined if nothing proves which is the last.
 */
function lastOf(statements: FileStatement[]): FileStatement | undefined {
  const isOnly = (some: FileStatement[]) =>
    new Set(some.map(({ closing }) => amountOf(closing))).size === 1
  // a statement without a change follows itself
  const openings = new Set(
    statements.flatMap(({ opening, closing }) =>
      amountOf(opening) === amountOf(closing) ? [] : [amountOf(opening)]
    ),
  )
  const ends = statements.filter(({ closing }) => !openings.has(amountOf(closing)))
  if (isOnly(ends)) return ends[0]
  const sequences = statements.map(({ sequence = '' }) => sequence)
  const greatest = sequences.reduce((one, other) => one > other ? one : other)
  const latest = sequences.includes('')
    ? []
    : statements.filter(({ sequence }) => sequence === greatest)
  return isOnly(latest) ? latest[0] : isOnly(statements) ? statements[0] : undefined
}

/** Returns the account in progress of a key, and adds it if it is new. */
function foundAt(
  found: Map<string, Found>,
  key: string,
  { id, bank, type, name }: FileAccount,
): Found {
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
  const created: Found = { account, closed: '', last: [] }
  found.set(key, created)
  return created
}

/** Adds the account of a statement, and the statement if it closes last so far. */
function addStatement(
  found: Map<string, Found>,
  statement: FileStatement,
  { order, decimal, options }: Conventions,
): void {
  const { account, closing, isPage } = statement
  const one = foundAt(found, keyOf(account, currencyOf(account, options)), account)
  if (account.name !== undefined) one.account.name ??= account.name
  if (
    closing === undefined || isPage === true ||
    typeof amountIn(closing.amount, decimal) !== 'number'
  ) return
  const closed = `${dayIn(closing.on, order) ?? ''} ${closing.on}`
  if (closed < one.closed) return
  if (closed > one.closed) one.last = []
  one.last.push(statement)
  one.closed = closed
}

/** Returns the balance of an account's last statement; undefined if none is certain. */
function lastBalance(
  { account: { currency }, last }: Found,
  { order, decimal }: Conventions,
  problems: Problem[],
): StatementBalance | undefined {
  if (last.length === 0) return undefined
  const latest = lastOf(last)
  const { line, file, closing } = latest ?? last.at(-1)!
  const place = placeOf({ line: closing?.line ?? line, file })
  if (latest === undefined) {
    problems.push({
      ...place,
      message: 'Several statements close on this day with different balances, so none was used.',
    })
    return undefined
  }
  const { amount, on } = closing!
  const cents = inUnits(Number(amountIn(amount, decimal)), currency)
  if (hasMoreDecimals(amount, decimal, currency)) {
    problems.push({
      ...place,
      message: `The closing balance "${amount}" has too many decimals, so it was rounded to ${
        centsText(cents, currency)
      }.`,
    })
  }
  const day = dayIn(on, order)
  return { amount: cents / 100, ...day === undefined ? {} : { on: day } }
}

/**
 * Returns each account of the file with its rows and its last balance, and the balance of a file
 * that names no account.
 *
 * @param keys the account of each row, as `accountKeys` returns them
 * @param duplicates the indexes of rows that are left out
 * @param problems receives a problem for each balance that is rounded or not certain
 */
export function accountsOf(
  rows: StatementRow[],
  entries: Entry[],
  keys: string[],
  duplicates: Set<number>,
  statements: FileStatement[],
  conventions: Conventions,
  problems: Problem[],
): { accounts: StatementAccount[], balance?: StatementBalance } {
  const found = new Map<string, Found>()
  for (const statement of statements) addStatement(found, statement, conventions)
  for (const one of found.values()) {
    const last = lastBalance(one, conventions, problems)
    if (last !== undefined) one.account.balance = last
  }
  for (const [index, row] of rows.entries()) {
    const { account, statement } = entries[index]!
    const one = foundAt(found, keys[index]!, account ?? statement?.account ?? nameless)
    if (!duplicates.has(index)) one.account.rows.push(row)
  }
  const [accounts, others] = [[] as StatementAccount[], [] as StatementAccount[]]
  for (const { account } of found.values()) (account.id === '' ? others : accounts).push(account)
  const proven = found.size > 1 ? undefined : provenBalance(entries, rows, conventions.decimal)
  if (proven !== undefined) { for (const account of accounts) account.balance ??= proven }
  const balance = accounts.length > 0
    ? undefined
    : others.length === 1
    ? others[0]!.balance ?? proven
    : proven
  return { accounts, ...balance === undefined ? {} : { balance } }
}
