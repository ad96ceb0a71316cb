/**
 * infra/docker/setup refuses to make another deployment of a name that Docker has already, and infra/docker/restore says which file of a
 * backup is missing. Docker is a script here that answers with labels; tests/containers/upgrade-under-load.containers.ts asks the real one.
 */
import { execFile } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, afterEach, describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
let place: string
const here = () => join(place, 'here')
/** The folder of another deployment of the same name. */
const theirs = () => join(place, 'their folder')

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'finance-setup-'))
  for (const path of ['compose.yaml', 'postgrest.conf', 'infra/docker', 'infra/shared']) await cp(join(root, path), join(here(), path), { recursive: true })
  await mkdir(theirs())
  await mkdir(join(place, 'bin'))
})
afterEach(() => rm(place, { recursive: true }))

type Ended = { code: number, output: string, complaint: string }
const command = (name: string, args: string[], env: Record<string, string> = {}, uid?: number): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { env: { PATH: `${join(place, 'bin')}:${process.env['PATH']}`, ...env }, ...(uid === undefined ? {} : { uid, gid: uid }) }
    execFile(join(here(), 'infra/docker', name), args, options, (error, output, complaint) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, complaint }))
  })

/** Docker as it answers about one project: the folders that its containers are of, and its volumes. */
async function docker(project: string, folders: string[], volumes: string[]): Promise<void> {
  const lines = (words: string[]) => words.map((word) => `echo '${word}'`).join('\n') || ':'
  await writeFile(
    join(place, 'bin/docker'),
    `#!/bin/sh\ncase "$*" in\n*"project=${project}"*) case "$1" in ps) ${lines(folders)} ;; volume) ${lines(volumes)} ;; esac ;;\nesac\n`,
  )
  await chmod(join(place, 'bin/docker'), 0o755)
}
const written = async () => (await readdir(here())).filter((name) => name.startsWith('.') || name === 'backups')

describe('setup in a second folder', () => {
  test('where the first runs names its folder and the three ways out, and writes nothing', async () => {
    await docker('finance', [theirs(), theirs()], ['finance_database'])
    const { code, complaint } = await command('setup', ['https://money.example.org'])
    expect(code).toBe(1)
    expect(complaint).toContain(
      `another deployment named finance on this machine: its containers belong to ${theirs()}, and this folder does not have its secrets`,
    )
    for (const way of ['copy its .env', 'COMPOSE_PROJECT_NAME=finance2 infra/docker/setup', 'docker compose -p finance down --volumes'])
      expect(complaint).toContain(way)
    expect(await written()).toEqual([])
  })

  test('where the first is stopped and removed still finds its database', async () => {
    await docker('finance', [], ['finance_database'])
    const { code, complaint } = await command('setup', ['https://money.example.org'])
    expect([code, complaint]).toEqual([1, expect.stringContaining('its database is the volume finance_database, and this folder does not have its secrets')])
    expect(await written()).toEqual([])
  })

  test('makes one beside it that has a name of its own, and keeps the name', async () => {
    await docker('finance', [theirs()], ['finance_database'])
    const { code, complaint } = await command('setup', ['https://money.example.org'], { COMPOSE_PROJECT_NAME: 'staging' })
    expect([code, complaint]).toEqual([0, ''])
    expect(await readFile(join(here(), '.env'), 'utf8')).toMatch(/^COMPOSE_PROJECT_NAME=staging$/m)
    expect((await command('setup', [])).output).toContain('stays as it is')
  })

  test('with the .env of the first refuses as long as that runs from its own folder', async () => {
    await docker('finance', [], [])
    expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
    await docker('finance', [theirs()], ['finance_database'])
    const { code, complaint } = await command('setup', [])
    expect([code, complaint]).toEqual([1, expect.stringContaining(`its containers belong to ${theirs()}. Nothing was changed.`)])
    // the folder was moved here
    await rm(theirs(), { recursive: true })
    expect((await command('setup', [])).code).toBe(0)
  })
})

test('setup in the folder of what runs goes on, also by another path', async () => {
  await docker('finance', [], [])
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  await symlink(here(), join(place, 'link'))
  await docker('finance', [here(), join(place, 'link')], ['finance_database'])
  expect((await command('setup', [])).code).toBe(0)
})

test('setup copies the optional secrets of an older .env into files, and names the files', async () => {
  await docker('finance', [], [])
  const secrets = { RESEND_API_KEY: 're_1', OTEL_EXPORTER_OTLP_HEADERS: 'x=1', ALERT_WEBHOOK_URL: 'https://alerts.example.org/hook?token=1' }
  await writeFile(join(here(), '.env'), Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`).join(''))
  expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  for (const [name, value] of Object.entries(secrets)) {
    expect(await readFile(join(here(), 'secrets', name), 'utf8')).toBe(`${value}\n`)
    expect(await readFile(join(here(), '.env'), 'utf8')).toContain(`\n${name}_FILE=secrets/${name}\n`)
  }
})

/** Runs as root only: another user cannot give a file away. */
describe.runIf(process.getuid?.() === 0)('.env of another user', () => {
  const user = 65_534
  beforeEach(async () => {
    await docker('finance', [], [])
    expect((await command('setup', ['https://money.example.org'])).code).toBe(0)
  })

  test('is not taken for a missing one, and the command says how to get it back', async () => {
    await chmod(place, 0o755)
    await chown(here(), user, user)
    const before = await readFile(join(here(), '.env'), 'utf8')
    for (const name of ['setup', 'rollback']) {
      const { code, complaint } = await command(name, [], {}, user)
      expect([code, complaint]).toEqual([1, expect.stringMatching(/^\.env belongs to root, and .* cannot read and change it, so nothing was changed\./)])
    }
    expect(await readFile(join(here(), '.env'), 'utf8')).toBe(before)
  })

  test('stays theirs when root runs a command that writes it, and so do new secrets', async () => {
    for (const path of ['.env', 'secrets']) await chown(join(here(), path), user, user)
    await rm(join(here(), 'secrets/POSTGRES_PASSWORD'))
    expect((await command('setup', ['https://new.example.org'])).code).toBe(0)
    for (const path of ['.env', 'secrets/POSTGRES_PASSWORD']) expect((await stat(join(here(), path))).uid).toBe(user)
  })
})

test('setup without Docker warns that it could not check, and continues', async () => {
  await writeFile(join(place, 'bin/docker'), '#!/bin/sh\nexit 1\n')
  await chmod(join(place, 'bin/docker'), 0o755)
  const { code, complaint } = await command('setup', ['https://money.example.org'])
  expect([code, complaint]).toEqual([0, expect.stringContaining('Docker does not answer')])
})

test('restore names the file of a backup that is missing', async () => {
  const dump = join(place, 'finance-20260131T120000Z.dump')
  await writeFile(dump, '')
  await writeFile(dump.replace('.dump', '.sums'), '')
  const { code, complaint } = await command('restore', ['--drill', dump])
  expect([code, complaint]).toEqual([
    1,
    `${dump.replace('.dump', '.sha256')} is missing or cannot be read. A backup is three files: the .dump, its .sums and its .sha256.\n`,
  ])
})
