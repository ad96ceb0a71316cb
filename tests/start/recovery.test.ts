/** Starts after a crash, and failures during a run. */
import { chown, mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  descendants,
  emptyDirectory,
  left,
  remove,
  serverPid,
  start,
  stop,
  type Run,
} from './support.ts'

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

test('a signal during the first start stops it, and the next start works like a first one', async () => {
  await using run = await start({ env: { DATA_DIR: directory } })
  while (!await stat(join(directory, 'postgres.log')).catch(() => undefined)) await sleep(10)
  const stopped = await stop(run, 'SIGTERM')
  expect(stopped).toMatchObject({ code: 0, left: [] })
  // the database may have started before the signal
  expect(run.output()).toMatch(/^(db .*\n)?$/)
  await stop(await running(), 'SIGTERM')
})

test('the files of a first start that was killed are removed by the next start', async () => {
  const drafts = [join(directory, 'initdb-aB3_9x'), join(directory, 'secrets.json.0123456789ab')]
  await mkdir(join(directory, 'initdb-aB3_9x/data'), { recursive: true })
  await writeFile(join(directory, 'secrets.json.0123456789ab'), '{}')
  await writeFile(join(directory, 'initdb-notes.txt'), 'of the operator')
  await stop(await running(), 'SIGTERM')
  for (const draft of drafts) await expect(stat(draft)).rejects.toThrow('ENOENT')
  await stat(join(directory, 'initdb-notes.txt'))
})

test('no process survives kill -9 of npm start', async () => {
  await using run = await running()
  const all = descendants(run.pid)
  process.kill(-run.pid, 'SIGKILL')
  expect(await left(all, 10_000)).toEqual([])
})

test('a database server that survived kill -9 of all other processes is reused', async () => {
  await using run = await running()
  const server = await serverPid(directory)
  // Kills the guard processes first, because they would stop the server.
  const others = [
    ...descendants(run.pid, /guard/),
    run.pid,
    ...descendants(run.pid, /start\/serve|postgrest\.conf/),
  ]
  for (const pid of others) process.kill(pid, 'SIGKILL')
  await left(others, 5000)
  expect(await left([server], 0)).toEqual([server])

  await using next = await running()
  expect((await fetch(`${next.url}/readyz`)).status).toBe(200)
  expect(await serverPid(directory)).not.toBe(server)
})

test('a second start with the same DATA_DIR fails with one line and does not affect the first', async () => {
  await using first = await running()
  const second = await start({ env: { DATA_DIR: directory } })
  expect((await second.ended).code).toBe(1)
  expect(second.output()).toBe(
    `Cannot start: DATA_DIR: ${directory} is in use by another start of this program. Stop that one, or set DATA_DIR to another directory.\n`,
  )
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
})

test('a postmaster.pid of a crashed server does not prevent the start, even if another process has its pid now', async () => {
  const path = join(directory, 'postgres/postmaster.pid')
  await writeFile(
    path,
    `${process.pid}\n${directory}/postgres\n1795229477\n1\n\n127.0.0.1\n  1 1\nready   \n`,
    { mode: 0o600 },
  )
  const { uid, gid } = await stat(join(directory, 'postgres'))
  await chown(path, uid, gid)
  await using run = await running()
  expect((await fetch(`${run.url}/readyz`)).status).toBe(200)
})

test.each([
  ['PostgreSQL', async () => [await serverPid(directory)]],
  ['PostgREST', async (run: Run) => descendants(run.pid, /postgrest\.conf/)],
  ['auth', async (run: Run) => descendants(run.pid, /^\S*node start\/serve\.ts/)],
])(
  'when %s dies, npm start reports it, stops the other processes and fails',
  async (name, find) => {
    await using run = await running()
    const all = descendants(run.pid)
    const [pid] = await find(run)
    // 0 would signal the test's own process group.
    if (pid === undefined) throw new Error(`${name} does not run.`)
    process.kill(pid, 'SIGKILL')
    expect((await run.ended).code).toBe(1)
    expect(run.output()).toContain(
      `\n${name} was ended by SIGKILL; everything else is stopped too.\n`,
    )
    // The workers of a killed server notice it themselves.
    expect(await left(all, 5000)).toEqual([])
  },
)
