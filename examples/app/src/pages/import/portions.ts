/** What of a file goes where: a portion for each account that it names, with a source of its own. */
import type { Statement, StatementRow } from 'finance-client/import'
import type { Account } from '../../data/accounts.ts'
import type { Portion } from '../../data/imports.ts'

/** Rows that the file puts together; `account` is null where it names none. */
export type Group = { key: string, account: { id: string, name: string } | null, rows: StatementRow[] }

/** As much of an account's number as its owner needs to know it, and no more than may be kept in a browser. */
const endOf = (account: string): string => account.length > 4 ? `…${account.slice(-4)}` : account

/** The rows by the account that they are of. */
export function groupsOf({ accounts, rows }: Statement): Group[] {
  const groups = accounts.map(({ id, name, rows: own }): Group => ({ key: endOf(id), account: { id, name: name ?? endOf(id) }, rows: own }))
  const named = new Set(accounts.flatMap((account) => account.rows))
  const others = rows.filter((row) => !named.has(row))
  return [...groups, ...others.length === 0 ? [] : [{ key: '', account: null, rows: others }]].filter((group) => group.rows.length > 0)
}

export type Choices = {
  /** The account of the app by the key of a group; empty for none. */
  accounts: Record<string, string>
  /** Of rows for which neither the file nor an account says one. */
  currency: string
  withPending: boolean
}

/** Whether something has to say the currency of these rows. */
export const lacksCurrency = (group: Group, { accounts }: Choices): boolean => !accounts[group.key] && group.rows.some(({ currency }) => currency === undefined)

/**
 * Portions as they are sent. The source has the bank's account in it, because a bank's ids are unique within one alone: where
 * the file names none, the account that was chosen.
 */
export function portionsOf({ preset, format }: Statement, groups: Group[], accounts: Account[], choices: Choices): Portion[] {
  return groups.map((group): Portion => {
    const chosen = accounts.find(({ id }) => id === choices.accounts[group.key])
    return {
      source: [preset ?? format, group.account?.id ?? chosen?.id].filter((word) => word !== undefined).join(' ').slice(0, 64),
      accountId: chosen?.id ?? null,
      currency: chosen?.currency ?? choices.currency,
      rows: choices.withPending ? group.rows : group.rows.filter(({ status }) => status !== 'pending'),
    }
  }).filter(({ rows }) => rows.length > 0)
}
