/**
 * docs/operations.md and docs/monitoring.md, pasted: all of their commands in order, on one
 * machine. One story: each test starts where the one before ended. Needs an engine.
 */
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates, setDefaultCACertificates } from 'node:tls'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandsOf, textOf, type Command } from '../support/doc-commands.ts'
import type { Person } from '../support/person.ts'
import { newDeployment, root, run, type Deployment } from './deployment.ts'
import { resticServer, type ResticServer } from './restic-server.ts'

let deployment: Deployment
let elsewhere: ResticServer
let ann: Person
let token: string
let moment = ''
let remote: string
const patiently = { timeout: 120_000, interval: 500 }

const env = async (name: string) =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(
    await readFile(join(deployment.directory, '.env'), 'utf8').catch(() => ''),
  )?.[1]
const project = () => `finance-test-${new URL(deployment.url).port}`

/** The placeholders of the pages with their values here. Nothing else is replaced. */
const replaced = async () => ({
  'https://money.example.org': deployment.url,
  '/srv/finance': deployment.directory,
  '2026-01-31 14:05:00+01:00': moment,
  finance_database: await env('DATABASE_VOLUME') ?? `${project()}_database`,
  finance_certificates: `${project()}_certificates`,
})

const left: Record<string, Command[]> = Object.fromEntries(
  ['docs/operations.md', 'docs/monitoring.md'].map((
    page,
  ) => [page, commandsOf(page).filter(({ mark }) => mark === undefined)]),
)
/** Runs the next command of a page, which must begin like this. @returns its output */
async function paste(
  page: string,
  start: string,
  variables: Record<string, string> = {},
): Promise<string> {
  const command = left[page]?.shift()
  expect(command?.text.slice(0, start.length), `the next command of ${page}`).toBe(start)
  let text = `${command?.text}`
  for (const [theirs, ours] of Object.entries(await replaced()))
    text = text.replaceAll(theirs, ours)
  const given = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`).join(
    '',
  )
  if (command?.from !== 'cron') return deployment.shell(given + text)
  expect(text).toMatch(/^(?:[\d*]+ +){5}[^%]+$/)
  return run('env', [`-C${tmpdir()}`, 'sh', '-c', text.replace(/^(?:[\d*]+ +){5}/, '')], {
    env: await cronEnvironment(),
  })
}
/** The environment of cron, and the ports and names of a test's deployment. */
async function cronEnvironment(): Promise<NodeJS.ProcessEnv> {
  const names = /^(?:PATH|HOME|DOCKER_\w+|\w+_(?:PORT|IMAGE|SUBNET)|COMPOSE_PROJECT_NAME)=/
  return Object.fromEntries(
    (await deployment.shell('env')).split('\n').filter((line) => names.test(line)).map((line) =>
      line.split(/=(.*)/s).slice(0, 2)
    ),
  )
}
/** Writes the lines of the page into `.env`. */
async function set(setting: string): Promise<void> {
  expect(textOf('docs/operations.md')).toContain(`\`${setting}\` in \`.env\``)
  const [name = '', value = ''] = setting.split('=')
  await deployment.configure({ [name]: value })
}

const dumps = async () =>
  (await readdir(join(deployment.directory, 'backups'))).filter((name) => name.endsWith('.dump'))
const copies = async () =>
  (await deployment.shell('ls -d backups/pitr/*/base-*Z 2>/dev/null || true')).trim().split('\n')
    .filter((line) => line !== '')
const rootOf = async () =>
  deployment.compose('exec', '-T', 'caddy', 'cat', '/data/caddy/pki/authorities/local/root.crt')
