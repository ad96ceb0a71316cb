/** What of a file goes where: a portion for each account that it names, with a source of its own. */
import type { Statement, StatementRow } from 'finance-client/import'
import type { Account } from '../../data/accounts.ts'
import type { Portion } from '../../data/imports.ts'

/** Rows that the file puts together; `account` is null where it names none. */
export type Group = { key: string, account: { id: string, name: string } | null, rows: StatementRow[] }

/** As much of an account's number as its owner needs to know it, and no more than may be kept in a browser. */
const endOf = (account: string): string => account.length > 4 && /\d{4}/.test(account) ? `…${account.slice(-4)}` : account

/** The rows by the account that they are of. */
export function groupsOf({ accounts, rows }: Statement): Group[] {
  const ends = accounts.map(({ id }) => endOf(id))
  const groups = accounts.map(({ id, name, rows: own }, at): Group => {
    // two numbers may end alike
    const key = ends.indexOf(endOf(id)) === at ? endOf(id) : `${endOf(id)} (${at + 1})`
    return { key, account: { id, name: name ?? key }, rows: own }
  })
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
    // a column of names parts one file and not the next, so there the chosen account is the source
    const own = preset === undefined && format === 'csv' ? chosen?.id ?? group.account?.id : group.account?.id ?? chosen?.id
    return {
      source: [preset ?? format, own].filter((word) => word !== undefined).join(' ').slice(0, 64),
      accountId: chosen?.id ?? null,
      currency: chosen?.currency ?? choices.currency,
      rows: choices.withPending ? group.rows : group.rows.filter(({ status }) => status !== 'pending'),
    }
  }).filter(({ rows }) => rows.length > 0)
}
