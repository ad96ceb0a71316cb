/** Splits a file into portions, one per account, each with its own source. */
import type { Statement, StatementBalance, StatementRow } from 'finance-client/import'
import type { Account } from '../../data/accounts.ts'
import type { Portion } from '../../data/imports.ts'

/**
 * Rows of one account in one currency. `account` is null if the file names none. `currency` is
 * undefined if the file names none. `key` identifies the account in every file of its bank, without
 * its whole number.
 */
export type Group = {
  key: string
  account: { id: string, name: string } | null
  currency?: string
  rows: StatementRow[]
  balance?: StatementBalance
}

/** Shortens an account number, so that browsers do not store all of it. */
const endOf = (account: string): string =>
  account.length > 4 && /\d{4}/.test(account) ? `…${account.slice(-4)}` : account

/** Groups rows by account and currency. A group without rows has a balance. */
export function groupsOf({ accounts, rows, balance }: Statement): Group[] {
  const plainKeys = accounts.map(({ id, type, currency }) =>
    [endOf(id), type, currency?.toUpperCase()].filter((part) => part !== undefined).join(' ')
  )
  const names = accounts.map(({ id, name }) => name ?? endOf(id))
  const groups = accounts.map(({ id, currency, rows: accountRows, balance: stated }, at): Group => {
    const [plainKey, name] = [plainKeys[at] ?? '', names[at] ?? '']
    // two numbers may have the same last digits
    const key = plainKeys.indexOf(plainKey) === at ? plainKey : `${plainKey} (${at + 1})`
    const isUnique = names.filter((other) => other === name).length === 1
    return {
      key,
      account: { id, name: isUnique ? name : name === endOf(id) ? key : `${name} ${key}` },
      ...currency !== undefined && { currency },
      rows: accountRows,
      ...stated !== undefined && { balance: stated },
    }
  })
  const named = new Set(accounts.flatMap((account) => account.rows))
  const others = rows.filter((row) => !named.has(row))
  const currencies = new Set(others.map(({ currency }) => currency))
  if (currencies.size === 0) currencies.add(undefined)
  const unnamed = [...currencies].map((currency): Group => ({
    key: currencies.size === 1 ? '' : currency?.toUpperCase() ?? '',
    account: null,
    ...currency !== undefined && { currency },
    rows: others.filter((row) => row.currency === currency),
    ...balance !== undefined && currencies.size === 1 && { balance },
  }))
  return [...groups, ...unnamed].filter((group) =>
    group.rows.length > 0 || group.balance !== undefined
  )
}

/**
 * Returns the user's account for a group: the remembered one, otherwise the one with the same last
 * digits, if they belong to no other group.
 *
 * @param remembered the id of the account of the last file
 */
export function accountFor(
  group: Group,
  groups: Group[],
  accounts: Account[],
  remembered: string | undefined,
): string {
  const isCurrency = (account: Account) => ({ currency }: Group) =>
    currency === undefined || currency === account.currency
  const fitting = accounts.filter((account) => isCurrency(account)(group))
  const last = fitting.find(({ id }) => id === remembered)
  const same = fitting.filter((account) => {
    const { account_number: number } = account
    const ofNumber = number === null
      ? []
      : groups.filter((one) =>
        one.account?.id.endsWith(number) === true && isCurrency(account)(one)
      )
    return ofNumber.length === 1 && ofNumber[0] === group
  })
  return last?.id ?? (same.length === 1 ? same[0]?.id : undefined) ?? ''
}

export type Choices = {
  /** The chosen account per group; empty for none. */
  accounts: Record<string, string>
  /** The currency of rows without one. */
  currency: string
  withPending: boolean
}

/** Whether rows of the group have no currency. */
export const lacksCurrency = (group: Group, { accounts }: Choices): boolean =>
  !accounts[group.key] && group.rows.some(({ currency }) => currency === undefined)

/**
 * Returns the balance that the file states for the chosen account, on a known day and in its
 * currency.
 */
function balanceFor({ currency, balance }: Group, chosen: Account | undefined): Portion['balance'] {
  if (
    chosen === undefined || balance?.on === undefined ||
    (currency ?? chosen.currency) !== chosen.currency
  ) return null
  return { amount: balance.amount, on: balance.on }
}

/**
 * Returns the portions of a request. The source contains the bank's account, because a bank's ids
 * are unique only within an account. The source contains the chosen account if the file names none,
 * or if it is a CSV file without a preset.
 */
export function portionsOf(
  { preset, format }: Statement,
  groups: Group[],
  accounts: Account[],
  choices: Choices,
): Portion[] {
  return groups.map((group): Portion => {
    const chosen = accounts.find(({ id }) => id === choices.accounts[group.key])
    // the account names of generic CSV files differ between files, so the source is the chosen
    // account
    const sourceAccount = preset === undefined && format === 'csv'
      ? chosen?.id ?? group.account?.id
      : group.account?.id ?? chosen?.id
    return {
      source: [preset ?? format, sourceAccount].filter((word) => word !== undefined).join(' ')
        .slice(0, 64),
      accountId: chosen?.id ?? null,
      currency: chosen?.currency ?? choices.currency,
      balance: balanceFor(group, chosen),
      rows: choices.withPending
        ? group.rows
        : group.rows.filter(({ status }) => status !== 'pending'),
    }
  })
}