const trust = (certificate: string) => setDefaultCACertificates([...rootCertificates, certificate])
const data = (init: RequestInit = {}) =>
  fetch(`${deployment.url}/data/transactions?select=name&order=name`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
const store = async (name: string) =>
  expect((await data({ method: 'POST', body: JSON.stringify({ name, amount: -1 }) })).status).toBe(
    201,
  )
const stored = async () =>
  (await (await data()).json() as { name: string }[]).map(({ name }) => name)
const session = async () => (await ann.get('/get-session')).status
/** A restore ends all sessions. */
async function signInAgain(): Promise<void> {
  expect(await session()).toBe(401)
  await ann.signIn()
  token = await ann.token()
}
/** Removes everything of the old machine except the files that the page says to keep. */
async function newMachine(): Promise<void> {
  await deployment.compose('--profile', '*', 'down', '--volumes', '--timeout', '10')
  await deployment.shell('rm -rf backups .deployed.*')
}

beforeAll(async () => {
  elsewhere = await resticServer()
  deployment = await newDeployment({ images: false })
  remote = await mkdtemp(join(tmpdir(), 'finance-remote-'))
  // The page begins without a deployment.
  await deployment.shell('rm -r .env secrets')
})
afterAll(async () => {
  await deployment.remove()
  await run('docker', ['image', 'rm', '-f', `postgres:next-${project()}`])
  await elsewhere.close()
  await rm(remote, { recursive: true })
})

describe('one machine with Docker', () => {
  test('two commands start everything', async () => {
    // The permissions of a git checkout under a strict umask.
    await deployment.shell('chmod -R go-rwx .')
    await paste('docs/operations.md', 'infra/docker/setup https://money.example.org')
    expect((await stat(join(deployment.directory, '.env'))).mode & 0o777).toBe(0o600)
    // Otherwise the schedule could make a backup during the story.
    await deployment.configure({
      BACKUP_TIME: new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16),
    })
    expect(
      await deployment.shell('find infra/monitoring ! -perm -o=r'),
      'what Prometheus, Alertmanager and Grafana cannot read',
    ).toBe('')
    await paste('docs/operations.md', 'infra/docker/up')
    expect(
      (await deployment.compose('ps', '--format', '{{.Service}} {{.Health}}')).trim().split('\n')
        .toSorted(),
    ).toEqual([
      'auth healthy',
      'caddy healthy',
      'db healthy',
      'edge healthy',
      'postgrest',
    ])
  })

  test('the settings have no problem', async () => {
    expect(await paste('docs/operations.md', 'infra/docker/check')).toBe('No problem found.\n')
  })

  test('one machine with Docker clients that trust the root certificate get responses, and mails are in the log', async () => {
    trust(await paste('docs/operations.md', 'docker compose exec caddy cat'))
    expect(await (await fetch(`${deployment.url}/healthz`)).json()).toEqual({ status: 'up' })
    ann = deployment.person('Ann')
    await ann.signUp()
    await ann.verify()
    await ann.signIn()
    token = await ann.token()
    expect(await paste('docs/operations.md', 'docker compose logs auth')).toContain(
      `Mail to ${ann.email}: `,
    )
    await expect(paste('docs/operations.md', 'infra/docker/admin mail-test', { EMAIL: ann.email }))
      .rejects.toThrow('No mail provider is set')
    expect(await paste('docs/operations.md', 'infra/docker/admin --help')).toMatch(
      /^Usage: infra\/docker\/admin <command>/,
    )
    await paste('docs/operations.md', 'infra/docker/admin export', { EMAIL: ann.email })
    // A ZIP archive.
    expect(await deployment.shell('head -c 2 theirs.zip && rm theirs.zip')).toBe('PK')
  })

  test('a lost secret is read from a container that still runs', async () => {
    const printed = await paste('docs/operations.md', 'docker compose exec -T auth node -p')
    expect(printed.trim()).toBe((await deployment.shell('cat secrets/BETTER_AUTH_SECRET')).trim())
  })
})

