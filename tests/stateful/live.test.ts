/**
 * A client that resumes its stream misses no change, whatever ends its connections: a kill of the
 * process, the end of the database's sessions, or the client itself.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followList, readNames } from '../support/followed-list.ts'
import { signedIn } from '../support/person.ts'
import { serviceProcess, type ServiceProcess } from '../support/service-process.ts'
import { startStack, type Stack } from '../support/stack.ts'

const writes = 10_000
const writers = 4
const interruptions = 20

let stack: Stack
let service: ServiceProcess
beforeAll(async () => {
  stack = await startStack()
  service = await serviceProcess('auth/main.ts', stack, { RATE_LIMIT_ENABLED: 'false' })
})
afterAll(async () => {
  await service.kill()
  await stack.close()
})

/** The number of committed transactions. */
let written = 0

/**
 * Writes rows of a user at the same time as the other writers: creates, changes and deletes, with a
 * new name each time.
 */
async function write(user: string, writer: number): Promise<void> {
  const client = await stack.sql.connect()
  const ids: string[] = []
  for (let count = 0; count < writes / writers; count++) {
    const name = `${writer}-${count}`
    const at = count % 7
    const id = ids[(count * 31) % Math.max(1, ids.length)]
    await client.query('begin')
    if (at < 3 || id === undefined) {
      const { rows: [row] } = await client.query<{ id: string }>(
        'insert into api.tags (name, user_id) values ($1, $2) returning id',
        [name, user],
      )
      ids.push(row!.id)
    } else if (at < 6) await client.query('update api.tags set name = $1 where id = $2', [name, id])
    else await client.query('delete from api.tags where id = $1', [id])
    // some transactions are long
    if (count % 50 === 0) await client.query('select pg_sleep(0.05)')
    await client.query('commit')
    written += 1
  }
  client.release()
}

test('10,000 random writes and 20 interruptions leave a resuming client with exactly the rows of a fresh list', async () => {
  await service.start()
  const ann = await signedIn(stack)
  const user = await ann.id()
  const list = followList(service.url, stack.sql, ann, user, 'tags')
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(user, writer)))
  for (let interruption = 1; interruption <= interruptions; interruption++) {
    await expect.poll(() => written, { timeout: 120_000 }).toBeGreaterThan(
      writes / (interruptions + 1) * interruption,
    )
    if (interruption % 3 === 0) {
      await service.kill()
      await service.start()
    } else if (interruption % 3 === 1) {
      await stack.sql.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'auth_service' and datname = current_database()`,
      )
    } else await list.cut()
  }
  await writing
  await stack.sql.query(`insert into api.tags (name, user_id) values ('last', $1)`, [user])
  await list.complete
  expect(list.visible).toEqual(await readNames(stack.sql, 'tags', user))
})
