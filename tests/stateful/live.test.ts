/**
 * A client that resumes its stream misses no change, whatever ends its connections: a kill of the process, the end of the database's sessions, or
 * the client itself.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authDatabaseUrl } from '../../infra/local/environment.ts'
import { freePort } from '../../infra/local/ports.ts'
import { passwords } from '../support/database.ts'
import { followList, isReady, readNames } from '../support/followed-list.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const writes = 10_000
const writers = 4
const interruptions = 20

let stack: Stack
let port: number
let url: string
let service: ChildProcess
const startService = async () => {
  service = spawn(process.execPath, ['auth/main.ts'], {
    env: {
      PATH: process.env['PATH'],
      PUBLIC_URL: stack.publicUrl,
      PORT: String(port),
      AUTH_DATABASE_URL: authDatabaseUrl(stack.ownerUrl, passwords.authService),
      BETTER_AUTH_SECRET: stack.secret,
      RATE_LIMIT_ENABLED: 'false',
      LOG_LEVEL: 'silent',
    },
    stdio: 'ignore',
  })
  await isReady(url)
}
beforeAll(async () => {
  stack = await startStack()
  port = await freePort()
  url = `http://127.0.0.1:${port}`
})
afterAll(async () => {
  service.kill('SIGKILL')
  await stack.close()
})

/** The number of committed transactions. */
let written = 0

/** Writes rows of a user in transactions that overlap: creates, changes and deletes, with a new name each time. */
async function write(user: string, writer: number): Promise<void> {
  const client = await stack.sql.connect()
  const ids: string[] = []
  for (let count = 0; count < writes / writers; count++) {
    const name = `${writer}-${count}`
    const at = count % 7
    const id = ids[(count * 31) % Math.max(1, ids.length)]
    await client.query('begin')
    if (at < 3 || id === undefined) {
      const { rows: [row] } = await client.query<{ id: string }>('insert into api.tags (name, user_id) values ($1, $2) returning id', [name, user])
      ids.push(row!.id)
    } else if (at < 6) await client.query('update api.tags set name = $1 where id = $2', [name, id])
    else await client.query('delete from api.tags where id = $1', [id])
    // some transactions end after later ones
    if (count % 50 === 0) await client.query('select pg_sleep(0.05)')
    await client.query('commit')
    written += 1
  }
  client.release()
}

test('10,000 random writes and 20 interruptions leave a resuming client with exactly the rows of a fresh list', async () => {
  await startService()
  const ann = await signedIn(stack)
  const user = await ann.id()
  const list = followList(url, stack.sql, ann, user, 'tags')
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(user, writer)))
  for (let interruption = 1; interruption <= interruptions; interruption++) {
    await expect.poll(() => written, { timeout: 120_000 }).toBeGreaterThan(writes / (interruptions + 1) * interruption)
    if (interruption % 3 === 0) {
      service.kill('SIGKILL')
      await once(service, 'exit')
      await startService()
    } else if (interruption % 3 === 1) {
      await stack.sql.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'auth_service' and datname = current_database()`)
    } else await list.cut()
  }
  await writing
  await stack.sql.query(`insert into api.tags (name, user_id) values ('last', $1)`, [user])
  await list.complete
  expect(list.visible).toEqual(await readNames(stack.sql, 'tags', user))
})