describe('backup and restore', () => {
  test('a backup is made, drilled and restored', async () => {
    await store('Groceries')
    const { body: { id } } = await ann.post('/api-key/create', {
      name: 'Leaked',
      expiresInDays: 30,
    })
    const made = await paste('docs/operations.md', 'infra/docker/backup --keep 14')
    expect(await dumps()).toEqual([made.trim().split('/').at(-1)])
    await store('Later')
    expect((await ann.post('/api-key/revoke', { keyId: id })).status).toBe(200)
    expect(await paste('docs/operations.md', 'infra/docker/restore --drill')).toMatch(
      /access of that time: .*1 ways to sign in, .*1 API keys[^]*all as they were/,
    )
    expect(await stored()).toEqual(['Groceries', 'Later'])
    const restored = await paste('docs/operations.md', 'infra/docker/restore "$(ls')
    // the sessions of the sign-up and of the sign-in
    expect(restored).toMatch(
      /^Ended, because a restore ends all sessions, and whatever was revoked or changed since: 2 sessions, 1 API keys\.\nRestored\./m,
    )
    expect(await deployment.sql('select count(*) from auth.api_keys')).toEqual(['0'])
    await signInAgain()
    expect(await stored()).toEqual(['Groceries'])
  })

  test('backup and restore backups run automatically, and with cron', async () => {
    await set('COMPOSE_PROFILES=backup')
    await paste('docs/operations.md', 'infra/docker/up')
    expect(await deployment.health('backup')).toBe('healthy')
    await expect.poll(async () => (await deployment.logs('backup')).join('\n'), patiently)
      .toContain('all as they were')
    expect(await dumps()).toHaveLength(1)
    await paste(
      'docs/operations.md',
      '15 3 * * *  cd /srv/finance && infra/docker/backup --keep-days 14',
    )
    expect(await dumps()).toHaveLength(2)
    await paste('docs/operations.md', '15 4 * * 0  cd /srv/finance && infra/docker/restore --drill')
    expect(await deployment.sql(`select datname from pg_database where datname ~ 'copy'`)).toEqual(
      [],
    )
  })

  test('each backup is copied off-site', async () => {
    // A storage that needs no account.
    await writeFile(
      join(deployment.directory, 'offsite.env'),
      `RESTIC_REPOSITORY=rest:http://${deployment.gateway}:${elsewhere.port}/\nRESTIC_PASSWORD='long and random'\n`,
      {
        mode: 0o600,
      },
    )
    await paste('docs/operations.md', 'infra/docker/up')
    const copied = async () =>
      (await deployment.logs('offsite')).filter((line) => line.includes('Copied finance-')).length
    await expect.poll(copied, patiently).toBe(2)
  })

  test('API keys, passkeys, webhooks and calendars are ended', async () => {
    await ann.post('/api-key/create', { name: 'Script', expiresInDays: 30 })
    expect(await paste('docs/operations.md', 'docker compose exec db psql')).toMatch(/^DELETE 1$/m)
    expect(await session()).toBe(200)
  })

  test('a new machine lists the off-site copies and restores one', async () => {
    await newMachine()
    // The line that an upgrade left in the old `.env`. Its image was on the old machine.
    await deployment.configure({ COMPOSE_FILE: '.deployed.0123456789ab.yaml' })
    const there = (await paste('docs/operations.md', 'infra/docker/restore --from-offsite list'))
      .trim().split('\n')
    expect(there).toHaveLength(2)
    expect(
      (await stat(join(deployment.directory, 'backups'))).mode & 0o777,
      'not made by Docker, for root',
    ).toBe(0o700)
    expect(there.at(-1)).toMatch(
      new RegExp(
        `^finance-\\d{8}T\\d{6}Z of ${
          new URL(deployment.url).host
        }: 1 people, [1-9]\\d* rows, [1-9]\\d* bytes$`,
      ),
    )
    expect(await paste('docs/operations.md', 'infra/docker/restore --drill --from-offsite latest'))
      .toContain('all as they were')
    expect(
      await deployment.sql(
        `select to_regclass('api.transactions') is null or (select count(*) = 0 from api.transactions)`,
      ),
    ).toEqual(['t'])
    expect(await paste('docs/operations.md', 'infra/docker/restore --from-offsite latest')).toMatch(
      /Access that was revoked since the backup is back[^\n]*\nRestored\./,
    )
    trust(await rootOf())
    await signInAgain()
    expect(await stored()).toEqual(['Groceries'])
  })
})

test('recovery to a point in time is drilled, then executed', async () => {
  await set('COMPOSE_PROFILES=backup,pitr')
  await paste('docs/operations.md', 'infra/docker/up')
  await expect.poll(copies, patiently).toHaveLength(1)
  const [whole = ''] = await copies()
  await store('A')
  await expect.poll(
    async () =>
      (await deployment.sql(`select to_char(now() at time zone 'UTC', 'YYYYMMDD"T"HH24MISS"Z"')`))
        .join(),
    patiently,
  )
    .toSatisfy((now: string) => now > `${whole.split('base-')[1]}`)
  moment = (await deployment.sql(
    `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00'`,
  )).join()
  await store('B')
  expect(await paste('docs/operations.md', 'infra/docker/restore --drill --at')).toContain(
    `The drill of ${moment} passed.`,
  )
  expect(await stored()).toEqual(['A', 'B', 'Groceries'])
  expect(await paste('docs/operations.md', 'infra/docker/restore --at')).toContain(
    `Restored as it was at ${moment}.`,
  )
  await signInAgain()
  expect(await stored()).toEqual(['A', 'Groceries'])
})

