/**
 * The operator's commands for the signing keys. They ask; the running auth service does, because it alone has the secret
 * that encrypts a new key (auth/keys/rotation.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/types.ts'
import { secondsUntilIssued } from '../common/revocation.ts'
import { misspelled, mistake, table, word, type Command } from './terminal.ts'

/** How long the service is waited for, in milliseconds. */
const patienceMs = 30_000

/** Waits until a key that began to sign after `since` is there. @returns its id @throws a mistake that says where to look */
async function signingSince(db: Kysely<Tables>, since: Date): Promise<string> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
    const key = await db.selectFrom('auth.jwks').select('id').where('signsFrom', '>', since).where('expiresAt', 'is', null).executeTakeFirst()
    if (key !== undefined) return key.id
    await sleep(250)
  }
  throw mistake(
    `No new key signs after ${patienceMs / 1000} s; it will when the auth service and every PostgREST run. The auth service's log says what it waits for.`,
  )
}

/** `keys`, `keys rotate` and `keys revoke`. */
export const keysCommand: Command = async (db, words, options, out) => {
  const [action = 'list'] = words
  const { now } = await db.selectNoFrom(sql<Date>`clock_timestamp()`.as('now')).executeTakeFirstOrThrow()
  if (action === 'list') {
    const keys = await db.selectFrom('auth.jwks').select(['id', 'createdAt', 'signsFrom', 'expiresAt']).orderBy('createdAt', 'desc').execute()
    const stateOf = ({ signsFrom, expiresAt }: typeof keys[number]) => (signsFrom === null ? 'published' : expiresAt === null ? 'signs' : 'verifies')
    out.write(
      table(keys.map((key) => ({ ...key, kid: key.id, state: stateOf(key), retiresAt: key.expiresAt })), [
        'kid',
        'state',
        'createdAt',
        'signsFrom',
        'retiresAt',
      ]),
    )
  } else if (action === 'rotate') {
    await db.updateTable('private.settings').set({ keyRotationRequestedAt: now }).execute()
    out.write(`${await signingSince(db, now)} signs now. What the old key signed is accepted until it ends.\n`)
  } else if (action === 'revoke') {
    const kid = options.all === true ? null : word(words, 1, 'kid, or --all')
    const rows = await db.deleteFrom('auth.jwks').$if(kid !== null, (keys) => keys.where('id', '=', kid)).returning(['signsFrom', 'expiresAt']).execute()
    if (rows.length === 0) throw mistake(kid === null ? 'There is no key.' : `There is no key ${kid}.`)
    // no token is issued in the next seconds; with the command they have ended
    const { tokensIssuedAfter, second } = await db.selectFrom('private.settings')
      .select(['tokensIssuedAfter', sql<number>`extract(epoch from clock_timestamp())::float8`.as('second')]).executeTakeFirstOrThrow()
    await sleep(secondsUntilIssued(Number(tokensIssuedAfter), second) * 1000)
    out.write(`Revoked ${rows.length} key${rows.length === 1 ? '' : 's'}. PostgREST refuses what ${rows.length === 1 ? 'it' : 'they'} signed.\n`)
    if (kid === null) out.write('The auth service makes a new one: when it runs, as soon as PostgREST knows it; otherwise when it starts.\n')
    else if (rows.some(({ signsFrom, expiresAt }) => signsFrom !== null && expiresAt === null)) out.write(`${await signingSince(db, now)} signs now.\n`)
  } else {
    throw misspelled(`There is no command keys ${action}.`)
  }
}
