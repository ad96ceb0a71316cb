/**
 * Automatic backups: scheduled, deleted by age, copied off-site, and recovery to a point in time.
 * One story: each test starts where the one before ended. Needs an engine.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { textOf } from '../support/doc-commands.ts'
import type { Person } from '../support/person.ts'
import { missingSeries } from '../support/metric-queries.ts'
import { changesOf, exceptSessions, newDeployment, run, type Deployment } from './deployment.ts'
import { resticServer, type ResticServer } from './restic-server.ts'

let deployment: Deployment
let elsewhere: ResticServer
/** The monitor of BACKUP_PING_URL, and the paths of its requests. */
let monitor: Server
const calls: string[] = []
let ann: Person
let token: string
const offsite = (password: string) =>
  writeFile(
    join(deployment.directory, 'offsite.env'),
    `RESTIC_REPOSITORY=rest:http://${deployment.gateway}:${elsewhere.port}/\nRESTIC_PASSWORD=${password}\n`,
  )

const future = (kind: string) =>
  join(deployment.directory, `backups/finance-29990101T000000Z.${kind}`)
const backups = async () =>
  (await readdir(join(deployment.directory, 'backups'))).filter((name) => name.endsWith('.dump'))
    .toSorted()
/** Returns the metrics, requested from Prometheus's network. */
const exposition = () => {
  const project = `finance-test-${new URL(deployment.url).port}`
  const ask =
    `fetch('http://offsite:9101/metrics').then((answer) => answer.text()).then(console.log)`
  return run('docker', [
    'run',
    '--rm',
    '--network',
    `${project}_watch`,
    `${project}-backend:latest`,
    'node',
    '-e',
    ask,
  ])
}
const metrics = async () => {
  const text = await fetch(`http://${await deployment.address('offsite', 'watch')}:9101/metrics`)
    .then((answer) => answer.text())
  return Object.fromEntries(
    text.split('\n').filter((line) => /^\w/.test(line)).map((
      line,
    ) => [line.split(' ')[0], Number(line.split(' ')[1])]),
  )
}
const patiently = { timeout: 90_000, interval: 500 }

const store = async (name: string) => {
  const { status } = await fetch(`${deployment.url}/data/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, amount: -1 }),
  })
  expect(status).toBe(201)
}
/** A restore ends all sessions. */
const signInAgain = async () => {
  await ann.signIn()
  token = await ann.token()
}
const stored = async () => {
  const answer = await fetch(`${deployment.url}/data/transactions?select=name&order=name`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return (await answer.json() as { name: string }[]).map(({ name }) => name)
}

beforeAll(async () => {
  elsewhere = await resticServer()
  deployment = await newDeployment()
  monitor = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`)
    response.end()
  }).listen(0, '0.0.0.0')
  await once(monitor, 'listening')
  await deployment.keepSecret({
    BACKUP_PING_URL: `http://${deployment.gateway}:${
      (monitor.address() as AddressInfo).port
    }/a-secret`,
  })
  await deployment.configure({
    COMPOSE_PROFILES: 'backup,pitr',
    BACKUP_PING_URL_FILE: 'secrets/BACKUP_PING_URL',
  })
  await offsite('far away')
  await deployment.up()
  ann = deployment.person('Ann')
  await ann.signUp()
  await ann.verify()
  await ann.signIn()
  token = await ann.token()
  await store('Groceries')
})
afterAll(async () => {
  await deployment.remove()
  await elsewhere.close()
  monitor.close()
})