test('recovery to a point in time is possible on a new machine, from the off-site copy', async () => {
  await expect.poll(copies, patiently).toHaveLength(2)
  const before = new Set(elsewhere.files.keys())
  await deployment.compose('restart', 'offsite')
  await expect.poll(
    () =>
      [...elsewhere.files.keys()].filter((path) =>
        path.startsWith('/snapshots/') && !before.has(path)
      ),
    patiently,
  ).not.toEqual([])
  await newMachine()
  expect(
    await paste('docs/operations.md', 'infra/docker/restore --from-offsite latest --at latest'),
  ).toContain('Restored as it was at latest.')
  trust(await rootOf())
  await signInAgain()
  expect(await stored()).toEqual(['A', 'Groceries'])
})

test('recovery to a point in time is turned off, and PostgreSQL stops archiving', async () => {
  await expect.poll(() => deployment.health('pitr'), patiently).toBe('healthy')
  expect(await deployment.sql('select slot_name from pg_replication_slots where not temporary'))
    .toEqual(['finance_pitr'])
  await deployment.configure({ COMPOSE_PROFILES: 'backup' })
  await paste('docs/operations.md', 'docker compose rm -sf pitr')
  await paste('docs/operations.md', 'rm -f backups/pitr.prom')
  await paste(
    'docs/operations.md',
    'docker compose exec db psql -U postgres -c "select pg_drop_replication_slot',
  )
  expect(await deployment.sql('select slot_name from pg_replication_slots where not temporary'))
    .toEqual([])
  expect(await deployment.compose('--profile', '*', 'ps', '-aq', 'pitr')).toBe('')
})

describe('upgrade and rollback', () => {
  test('a pulled version serves, also after the next start', async () => {
    await expect.poll(dumps, patiently).not.toEqual([])
    await cp(join(root, '.gitignore'), join(deployment.directory, '.gitignore'))
    const somebody = '-c user.name=Somebody -c user.email=somebody@example.org'
    await deployment.shell(`
      git init -q -b main; git add -A; git ${somebody} commit -qm first
      git init -q --bare -b main ${remote}/origin.git; git remote add origin ${remote}/origin.git; git push -qu origin main
      git clone -q ${remote}/origin.git ${remote}/theirs; cd ${remote}/theirs
      echo >>auth/main.ts; git ${somebody} commit -qam next; git push -q`)
    const next =
      (await run('git', ['-C', join(remote, 'theirs'), 'rev-parse', '--short=12', 'HEAD'])).trim()
    const before = await dumps()
    const backups = async () =>
      (await run('docker', ['image', 'ls', '--format', '{{.Tag}}', `${project()}-backup`])).trim()
        .split('\n').toSorted()
    await run('docker', [
      'tag',
      `${project()}-backup:latest-pg18`,
      `${project()}-backup:0123456789ab-pg18`,
    ])
    expect(await paste('docs/operations.md', 'git pull && infra/docker/upgrade')).toContain(
      `${next} serves.`,
    )
    expect(await backups(), 'what serves, and what served before').toEqual([
      `${next}-pg18`,
      'latest-pg18',
    ])
    expect(await dumps()).toHaveLength(before.length + 1)
    await paste('docs/operations.md', 'infra/docker/up')
    const serving = async () =>
      run('docker', [
        'inspect',
        '-f',
        '{{.Config.Image}}',
        (await deployment.compose('ps', '-q', 'auth')).trim(),
      ])
    expect(await serving()).toContain(`:${next}`)
    expect(await paste('docs/operations.md', 'infra/docker/rollback')).toContain('latest serves.')
    expect(await serving()).toContain(':latest')
    expect(await stored()).toEqual(['A', 'Groceries'])
  })

  test("a restore into an empty deployment, as for another PostgreSQL version, uses that version's programs for backups", async () => {
    const next = `next-${project()}`
    // The same PostgreSQL under another tag with a mark, because there is no newer version for
    // POSTGRES_TAG.
    await deployment.shell(
      `printf 'FROM postgres:18\nRUN touch /next\n' | docker build -qt postgres:${next} -`,
    )
    await paste('docs/operations.md', 'infra/docker/backup')
    await paste('docs/operations.md', 'docker compose down')
    await paste('docs/operations.md', 'docker volume rm finance_database')
    await deployment.configure({ POSTGRES_TAG: next })
    await paste('docs/operations.md', 'infra/docker/up')
    expect(await deployment.sql('select count(*) from auth.users')).toEqual(['0'])
    await deployment.compose('exec', '-T', 'backup', 'infra/docker/backup')
    await paste('docs/operations.md', 'infra/docker/restore "$(cat')
    await signInAgain()
    expect(await stored()).toEqual(['A', 'Groceries'])
    for (const service of ['db', 'backup', 'offsite'])
      await deployment.compose('exec', '-T', service, 'test', '-e', '/next')
    expect(await deployment.compose('exec', '-T', 'backup', 'infra/docker/backup')).toMatch(
      /finance-\d{8}T\d{6}Z\.dump/,
    )
  })
})

