/** How somebody comes back to an account whose passkeys are lost, or are another's. */
import type { Transaction } from 'kysely'
import type { Tables } from '../db/types.ts'

/** Deletes all passkeys of a person, and no longer asks for one. @returns how many there were */
export async function deletePasskeys(trx: Transaction<Tables>, userId: string): Promise<bigint> {
  const { numDeletedRows } = await trx.deleteFrom('auth.passkeys').where('userId', '=', userId).executeTakeFirstOrThrow()
  await trx.updateTable('auth.users').set({ passkeyRequired: false }).where('id', '=', userId).execute()
  return numDeletedRows
}
