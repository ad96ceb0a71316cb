/** Splits a file into portions, one per account, each with its own source. */
import type { Statement, StatementBalance, StatementRow } from 'finance-client/import'
import type { Account } from '../../data/accounts.ts'
import type { Portion } from '../../data/imports.ts'

/** Rows of one account in the file; `account` is null if it names none. */
export type Group = { key: string, account: { id: string, name: string, currency?: string } | null, rows: StatementRow[], balance?: StatementBalance }

/** Shortens an account number, so that browsers do not store all of it. */
const endOf = (account: string): string => account.length > 4 && /\d{4}/.test(account) ? `…${account.slice(-4)}` : account

/** Groups rows by account. A group without rows has a balance. */
export function groupsOf({ accounts, rows, balance }: Statement): Group[] {
  const ends = accounts.map(({ id }) => endOf(id))
  const groups = accounts.map(({ id, name, currency, rows: accountRows, balance: stated }, at): Group => {
    // two numbers may have the same last digits
    const key = ends.indexOf(endOf(id)) === at ? endOf(id) : `${endOf(id)} (${at + 1})`
    return {
      key,
      account: { id, name: name ?? key, ...currency !== undefined && { currency } },
      rows: accountRows,
      ...stated !== undefined && { balance: stated },
    }
  })
  const named = new Set(accounts.flatMap((account) => account.rows))
  const others = rows.filter((row) => !named.has(row))
  return [...groups, ...others.length === 0 ? [] : [{ key: '', account: null, rows: others, ...balance !== undefined && { balance } }]].filter((group) =>
    group.rows.length > 0 || group.balance !== undefined
  )
}

export type Choices = {
  /** The chosen account per group; empty for none. */
  accounts: Record<string, string>
  /** The currency of rows without one. */
  currency: string
  withPending: boolean
}

/** Whether rows of the group have no currency. */
export const lacksCurrency = (group: Group, { accounts }: Choices): boolean => !accounts[group.key] && group.rows.some(({ currency }) => currency === undefined)

/** Returns the balance that the file states for the chosen account, on a known day and in its currency. */
function balanceFor({ account, balance }: Group, chosen: Account | undefined): Portion['balance'] {
  if (chosen === undefined || balance?.on === undefined || (account?.currency ?? chosen.currency) !== chosen.currency) return null
  return { amount: balance.amount, on: balance.on }
}

/**
 * Returns the portions of a request. The source contains the bank's account, because a bank's ids are unique only within an account.
 * The source contains the chosen account if the file names none, or if it is a CSV file without a preset.
 */
export function portionsOf({ preset, format }: Statement, groups: Group[], accounts: Account[], choices: Choices): Portion[] {
  return groups.map((group): Portion => {
    const chosen = accounts.find(({ id }) => id === choices.accounts[group.key])
    // the account names of generic CSV files differ between files, so the source is the chosen account
    const sourceAccount = preset === undefined && format === 'csv' ? chosen?.id ?? group.account?.id : group.account?.id ?? chosen?.id
    return {
      source: [preset ?? format, sourceAccount].filter((word) => word !== undefined).join(' ').slice(0, 64),
      accountId: chosen?.id ?? null,
      currency: chosen?.currency ?? choices.currency,
      balance: balanceFor(group, chosen),
      rows: choices.withPending ? group.rows : group.rows.filter(({ status }) => status !== 'pending'),
    }
  })
}
