/** The log of the embedded PostgreSQL server. */
import { readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../../start/postgres.ts'
import { boundedLog } from '../../start/bounded-log.ts'
import { emptyDirectory, remove } from './support.ts'

const mebibyte = 1024 * 1024
let directory: string
beforeAll(async () => {
  directory = await emptyDirectory()
})
afterAll(() => remove(directory))

async function server(
  settings: Record<string, string> = {},
): Promise<{ query: (text: string) => Promise<unknown>, stop: () => Promise<void> }> {
  const started = await startPostgres({
    directory,
    password: 'owner',
    settings: { fsync: 'off', ...settings },
  })
  const client = new pg.Client({ connectionString: started.url })
  client.on('error', () => undefined)
  await client.connect()
  const stop = async () => {
    await client.end()
    await started.stop()
  }
  return { query: (text) => client.query(text), stop }
}
const files = async () =>
  (await readdir(directory)).filter((name) => name.startsWith('postgres.log'))
const text = async () =>
  (await Promise.all((await files()).map((name) => readFile(join(directory, name), 'utf8')))).join(
    '',
  )

test('a log of an earlier version is cut to its end, whatever its size', async () => {
  await writeFile(
    join(directory, 'postgres.log'),
    `${'old line\n'.repeat(2 * mebibyte)}the last old line\n`,
    { mode: 0o600 },
  )
  const { stop } = await server()
  await stop()
  for (const name of await files())
    expect((await stat(join(directory, name))).size).toBeLessThanOrEqual(5 * mebibyte)
  expect(await text()).toContain('the last old line')
})

test('a failed statement leaves neither its text nor a value in the log; the server’s stop is logged', async () => {
  const { query, stop } = await server()
  await query('create table people (email text primary key, age int check (age > 0))')
  await query(`insert into people values ('hunter2', 1)`)
  for (
    const wrong of [
      `insert into people values ('hunter2', 2)`,
      `insert into people values ('hunter2', -1)`,
      `select 'hunter2'::uuid`,
      `select hunter2()`,
      `do $$ begin raise warning 'hunter2'; end $$`,
    ]
  ) {
    await query(wrong).catch(() => undefined)
  }
  await stop()
  expect(await text()).not.toContain('hunter2')
  expect(await text()).toContain('database system is shut down')
})

test.runIf(process.platform === 'linux')(
  'a query that exceeds the memory limit of a process fails alone, and leaves no statement in the log',
  async () => {
    const { query, stop } = await server()
    await query(`select set_config('test.kept', 'by this session', false)`)
    // 42 MB, of which the server needs several copies.
    const large = query(`select json_agg(repeat('hunter2', 600)) from generate_series(1, 10000)`)
    await expect(large).rejects.toMatchObject({ code: '53200', message: 'out of memory' })
    expect(await query(`select current_setting('test.kept') as kept`)).toMatchObject({
      rows: [{ kept: 'by this session' }],
    })
    await stop()
    expect(await text()).not.toMatch(/hunter2|json_agg|total in \d+ blocks/)
    expect(await text()).toMatch(/^Grand total: /m)
  },
)

test('forty megabytes of log fill two files of five, readable only by their owner, and the end is kept', async () => {
  // The worst case: the server logs each statement in full.
  const { query, stop } = await server({ log_statement: 'all' })
  for (let i = 0; i < 40; i++) await query(`select length('${'x'.repeat(mebibyte)}')`)
  await query(`select 'the last statement'`)
  await stop()
  expect(new Set(await files())).toEqual(new Set(['postgres.log', 'postgres.log.1']))
  for (const name of await files()) {
    const { size, mode } = await stat(join(directory, name))
    expect(size).toBeLessThanOrEqual(5 * mebibyte)
    expect(mode & 0o777).toBe(0o600)
  }
  expect(await text()).toContain('the last statement')
})

test('a log that cannot be written causes no failure', async () => {
  const path = join(directory, 'another.log')
  const log = boundedLog(path, 10)
  onTestFinished(() => remove(`${path}.1`))
  await remove(path)
  expect(() => {
    log.write(Buffer.from('more than ten bytes, for which there is no file to rename'))
  }).not.toThrow()
  log.close()
})
