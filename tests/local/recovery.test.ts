/** What a start finds after something went wrong, and what a run does when something goes wrong in it. */
import { chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { descendants, emptyDirectory, left, remove, serverPid, start, stop, type Run } from './support.ts'

let directory: string
beforeAll(async () => {
  directory = await emptyDirectory()
})
afterAll(() => remove(directory))

async function running(): Promise<Run> {
  const run = await start({ env: { DATA_DIR: directory } })
  await run.ready
  return run
}

test('a signal during the first start stops it, and the next start is as good as a first one', async () => {
  await using run = await start({ env: { DATA_DIR: directory } })
  while (!await stat(join(directory, 'postgres.log')).catch(() => undefined)) await sleep(10)
  const stopped = await stop(run, 'SIGTERM')
  expect(stopped).toMatchObject({ code: 0, left: [] })
  expect(run.output()).toBe('')
  await stop(await running(), 'SIGTERM')
})

test('nothing outlives kill -9 of npm start', async () => {
  await using run = await running()
  const all = descendants(run.pid)
  process.kill(-run.pid, 'SIGKILL')
  expect(await left(all, 10_000)).toEqual([])
})

test('a server left behind by kill -9 of everything else is taken over', async () => {
  await using run = await running()
  const server = await serverPid(directory)
  // the guards first, as they would do what they are for
  const others = [...descendants(run.pid, /guard/), run.pid, ...descendants(run.pid, /local\/serve|postgrest\.conf/)]
  for (const pid of others) process.kill(pid, 'SIGKILL')
  await left(others, 5000)
  expect(await left([server], 0)).toEqual([server])

  await using next = await running()
  expect((await fetch(`${next.url}/readyz`)).status).toBe(200)
  expect(await serverPid(directory)).not.toBe(server)
})

test('a second start on the same DATA_DIR ends with one line and leaves the first alone', async () => {
  await using first = await running()
  const second = await start({ env: { DATA_DIR: directory } })
  expect((await second.ended).code).toBe(1)
  expect(second.output()).toBe(
    `Cannot start: DATA_DIR: ${directory} is in use by another start of this program. Stop that one, or set DATA_DIR to another directory.\n`,
  )
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
})

test('a postmaster.pid that a crash left does not stop the start, whoever has that number now', async () => {
  const path = join(directory, 'postgres/postmaster.pid')
  await writeFile(path, `${process.pid}\n${directory}/postgres\n1795229477\n1\n\n127.0.0.1\n  1 1\nready   \n`, { mode: 0o600 })
  const { uid, gid } = await stat(join(directory, 'postgres'))
  await chown(path, uid, gid)
  await using run = await running()
  expect((await fetch(`${run.url}/readyz`)).status).toBe(200)
})

test.each([
  ['PostgreSQL', async () => [await serverPid(directory)]],
  ['PostgREST', async (run: Run) => descendants(run.pid, /postgrest\.conf/)],
  ['auth', async (run: Run) => descendants(run.pid, /^\S*node infra\/local\/serve\.ts/)],
])('when %s dies, the run says so, stops the rest and fails', async (name, find) => {
  await using run = await running()
  const all = descendants(run.pid)
  const [pid] = await find(run)
  // 0 would be the tests themselves
  if (pid === undefined) throw new Error(`${name} does not run.`)
  process.kill(pid, 'SIGKILL')
  expect((await run.ended).code).toBe(1)
  expect(run.output()).toContain(`\n${name} was ended by SIGKILL; everything else is stopped too.\n`)
  // the sessions of a server that was killed find out by themselves
  expect(await left(all, 5000)).toEqual([])
})
