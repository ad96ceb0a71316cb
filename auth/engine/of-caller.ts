/** What is stored for somebody as long as their session stands, and in turn with what else changes of their account. */
import type { Transaction } from 'kysely'
import type { Tables } from '../../db/types.ts'
import type { AuthDatabase } from '../database.ts'
import { refuse } from './refuse.ts'

/** Who asks, as the engine has read it when the request began. */
type Caller = { user: { id: string }, session: { id: string } }

/**
 * Does something that no other request of the same account may change meanwhile.
 * @throws APIError UNAUTHORIZED where the session has ended since, as when the account is taken back from somebody
 */
export const ofCaller = <Result>(db: AuthDatabase, { user, session }: Caller, work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> =>
  db.transaction().execute(async (trx) => {
    await trx.selectFrom('auth.users').select('id').where('id', '=', user.id).forNoKeyUpdate().executeTakeFirst()
    // asked when it is our turn, and not with it: a statement sees what was there when it began to wait
    const stands = await trx.selectFrom('auth.sessions').select('id').where('id', '=', session.id).executeTakeFirst()
    if (stands === undefined) refuse('UNAUTHORIZED')
    return work(trx)
  })
