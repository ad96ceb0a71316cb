/**
 * The operator's commands for the signing keys. `keys rotate` requests a new key, and the running
 * auth service creates it: only the service has the secret that encrypts keys
 * (auth/keys/rotation.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db/types.ts'
import { secondsUntilIssued } from '../common/revocation.ts'
import { argument, operatorError, table, type Command } from './terminal.ts'

/** Maximum wait for the service, in milliseconds. */
const timeoutMs = 30_000

/**
 * Waits for a key that signs since a time after `since`. @returns its id @throws an error for the
 * operator after the timeout
 */
async function waitForKeySince(db: Kysely<Tables>, since: Date): Promise<string> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    const key = await db.selectFrom('auth.jwks').select('id').where('signsFrom', '>', since).where(
      'expiresAt',
      'is',
      null,
    ).executeTakeFirst()
    if (key !== undefined) return key.id
    await sleep(250)
  }
  throw operatorError(
    `No new key signs after ${
      timeoutMs / 1000
    } s. It will sign when the auth service and every PostgREST run. The log of the auth service has the reason.`,
  )
}

/** Returns the time of the database. */
const databaseTime = async (db: Kysely<Tables>): Promise<Date> =>
  (await db.selectNoFrom(sql<Date>`clock_timestamp()`.as('now')).executeTakeFirstOrThrow()).now

export const keysCommands: Record<string, Command> = {
  keys: async (db, _args, _options, out) => {
    const keys = await db.selectFrom('auth.jwks').select([
      'id',
      'createdAt',
      'signsFrom',
      'expiresAt',
    ]).orderBy('createdAt', 'desc').execute()
    const stateOf = (
      { signsFrom, expiresAt }: typeof keys[number],
    ) => (signsFrom === null ? 'published' : expiresAt === null ? 'signs' : 'verifies')
    out.write(
      table(
        keys.map((key) => ({ ...key, kid: key.id, state: stateOf(key), retiresAt: key.expiresAt })),
        [
          'kid',
          'state',
          'createdAt',
          'signsFrom',
          'retiresAt',
        ],
      ),
    )
  },
  'keys rotate': async (db, _args, _options, out) => {
    const now = await databaseTime(db)
    await db.updateTable('private.settings').set({ keyRotationRequestedAt: now }).execute()
    out.write(
      `${await waitForKeySince(
        db,
        now,
      )} signs now. Tokens of the old key stay valid until they expire.\n`,
    )
  },
  'keys revoke': async (db, args, options, out) => {
    const now = await databaseTime(db)
    const kid = options.all === true ? null : argument(args, 0, 'kid, or --all')
    const rows = await db.deleteFrom('auth.jwks').$if(
      kid !== null,
      (keys) => keys.where('id', '=', kid),
    ).returning(['signsFrom', 'expiresAt']).execute()
    if (rows.length === 0)
      throw operatorError(kid === null ? 'No signing key found.' : `Signing key ${kid} not found.`)
    // the service issues no tokens during the next seconds; the command ends after them
    const { tokensIssuedAfter, second } = await db.selectFrom('private.settings')
      .select([
        'tokensIssuedAfter',
        sql<number>`extract(epoch from clock_timestamp())::float8`.as('second'),
      ]).executeTakeFirstOrThrow()
    await sleep(secondsUntilIssued(Number(tokensIssuedAfter), second) * 1000)
    out.write(
      `Revoked ${rows.length} key${rows.length === 1 ? '' : 's'}. PostgREST rejects the tokens of ${
        rows.length === 1 ? 'this key' : 'these keys'
      }.\n`,
    )
    if (kid === null)
      out.write(
        'A running auth service creates a new key now, and a stopped one when it starts. The key signs as soon as PostgREST has loaded it.\n',
      )
    else if (rows.some(({ signsFrom, expiresAt }) => signsFrom !== null && expiresAt === null))
      out.write(`${await waitForKeySince(db, now)} signs now.\n`)
  },
}
