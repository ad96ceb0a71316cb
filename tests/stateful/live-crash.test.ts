/** A client that follows the stream misses no committed change when PostgreSQL is killed. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import { freePort } from '../../infra/local/ports.ts'
import type { PostgresOptions } from '../../infra/local/data-directory.ts'
import { startPostgres, type PostgresServer } from '../../infra/local/postgres.ts'
import { descendants, emptyDirectory, left, remove, serverPid } from '../local/support.ts'
import { connection, execute, passwords, publicUrl, templateDatabase } from '../support/database.ts'
import { followList, isReady, readNames } from '../support/followed-list.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let directory: string
let options: PostgresOptions
let server: PostgresServer
let stack: Stack
beforeAll(async () => {
  // graphile-worker prints each lost connection
  vi.spyOn(console, 'trace').mockReturnValue()
  directory = await emptyDirectory()
  options = { directory, password: 'owner', settings: { port: String(await freePort()) } }
  server = await startPostgres(options)
  await execute(server.url, `create database ${templateDatabase}`)
  await migrate({
    databaseUrl: connection(server.url, { database: templateDatabase }),
    publicUrl,
    authServicePassword: passwords.authService,
    authenticatorPassword: passwords.authenticator,
  })
  stack = await startStack({ serverUrl: server.url })
})
afterAll(async () => {
  await stack.close()
  await server.stop()
  await remove(directory)
})

async function restart(): Promise<void> {
  server = await startPostgres(options)
  await isReady(stack.url)
}

/** Kills the server. Its other processes end by themselves, except for a stopped one. */
async function crash(stopped: number[] = []): Promise<void> {
  const pid = await serverPid(directory)
  const all = descendants(pid)
  for (const each of [pid, ...stopped]) process.kill(each, 'SIGKILL')
  expect(await left([pid, ...all], 10_000)).toEqual([])
}

const insert = 'insert into api.transactions (name, amount, user_id) values ($1, -5, $2) returning id'

test('three kills while transactions are booked leave it with exactly the rows of a fresh list, and lose none that was acknowledged', async () => {
  const ann = await signedIn(stack, 'Ann')
  const user = await ann.id()
  const list = followList(stack.url, stack.sql, ann, user, 'transactions')
  const acknowledged: string[] = []
  /** Books and renames until the server is killed. */
  const book = async (writer: string): Promise<void> => {
    const client = await stack.sql.connect()
    try {
      for (let count = 0;; count++) {
        await client.query('begin')
        const { rows: [row] } = await client.query<{ id: string }>(insert, [`${writer} ${count}`, user])
        await client.query('update api.transactions set name = $1 where id = $2', [
          `${writer} ${count}, renamed`,
          acknowledged[count * 7 % acknowledged.length],
        ])
        await client.query('commit')
        acknowledged.push(row!.id)
      }
    } finally {
      client.release(true)
    }
  }
  for (const round of ['first', 'second', 'third']) {
    const before = acknowledged.length
    const booking = Promise.allSettled([book(`${round} a`), book(`${round} b`)])
    await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 50)
    await crash()
    expect((await booking).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await restart()
  }
  await stack.sql.query(insert, ['last', user])
  await list.complete
  const fresh = await readNames(stack.sql, 'transactions', user)
  expect(list.visible).toEqual(fresh)
  expect(acknowledged.filter((id) => !fresh.has(id))).toEqual([])
})

test('a kill after rollbacks, whose transaction numbers PostgreSQL gives again, hides no booking that has such a number', async () => {
  const ben = await signedIn(stack, 'Ben')
  const user = await ben.id()
  const lists = [0, 1].map(() => followList(stack.url, stack.sql, ben, user, 'transactions'))
  // A rollback is on the disk only when this process or a later commit has written it.
  const walWriter = descendants(await serverPid(directory), /walwriter/)
  for (const pid of walWriter) process.kill(pid, 'SIGSTOP')
  const transaction = (name: string, end: string) => `begin; insert into api.transactions (name, amount, user_id) values ('${name}', -5, '${user}'); ${end};`
  let next: string | undefined
  try {
    // in one message, so that the streams read the booking after the rollbacks
    await stack.sql.query(transaction('first', 'commit') + transaction('none', 'rollback').repeat(20))
    await expect.poll(() => lists.map(({ visible }) => [...visible.values()])).toEqual([['first'], ['first']])
    next = (await stack.sql.query<{ number: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as number')).rows[0]?.number
  } finally {
    await crash(walWriter)
  }
  // one client resumes with its cursor, and the stream of the other survives
  await lists[0]!.cut()
  // at another port, so that no stream reads before the numbers have passed those of the rollbacks
  const elsewhere = await startPostgres({ ...options, settings: {} })
  const { pathname } = new URL(stack.ownerUrl)
  await execute(
    connection(elsewhere.url, { database: pathname.slice(1) }),
    Array.from({ length: 30 }, (_, count) => transaction(`again ${count}`, 'commit')).join(''),
  )
  await elsewhere.stop()
  await restart()
  await stack.sql.query(insert, ['last', user])
  const { rows: reused } = await stack.sql.query('select from private.changes where user_id = $1 and xid < $2::xid8 offset 1', [user, next])
  expect(reused.length).toBeGreaterThan(0)
  await Promise.all(lists.map(({ complete }) => complete))
  const fresh = await readNames(stack.sql, 'transactions', user)
  expect(lists.map(({ visible }) => visible)).toEqual([fresh, fresh])
})
