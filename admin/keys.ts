/**
 * The operator's commands for the signing keys. They ask; the running auth service does, because it alone has the secret
 * that encrypts a new key (auth/keys/rotation.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { mistake, table, word, type Cell, type Command } from './terminal.ts'

/** How long the service is waited for, in milliseconds. */
const patienceMs = 30_000

/** Waits until a key that began to sign after `since` is there. @returns its id @throws a mistake that says where to look */
async function signingSince(client: pg.Client, since: Date): Promise<string> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
    const { rows } = await client.query<{ id: string }>('select id from auth.jwks where signs_from > $1 and expires_at is null', [since])
    if (rows[0] !== undefined) return rows[0].id
    await sleep(250)
  }
  throw mistake(`No new key signs after ${patienceMs / 1000} s; it will when the auth service and every PostgREST run. The auth service's log says what it waits for.`)
}

export const keys: Command = async (client, words, options, out) => {
  const [action = 'list'] = words
  const { rows: [clock] } = await client.query<{ now: Date }>('select clock_timestamp() as now')
  const now = clock?.now ?? new Date()
  if (action === 'list') {
    const { rows } = await client.query<Record<string, Cell>>(`
      select id as kid, case when signs_from is null then 'published' when expires_at is null then 'signs' else 'verifies' end as state,
        created_at, signs_from, expires_at as retires_at
      from auth.jwks order by created_at desc`)
    out.write(table(rows, ['kid', 'state', 'created_at', 'signs_from', 'retires_at']))
  } else if (action === 'rotate') {
    await client.query('update private.settings set key_rotation_requested_at = $1', [now])
    out.write(`${await signingSince(client, now)} signs now. What the old key signed is accepted until it ends.\n`)
  } else if (action === 'revoke') {
    const kid = options.all === true ? null : word(words, 1, 'kid, or --all')
    const { rows } = await client.query<{ signed: boolean }>(
      'delete from auth.jwks where id = coalesce($1, id) returning signs_from is not null and expires_at is null as signed', [kid])
    if (rows.length === 0) throw mistake(kid === null ? 'There is no key.' : `There is no key ${kid}.`)
    out.write(`Revoked ${rows.length} key${rows.length === 1 ? '' : 's'}. PostgREST refuses what ${rows.length === 1 ? 'it' : 'they'} signed.\n`)
    if (kid === null) out.write('The auth service makes a new one: when it runs, as soon as PostgREST knows it; otherwise when it starts.\n')
    else if (rows.some(({ signed }) => signed)) out.write(`${await signingSince(client, now)} signs now.\n`)
  } else {
    throw mistake(`There is no command keys ${action}. \`npm run admin -- --help\` lists them.`)
  }
}