test('the indexes of texts are rebuilt after another version of the library that sorts them', async () => {
  expect(
    await deployment.sql(
      `select datlocprovider, datlocale from pg_database where datname = 'finance'`,
    ),
  ).toEqual(['b|C.UTF-8'])
  await deployment.sql(`update pg_database set datcollversion = '0' where datname = 'finance'`)
  expect(await deployment.command('admin', 'status')).toContain(
    'Warning: the indexes of texts were built with version 0',
  )
  await paste('docs/operations.md', 'docker compose exec db reindexdb')
  await paste('docs/operations.md', 'docker compose exec db psql')
  expect(await deployment.command('admin', 'status')).not.toContain('Warning: the indexes')
})

describe('rotation of every secret', () => {
  test('the signing key is rotated, and a leaked one revoked', async () => {
    const kid = `${JSON.parse(Buffer.from(`${token.split('.')[0]}`, 'base64url').toString()).kid}`
    expect(await paste('docs/operations.md', 'infra/docker/admin keys rotate')).toContain(
      'signs now',
    )
    expect((await data()).status).toBe(200)
    expect(await paste('docs/operations.md', 'infra/docker/admin keys')).toMatch(
      new RegExp(`^${kid} +verifies `, 'm'),
    )
    expect(await paste('docs/operations.md', 'infra/docker/admin keys revoke "$KID"', { KID: kid }))
      .toContain('Revoked 1 key.')
    await expect.poll(async () => (await data()).status, patiently).toBe(401)
    token = await ann.token()
    expect((await data()).status).toBe(200)
  })

  test("the database's passwords are changed, to ones full of special characters", async () => {
    const login = () =>
      deployment.sql(`select rolname, rolpassword from pg_authid where rolcanlogin order by 1`)
    const before = await login()
    const password = (name: string) =>
      `p@ss:w/ord?#%25&=+ $HOME \${X} "q" \\ back [x]{y} ~é€${name}`
    const users = {
      postgres: 'POSTGRES_PASSWORD',
      auth_service: 'AUTH_SERVICE_PASSWORD',
      authenticator: 'AUTHENTICATOR_PASSWORD',
    }
    await deployment.keepSecret({
      POSTGRES_PASSWORD: password('POSTGRES_PASSWORD'),
      AUTH_SERVICE_PASSWORD: password('AUTH_SERVICE_PASSWORD'),
      AUTHENTICATOR_PASSWORD: `postgresql://authenticator:${
        encodeURIComponent(password('AUTHENTICATOR_PASSWORD'))
      }@`,
    })
    await paste(
      'docs/operations.md',
      'docker compose run --rm migrate && docker compose restart auth realtime postgrest',
    )
    const after = await login()
    expect(after).toHaveLength(3)
    expect(after.filter((one) => before.includes(one))).toEqual([])
    expect(await stored()).toEqual(['A', 'Groceries'])
    expect(await session()).toBe(200)
    for (const [user, name] of Object.entries(users)) {
      const psql = [
        'psql',
        '-XAt',
        '-h',
        '127.0.0.1',
        '-U',
        user,
        '-d',
        'finance',
        '-c',
        'select current_user',
      ]
      expect(
        (await deployment.compose(
          'exec',
          '-T',
          '-e',
          `PGPASSWORD=${password(name)}`,
          'db',
          ...psql,
        )).trim(),
      ).toBe(user)
    }
  })

  test('all users sign in again after a change of BETTER_AUTH_SECRET', async () => {
    await paste('docs/operations.md', 'docker compose stop caddy auth')
    expect(await paste('docs/operations.md', 'infra/docker/admin keys revoke --all')).toMatch(
      /^Revoked [1-9]/,
    )
    await deployment.keepSecret({
      BETTER_AUTH_SECRET: 'another secret, which has to be long enough',
    })
    await paste('docs/operations.md', 'infra/docker/up')
    expect(await session()).toBe(401)
    await ann.signIn()
    token = await ann.token()
    expect(await stored()).toEqual(['A', 'Groceries'])
  })

  test("the mail provider's key is changed", async () => {
    await deployment.keepSecret({ RESEND_API_KEY: 're_0123456789' })
    await deployment.configure({
      MAIL_FROM: 'money@example.org',
      RESEND_API_KEY_FILE: 'secrets/RESEND_API_KEY',
    })
    await deployment.up()
    await deployment.keepSecret({ RESEND_API_KEY: 're_9876543210' })
    await paste('docs/operations.md', 'docker compose restart auth')
    expect(
      await deployment.compose(
        'exec',
        '-T',
        'auth',
        'node',
        '-p',
        'require("fs").readFileSync(process.env.RESEND_API_KEY_FILE, "utf8")',
      ),
    ).toBe(
      're_9876543210\n\n',
    )
    await expect.poll(session, patiently).toBe(200)
    expect(await session()).toBe(200)
  })

  test("Caddy's authority is recreated", async () => {
    const before = await rootOf()
    await paste('docs/operations.md', 'docker compose rm -sf caddy')
    await paste('docs/operations.md', 'docker volume rm finance_certificates')
    await paste('docs/operations.md', 'infra/docker/up')
    const after = await rootOf()
    expect(after).not.toBe(before)
    trust(after)
    expect(await stored()).toEqual(['A', 'Groceries'])
  })
})

