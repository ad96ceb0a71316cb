/**
 * Backups of a cluster with the commands and the configuration of docs/cluster.md: any moment can
 * be restored, also across failovers, and the restored database is whole.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeDatabase, sumUpRows } from '../../db/describe.ts'
import { freePort } from '../../start/ports.ts'
import { root } from '../start/support.ts'
import { connection } from '../support/database.ts'
import { until } from '../support/service-process.ts'
import {
  commandOf,
  runAsPostgres,
  serverEnv,
  startCluster,
  type Cluster,
  type Node,
} from './cluster.ts'
import { underLoad, type Write } from './load.ts'
import { startProduct, type Product } from './product.ts'

const resources = new AsyncDisposableStack()
let cluster: Cluster
let product: Product
beforeAll(async () => {
  cluster = resources.use(await startCluster())
  product = resources.use(await startProduct(cluster.url))
  await (await cluster.primary()).run(commandOf('pgbackrest --stanza=finance check'))
})
afterAll(() => resources.disposeAsync())

const isWhole = () => expect.poll(cluster.isWhole, { timeout: 180_000 }).toBe(true)

/** Runs a line of the page's crontab on each node. @returns the names of those that made a backup */
async function runCron(start: string): Promise<string[]> {
  const [, command = ''] = /^(?:\S+ +){5}(.*)$/.exec(commandOf(start)) ?? []
  const names = await Promise.all(
    cluster.nodes.map(({ name, api, run }) =>
      run(command.replace('10.0.0.11:8008', `127.0.0.1:${api}`)).then(() => name, () => undefined)
    ),
  )
  return names.filter((name) => name !== undefined)
}
const fullBackup = () => runCron('15 3 * * 0')
const incrementalBackup = () => runCron('15 3 * * 1-6')

/** Returns the kinds of the backups, oldest first, and the oldest file of the log. */
async function repository(): Promise<{ kinds: string[], oldest: string }> {
  const text = await (await cluster.primary()).run('pgbackrest --stanza=finance --output=json info')
  const [{ backup, archive }] = JSON.parse(text)
  return {
    kinds: backup.map(({ type }: { type: string }) => type),
    oldest: archive[0].min,
  }
}

/** Ends the current file of the log, and waits until it is in the repository. */
async function archiveAll(): Promise<void> {
  const owner = new pg.Client({ connectionString: cluster.url })
  await owner.connect()
  try {
    const { rows: [{ file }] } = await owner.query(
      'select pg_walfile_name(pg_switch_wal()) as file',
    )
    await expect.poll(async () => {
      const { rows: [row] } = await owner.query(
        'select last_archived_wal >= $1 as has_all from pg_stat_archiver',
        [file],
      )
      return row.has_all
    }).toBe(true)
  } finally {
    await owner.end()
  }
}

/** Returns the names of the files of the log in the repository. */
const storedLog = async () =>
  (await runAsPostgres(`find repository/archive -name '0*'`, cluster.directory, {})).split('\n')
    .map((path) => basename(path).slice(0, 24))

/**
 * Finishes a file of the log, and kills the primary before it has stored that file.
 * @returns the name of the file
 */
async function killBeforeArchiving(primary: Node): Promise<string> {
  await primary.run(
    `psql -XqAtc "select pid from pg_stat_activity where backend_type = 'archiver'" postgres | xargs kill -STOP`,
  )
  const file = await primary.run('psql -XqAtc "select pg_walfile_name(pg_switch_wal())" postgres')
  await sleep(1_000)
  await primary.kill()
  return file.trim()
}

type Restored = AsyncDisposable & { sql: pg.Client, url: string }

let restores = 0
/**
 * Restores into an empty folder, and starts a server on it.
 * @param moment null for all that the repository has
 */
async function restore(moment: Date | null): Promise<Restored> {
  const [name, port] = [`restored-${++restores}`, await freePort()]
  const { directory } = cluster
  const env = serverEnv(directory, name, port)
  const command = commandOf('pgbackrest --stanza=finance --type=time')
  await runAsPostgres(
    moment === null
      ? command.replace(/ --type=\S+ --target='.*?' --target-action=\S+/, '')
      : command.replace(
        /(?<=--target=').*?(?=')/,
        moment.toISOString().replace('T', ' ').replace('Z', '+00'),
      ),
    directory,
    env,
  )
  const folder = join(directory, name)
  const start = commandOf('/usr/lib/postgresql/15/bin/pg_ctl').replace('/tmp/', `${directory}/`)
    .replace('/var/lib/postgresql/15/main', folder).replace('port=5432', `port=${port}`)
  await using starting = new AsyncDisposableStack()
  starting.defer(async () => {
    await runAsPostgres(
      `/usr/lib/postgresql/15/bin/pg_ctl -D ${folder} -m immediate stop`,
      directory,
      env,
    )
  })
  await runAsPostgres(start, directory, env)
  await runAsPostgres(commandOf('timeout'), directory, env)
  const url = `postgresql://postgres@localhost:${port}/finance?host=${directory}`
  const sql = new pg.Client({ connectionString: url })
  await sql.connect()
  starting.defer(() => sql.end())
  const running = starting.move()
  return { sql, url, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Runs a command of the product on a restored database. @returns its output */
async function runProduct({ url }: Restored, start: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', commandOf(start)], {
    cwd: root,
    env: { PATH: process.env['PATH'], DATABASE_URL: url },
  })
  return stdout
}

