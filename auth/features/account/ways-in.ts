/** The ways into an account, for the two cases in which a stranger may have added some of them. */
import type { Transaction } from 'kysely'
import type { Tables } from '../../../db/types.ts'

/**
 * Returns the prefix of the stored values of an account's requests to change the address. It finds
 * them, because the stored identifiers are hashes.
 */
export const emailChangePrefix = (kind: 'confirm' | 'stop', userId: string): string =>
  JSON.stringify({ kind, userId }).slice(0, -1)

/** Deletes the requested changes of an account's address, so that their links confirm nothing. */
export async function deleteEmailChanges(trx: Transaction<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('auth.verifications').where((link) =>
    link.fn<boolean>('starts_with', ['value', link.val(emailChangePrefix('confirm', userId))])
  )
    .execute()
}

/**
 * Deletes the sessions, mailed links, requested changes of the address, API keys, webhooks,
 * calendars, passkeys, remembered devices, linked providers and the password of an account. Its
 * second factor stays, and so does the right of an earlier address to stop a change.
 */
export async function deleteWaysIn(trx: Transaction<Tables>, userId: string): Promise<void> {
  await trx.deleteFrom('auth.verifications').where('value', '=', userId).execute()
  // An account without a password keeps its fingerprint, so a pending confirmation would stay
  // valid.
  await deleteEmailChanges(trx, userId)
  await trx.updateTable('auth.accounts').set({ password: null, updatedAt: new Date() }).where(
    'userId',
    '=',
    userId,
  ).where('providerId', '=', 'credential')
    .execute()
  // The trigger that deletes these at a change of the password does not fire for an account without
  // a password.
  await trx.deleteFrom('auth.two_factor_tokens').where('userId', '=', userId).execute()
  await trx.deleteFrom('auth.passkeys').where('userId', '=', userId).execute()
  await trx.deleteFrom('auth.accounts').where('userId', '=', userId).where(
    'providerId',
    '<>',
    'credential',
  ).execute()
  await trx.deleteFrom('auth.sessions').where('userId', '=', userId).execute()
  for (const table of ['auth.api_keys', 'auth.webhooks', 'auth.calendars'] as const)
    await trx.deleteFrom(table).where('userId', '=', userId).execute()
}