test('monitoring shows the log of the migration and of the services', async () => {
  // A migration without work prints nothing.
  expect(await paste('docs/operations.md', 'docker compose logs migrate')).not.toContain(
    'Cannot migrate',
  )
  expect(await paste('docs/monitoring.md', 'docker compose logs auth')).toContain('auth-1')
  expect(await paste('docs/monitoring.md', 'docker compose logs edge')).toContain('edge-1')
  expect(await paste('docs/monitoring.md', 'docker compose logs postgrest db')).toContain('db-1')
})

test('monitoring finds a request by its id', async () => {
  const id = `${(await data()).headers.get('x-request-id')}`
  await expect.poll(async () => (await deployment.logs('edge')).join('\n'), patiently).toContain(id)
  const lines = (await paste(
    'docs/monitoring.md',
    'docker compose logs --no-log-prefix edge auth realtime postgrest',
    {
      ID: id,
    },
  )).trim().split('\n')
  // Compose clears the line of a terminal first.
  expect(JSON.parse(stripVTControlCharacters(`${lines[0]}`))).toMatchObject({
    id,
    path: '/data/transactions',
  })
})

test('monitoring of the profile `monitoring` is valid for compose, though tests cannot pull its images', async () => {
  const marked = commandsOf('docs/monitoring.md').filter(({ mark }) => mark === 'images')
    .map(({ text }) => text)
  expect(marked).toEqual([
    'docker compose --profile monitoring up -d --wait',
    'docker compose --profile monitoring restart alertmanager',
    'docker compose --profile monitoring up -d --force-recreate --no-deps prometheus alertmanager grafana machine',
  ])
  await deployment.shell('docker compose --profile monitoring config -q')
  expect((await deployment.compose('--profile', 'monitoring', 'config', '--services')).split('\n'))
    .toEqual(
      expect.arrayContaining(['alertmanager', 'grafana', 'machine', 'prometheus']),
    )
})

test('every command of both pages was run', () => {
  expect(Object.values(left).flat()).toEqual([])
})