describe('the check tries the repository of off-site copies, before the first one', () => {
  const findings = () =>
    deployment.command('check').then(
      (text) => text,
      ({ code, stdout }: { code: number, stdout: string }) => `${code}: ${stdout}`,
    )
  const repository = (line: string) =>
    writeFile(
      join(deployment.directory, 'offsite.env'),
      `RESTIC_REPOSITORY=${line}\nRESTIC_PASSWORD=far away\n`,
    )
  afterEach(() => offsite('far away'))

  test('a server that answers is fine, also without a repository', async () => {
    expect(await findings()).toBe('No problem found.\n')
    await repository(`rest:http://${deployment.gateway}:${elsewhere.port}/another/`)
    expect(await findings()).toBe('No problem found.\n')
  })

  test('a server that does not, and a wrong password, are doubts', async () => {
    await repository(`rest:http://${deployment.gateway}:1/`)
    expect(await findings()).toMatch(
      /^2: RESTIC_REPOSITORY: the repository of offsite\.env cannot be used \([^\n]+\): correct offsite\.env, or wait until it is back\.\n$/,
    )
    await expect.poll(
      () => [...elsewhere.files.keys()].some((path) => path.includes('config')),
      patiently,
    ).toBe(true)
    await offsite('another')
    expect(await findings()).toMatch(/^2: RESTIC_REPOSITORY: [^\n]*wrong password/)
  })

  test('a folder must be mounted, as docs/operations.md shows', async () => {
    await repository('/repository')
    expect(await findings()).toMatch(
      /^2: RESTIC_REPOSITORY: the container offsite cannot write to the folder \/repository: mount it there/,
    )
    const folder = join(deployment.directory, 'disk')
    await mkdir(folder)
    const [example = ''] = /services: \{ offsite: .*/.exec(textOf('docs/operations.md')) ?? []
    await writeFile(
      join(deployment.directory, 'mine.yaml'),
      example.replace('/mnt/disk/finance', folder),
    )
    await deployment.configure({ COMPOSE_FILE: 'compose.yaml:mine.yaml' })
    expect(await findings()).toBe('No problem found.\n')
    await deployment.compose('run', '--rm', '--no-deps', '-T', 'offsite', 'restic', 'init')
    expect(await readdir(folder)).toContain('config')
    expect(await findings()).toBe('No problem found.\n')
    await deployment.shell(`sed -i '/^COMPOSE_FILE=/d' .env`)
  })
})

test('the profile backup makes a first backup, drills it, copies it off-site and reports all of it as metrics', async () => {
  await expect.poll(metrics, patiently).toMatchObject({
    finance_backup_last_success_timestamp_seconds: expect.any(Number),
    finance_backup_last_size_bytes: expect.any(Number),
    finance_backup_failed: 0,
    finance_drill_last_success_timestamp_seconds: expect.any(Number),
    finance_backup_offsite_last_success_timestamp_seconds: expect.any(Number),
    finance_backup_offsite_failed: 0,
  })
  const [dump] = await backups()
  const figures = await metrics()
  expect(figures['finance_backup_last_size_bytes']).toBe(
    (await stat(join(deployment.directory, 'backups', `${dump}`))).size,
  )
  expect(figures['finance_backup_offsite_last_success_timestamp_seconds']).toBe(
    figures['finance_backup_last_success_timestamp_seconds'],
  )
  for (const service of ['backup', 'offsite', 'pitr'])
    await expect.poll(() => deployment.health(service), patiently).toBe('healthy')
  // The metrics of the alerts and the dashboard.
  await expect.poll(
    async () => (await missingSeries(/^finance_(backup|drill|pitr)_/, await exposition())).missing,
    patiently,
  ).toEqual([])
})

test('the profile backup tells the monitor each backup, drill and off-site copy, and keeps its URL out of the log', async () => {
  await expect.poll(() => calls, patiently).toEqual([
    'GET /a-secret',
    'GET /a-secret',
    'GET /a-secret',
  ])
  expect((await metrics())['finance_backup_ping_failed']).toBe(0)
  expect(await deployment.compose('logs', 'offsite')).not.toContain('a-secret')
})

test('the profile backup has access to the database or to a network, never to both', async () => {
  const { services } = JSON.parse(await deployment.compose('config', '--format', 'json'))
  for (const name of ['backup', 'pitr']) expect(services[name].network_mode).toBe('none')
  expect(services.offsite.volumes.map(({ source }: { source: string }) => source)).not.toContain(
    'socket',
  )
  // It has no access to the network whose client addresses are trusted either.
  const names = ['auth', 'db', 'postgrest'].map((name) =>
    `require('dns').promises.lookup('${name}').then(() => '${name}', () => '')`
  )
  expect(
    (await deployment.compose(
      'exec',
      '-T',
      'offsite',
      'node',
      '-e',
      `Promise.all([${names.join()}]).then((all) => console.log(all.join('')))`,
    )).trim(),
  )
    .toBe('')
  expect(
    services.offsite.volumes.find(({ target }: { target: string }) => target === '/app/backups')
      .read_only,
  ).toBe(true)
})

test('the profile backup leaves no unnamed volume behind', async () => {
  for (const service of ['backup', 'offsite', 'pitr']) {
    const [{ Mounts: mounts }] = JSON.parse(
      await run('docker', ['inspect', (await deployment.compose('ps', '-q', service)).trim()]),
    )
    const names = mounts.flatMap(({ Type: type, Name: name }: { Type: string, Name: string }) =>
      type === 'volume' ? [name] : []
    )
    expect([service, names.filter((name: string) => /^[0-9a-f]{64}$/.test(name))]).toEqual([
      service,
      [],
    ])
  }
})

test('the profile backup makes up for a missed day, although a wrong clock has made a backup of the future', async () => {
  for (const kind of ['dump', 'sums', 'sha256']) await writeFile(future(kind), '')
  const [old] = await backups()
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19).replaceAll(
    /[-:]/g,
    '',
  )
  for (const kind of ['dump', 'sums', 'sha256']) {
    await rename(
      join(deployment.directory, 'backups', `${old}`.replace('dump', kind)),
      join(deployment.directory, `backups/finance-${yesterday}Z.${kind}`),
    )
  }
  await deployment.compose('restart', 'backup')
  await expect.poll(async () => (await backups()).length, patiently).toBe(3)
})

