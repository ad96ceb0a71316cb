/** A client that follows the stream misses no committed change when PostgreSQL is killed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import { freePort } from '../../start/ports.ts'
import type { PostgresOptions } from '../../start/data-directory.ts'
import { startPostgres, type PostgresServer } from '../../start/postgres.ts'
import { descendants, emptyDirectory, left, remove, serverPid } from '../start/support.ts'
import { connection, execute, passwords, publicUrl, templateDatabase } from '../support/database.ts'
import { followList, isReady, readNames } from '../support/followed-list.ts'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let directory: string
let options: PostgresOptions
let server: PostgresServer
let stack: Stack
beforeAll(async () => {
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
  stack = await startStack({ serverUrl: server.url, template: templateDatabase })
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

const insert =
  'insert into api.transactions (name, amount, user_id) values ($1, -5, $2) returning id'

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
        const { rows: [row] } = await client.query<{ id: string }>(insert, [
          `${writer} ${count}`,
          user,
        ])
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

test('a kill that loses what a stream has told hides no booking that comes instead', async () => {
  const ben = await signedIn(stack, 'Ben')
  const user = await ben.id()
  await stack.sql.query(insert, ['first', user])
  const lists = [0, 1].map(() => followList(stack.url, stack.sql, ben, user, 'transactions'))
  await expect.poll(() => lists.map(({ visible }) => [...visible.values()])).toEqual([['first'], [
    'first',
  ]])
  // a commit that does not wait for the disk: the WAL writer is stopped, so the kill loses it, as a
  // failover loses the newest commits
  const walWriter = descendants(await serverPid(directory), /walwriter/)
  for (const pid of walWriter) process.kill(pid, 'SIGSTOP')
  try {
    const writer = await stack.sql.connect()
    await writer.query('set synchronous_commit = off')
    for (const name of ['lost', 'also lost']) await writer.query(insert, [name, user])
    writer.release(true)
    await expect.poll(() => lists.map(({ visible }) => [...visible.values()].toSorted())).toEqual(
      [0, 1].map(() => ['also lost', 'first', 'lost']),
    )
  } finally {
    await crash(walWriter)
  }
  // one client resumes with its cursor, and the stream of the other survives
  await lists[0]!.cut()
  // at another port, so that no stream reads before the positions are those of the lost bookings
  const elsewhere = await startPostgres({ ...options, settings: {} })
  const { pathname } = new URL(stack.ownerUrl)
  const book = (name: string) =>
    `insert into api.transactions (name, amount, user_id) values ('${name}', -5, '${user}')`
  const database = connection(elsewhere.url, { database: pathname.slice(1) })
  for (const name of ['instead', 'also instead']) await execute(database, book(name))
  await elsewhere.stop()
  await restart()
  await stack.sql.query(insert, ['last', user])
  await Promise.all(lists.map(({ complete }) => complete))
  const fresh = await readNames(stack.sql, 'transactions', user)
  expect([...fresh.values()].toSorted()).toEqual(['also instead', 'first', 'instead', 'last'])
  expect(lists.map(({ visible }) => visible)).toEqual([fresh, fresh])
})