/** Returns the differences between the writes before a moment and the rows of its restore. */
async function differences(
  { sql }: Restored,
  writes: ReadonlyMap<string, Write>,
  moment: number,
): Promise<{ missing: string[], later: string[] }> {
  const { rows } = await sql.query<{ id: string }>('select id from api.transactions')
  const stored = new Set(rows.map(({ id }) => id))
  const ids = [...writes.keys()]
  return {
    missing: ids.filter((id) =>
      (writes.get(id)?.acknowledged ?? Infinity) < moment && !stored.has(id)
    ),
    later: ids.filter((id) => (writes.get(id)?.sent ?? 0) > moment && stored.has(id)),
  }
}

test('each acknowledged write before a moment is in its restore and none after it, across a switchover and a kill', async () => {
  expect(await fullBackup()).toEqual([(await cluster.primary()).name])
  const moments: Date[] = []
  /** Adds the present as a moment, a second after and before other writes. */
  const addMoment = async () => {
    await sleep(1_000)
    moments.push(new Date())
    await sleep(1_000)
  }
  const { writes, lost } = await underLoad(product, async () => {
    await addMoment()
    expect(await incrementalBackup()).toEqual([(await cluster.primary()).name])
    await cluster.switchOver()
    await isWhole()
    await addMoment()
    const file = await killBeforeArchiving(await cluster.primary())
    await until('another primary', () => cluster.primary().then(() => true, () => false))
    await addMoment()
    expect(await storedLog()).not.toContain(file)
    const next = await cluster.primary()
    await next.run(
      commandOf('for file in').replace(
        '/var/lib/postgresql/15/main',
        join(cluster.directory, next.name),
      ).replace('00000002', file.slice(0, 8)),
    )
    expect(await storedLog()).toContain(file)
  })
  expect(lost.writes).toEqual([])
  await archiveAll()
  for (const moment of moments) {
    await using restored = await restore(moment)
    expect(await differences(restored, writes, moment.getTime())).toEqual({
      missing: [],
      later: [],
    })
    expect(await runProduct(restored, 'npm run check:db')).toMatch(
      /^\d+ rules, 0 broken\nFiles: \d+ of \d+ bytes, 0 damaged$/m,
    )
    expect(await runProduct(restored, 'npm run admin -- restored')).toMatch(/[1-9]\d* sessions/)
  }
  for (const node of cluster.nodes) if (await node.role() === undefined) await node.start()
  await isWhole()
})

test('a restore of everything has each definition and each row of the primary', async () => {
  await product[Symbol.asyncDispose]()
  await archiveAll()
  const owner = new pg.Client({
    connectionString: connection(cluster.url, { database: 'finance' }),
  })
  await owner.connect()
  const expected = [...await describeDatabase(owner), ...await sumUpRows(owner)]
  await owner.end()
  await using restored = await restore(null)
  expect([...await describeDatabase(restored.sql), ...await sumUpRows(restored.sql)])
    .toEqual(expected)
})

test('the repository is encrypted: each file is, and without the passphrase nothing is restored', async () => {
  const { directory } = cluster
  const entries = await readdir(join(directory, 'repository'), {
    recursive: true,
    withFileTypes: true,
  })
  const starts = await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) =>
      (await readFile(join(parentPath, name))).subarray(0, 8).toString('latin1')
    ),
  )
  expect(new Set(starts)).toEqual(new Set(['Salted__']))
  const env = {
    ...serverEnv(directory, 'stolen', 1),
    PGBACKREST_REPO1_CIPHER_PASS: 'another passphrase',
  }
  await expect(runAsPostgres('pgbackrest --stanza=finance restore', directory, env)).rejects
    .toThrow('FormatError')
})

test('the third full backup deletes the first with its changes and its log', async () => {
  const before = await repository()
  expect(before.kinds).toEqual(['full', 'incr'])
  await fullBackup()
  await fullBackup()
  const after = await repository()
  expect(after.kinds).toEqual(['full', 'full'])
  expect(after.oldest > before.oldest).toBe(true)
})