test('the profile backup keeps backups by the age in their names, and always the three newest', async () => {
  const directory = join(deployment.directory, 'kept')
  await mkdir(directory)
  const aged = async (days: number) => {
    const name = `finance-${
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
    }Z`
    for (const kind of ['dump', 'sums', 'sha256'])
      await writeFile(join(directory, `${name}.${kind}`), '')
    return `${name}.dump`
  }
  const dumps = async () =>
    (await readdir(directory)).filter((name) => name.endsWith('.dump')).toSorted()
  const [eighty, seventy] = [await aged(80), await aged(70)]
  await deployment.command('backup', '--keep-days', '14', directory)
  expect((await dumps()).slice(0, 2)).toEqual([eighty, seventy])
  const [twenty, thirteen, two] = [await aged(20), await aged(13), await aged(2)]
  await deployment.command('backup', '--keep-days', '14', directory)
  expect(await dumps()).toHaveLength(4)
  expect((await dumps()).slice(0, 2)).toEqual([thirteen, two])
  expect((await readdir(directory)).filter((name) => name.includes(twenty.slice(0, 20)))).toEqual(
    [],
  )
})

test('the profile backup reports that the off-site copy fails, and continues with local backups', async () => {
  await offsite('forgotten')
  await deployment.compose('up', '-d', '--no-deps', 'offsite')
  await expect.poll(() => deployment.health('offsite'), patiently).toBe('unhealthy')
  expect(await metrics()).toMatchObject({
    finance_backup_offsite_failed: 1,
    finance_backup_failed: 0,
  })
  expect((await deployment.logs('offsite')).join('\n')).toContain('wrong password')
  expect(await deployment.health('backup')).toBe('healthy')
  await offsite('far away')
  await deployment.compose('up', '-d', '--no-deps', 'offsite')
  await expect.poll(async () => (await metrics())['finance_backup_offsite_failed'], patiently).toBe(
    0,
  )
  // the backup of the future has not stopped the copies
  const figures = await metrics()
  expect(figures['finance_backup_offsite_last_success_timestamp_seconds']).toBe(
    figures['finance_backup_last_success_timestamp_seconds'],
  )
  for (const kind of ['dump', 'sums', 'sha256']) await rm(future(kind))
})

test('the profile backup has no metrics of off-site copies if none are configured, so that no alert fires', async () => {
  await rm(join(deployment.directory, 'offsite.env'))
  await deployment.compose('up', '-d', '--no-deps', '--wait', 'offsite')
  await expect.poll(
    async () => Object.keys(await metrics()).filter((name) => name.includes('offsite')),
    patiently,
  ).toEqual([])
  await offsite('far away')
  await deployment.compose('up', '-d', '--no-deps', 'offsite')
  await expect.poll(async () => (await metrics())['finance_backup_offsite_failed'], patiently).toBe(
    0,
  )
})

describe('recovery to a point in time', () => {
  let between: string

  test('recovery to a point in time refuses a time outside of the log, and names the possible range', async () => {
    await expect(deployment.command('restore', '--at', '2020-01-01 00:00:00Z')).rejects.toThrow(
      /before the first copy of the database\. You can restore any time from 20/,
    )
    await expect(deployment.command('restore', '--at', '2999-01-01T00:00:00+01:00')).rejects
      .toThrow('is in the future. You can restore any time from')
    await expect(deployment.command('restore', '--at', '2026-01-01 12:00:00')).rejects.toThrow(
      'Give the time with its zone',
    )
  })

  test('recovery to a point in time shows a time between two writes in a drill, which changes nothing', async () => {
    await store('A')
    const { body: { id } } = await ann.post('/api-key/create', {
      name: 'Leaked',
      expiresInDays: 30,
    })
    between = (await deployment.sql(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00'`,
    )).join()
    await store('B')
    expect((await ann.post('/api-key/revoke', { keyId: id })).status).toBe(200)
    // the jobs of both events' mails
    await expect.poll(
      () =>
        deployment.sql(
          `select count(*) from private.jobs where task in ('queue_notice', 'send_mail')`,
        ),
      patiently,
    ).toEqual(['0'])
    const before = await deployment.sums()
    const output = await deployment.command('restore', '--drill', '--at', between)
    expect(output).toMatch(
      /It has \d+ definitions, \d+ tables, 1 people, \d+ rows\.\nWith the data it brings back the access of that time: .*1 API keys.*\.\nThe drill of .* passed\./,
    )
    expect(changesOf(before, await deployment.sums())).toEqual([])
    expect(await stored()).toEqual(['A', 'B', 'Groceries'])
  })

  test('recovery to a point in time replaces the database: it has only the first write, and the former database is kept', async () => {
    const output = await deployment.command('restore', '--at', between)
    expect(output).toContain(`Restored as it was at ${between}.`)
    // the sessions of the sign-up and of the sign-in
    expect(output).toMatch(
      /it brings back the access of that time: .*, 1 API keys, .*\.\nEnded, because a restore ends all sessions, and whatever was revoked or changed since: 2 sessions, 1 API keys\.$/m,
    )
    expect(await deployment.sql('select count(*) from auth.api_keys')).toEqual(['0'])
    expect((await ann.get('/get-session')).status).toBe(401)
    const former = token
    await signInAgain()
    expect(await stored()).toEqual(['A', 'Groceries'])
    const volume = `${/DATABASE_VOLUME=(\S+)/.exec(output)?.[1]}`
    await deployment.configure({ DATABASE_VOLUME: volume })
    await deployment.up()
    token = former
    expect(await stored()).toEqual(['A', 'B', 'Groceries'])
    await signInAgain()
  })
})

describe('a new machine', () => {
  const listed = () => deployment.command('restore', '--from-offsite', 'list')
  const host = () => new URL(deployment.url).host
  /**
   * Removes everything of the machine. The operator starts the product before the restore, so an
   * empty database is copied off-site.
   */
  const lostAndBegunAnew = async (kept: string) => {
    // also the containers of monitoring, which would keep the volume of the database
    await deployment.compose('--profile', '*', 'down', '--volumes')
    await rename(join(deployment.directory, 'backups'), join(deployment.directory, kept))
    await mkdir(join(deployment.directory, 'backups'))
    await deployment.up()
    const newest = async (kind: string) =>
      (await listed()).trim().split('\n').findLast((line) => line.startsWith(kind))
    for (const kind of ['finance-', 'pitr-'])
      await expect.poll(() => newest(kind), patiently).toContain(': 0 people')
  }

  test('a new machine lists the off-site copies: deployment, number of users, rows and bytes', async () => {
    await store('Last')
    const name = basename((await deployment.command('backup')).trim(), '.dump')
    await expect.poll(
      () => deployment.shell('cat "$(ls -d backups/pitr/* | tail -1)/people"'),
      patiently,
    ).toBe('1\n')
    await deployment.compose('restart', 'offsite')
    await expect.poll(async () => (await deployment.logs('offsite')).join('\n'), patiently)
      .toContain(`Copied ${name}`)
    await expect.poll(listed, patiently).toMatch(
      new RegExp(`^pitr-\\d{8}T\\d{6}Z of ${host()}: 1 people, \\? rows, [1-9]\\d* bytes$`, 'm'),
    )
    expect(await listed()).toMatch(
      new RegExp(`^${name} of ${host()}: 1 people, [1-9]\\d* rows, [1-9]\\d* bytes$`, 'm'),
    )
  })

  test('a new machine gets the newest backup with users, row by row the same, even after a new start and if monitoring does not start', async () => {
    const newest = `${(await backups()).at(-1)}`.replace('.dump', '')
    const sums = (await readFile(join(deployment.directory, 'backups', `${newest}.sums`), 'utf8'))
      .trim().split('\n')
    await lostAndBegunAnew('lost')
    await deployment.configure({
      COMPOSE_PROFILES: 'backup,pitr,monitoring',
      PROMETHEUS_TAG: 'none',
      ALERTMANAGER_TAG: 'none',
      GRAFANA_TAG: 'none',
    })
    const output = await deployment.shell('infra/docker/restore --from-offsite latest 2>&1')
    expect(output).toMatch(
      new RegExp(`Skipped, because it has no users: finance-\\S+ of ${host()}: 0 people`),
    )
    expect(output).toContain(`Taken from off-site: ${newest} of ${host()}: 1 people`)
    expect(output).toMatch(
      /This is the backup of \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ: 1 people, [1-9]\d* rows\.\n/,
    )
    expect(output).toContain('grafana does not start; the services for clients run.')
    expect(output).toContain('Restored.')
    await deployment.configure({ COMPOSE_PROFILES: 'backup,pitr' })
    expect(exceptSessions((await deployment.sums()).values())).toEqual(exceptSessions(sums))
    await signInAgain()
    expect(await stored()).toEqual(['A', 'B', 'Groceries', 'Last'])
  })

  test('a new machine gets the complete off-site log, and not that of the empty database', async () => {
    await lostAndBegunAnew('lost-too')
    const output = await deployment.shell(
      'infra/docker/restore --from-offsite latest --at latest 2>&1',
    )
    expect(output).toMatch(/Taken from off-site: pitr-\S+ of \S+: 1 people/)
    expect(output).toContain('Restored as it was at latest.')
    await signInAgain()
    expect(await stored()).toContain('Groceries')
  })

  test("a new machine refuses another deployment's copy", async () => {
    const path = join(deployment.directory, 'offsite.env')
    await writeFile(path, `${await readFile(path, 'utf8')}OFFSITE_NAME=other.example.org\n`)
    await expect(deployment.command('restore', '--from-offsite', 'latest')).rejects.toThrow(
      `No off-site copy of other.example.org, only of ${host()}. OFFSITE_NAME in offsite.env selects the deployment.`,
    )
  })
})

test('a copy with keys of another BETTER_AUTH_SECRET is refused before anything changes, and restored without its keys if the operator says so', async () => {
  const dump = (await deployment.command('backup')).trim()
  const drill = () =>
    deployment.command('restore', '--drill', '--at', 'latest').catch((error: Error) =>
      error.message
    )
  await expect.poll(drill, patiently).toContain('The drill of latest passed.')
  await deployment.keepSecret({ BETTER_AUTH_SECRET: 'another secret, which has to be long enough' })
  for (const copy of [[dump], ['--at', 'latest']]) {
    await expect(deployment.command('restore', ...copy)).rejects.toThrow(
      /BETTER_AUTH_SECRET is not the secret of the signing keys[^]*add --revoke-keys/,
    )
    expect((await ann.get('/get-session')).status).toBe(200)
  }
  expect(await deployment.sql(`select datname from pg_database where datname ~ '_copy_'`)).toEqual(
    [],
  )
  expect(await deployment.command('restore', '--revoke-keys', dump)).toContain('Restored.')
  expect((await ann.get('/get-session')).status).toBe(401)
  await ann.signIn()
  token = await ann.token()
  expect(await stored()).toContain('Groceries')
  expect(await deployment.command('restore', '--revoke-keys', '--at', 'latest')).toContain(
    'Restored as it was at latest.',
  )
})
