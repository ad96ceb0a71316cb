/**
 * docs/runbook.md, pasted: the commands of every symptom in the order of the page, in one
 * deployment. A problem is real if it is cheap to make. The last tests read the file for helpers,
 * which must contain nothing of users. Needs an engine.
 */
import { mkdir, readFile, rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandsOf, type Command } from '../support/doc-commands.ts'
import { smtpSink, type SmtpSink } from '../support/mail-sink.ts'
import type { Person } from '../support/person.ts'
import { newDeployment, tokenOf, type Deployment } from './deployment.ts'

let deployment: Deployment
let sink: SmtpSink
let ann: Person
let token: string
const project = () => `finance-test-${new URL(deployment.url).port}`
const file = (...names: string[]) => join(deployment.directory, ...names)

const left: Command[] = commandsOf('docs/runbook.md')
/** Runs the next command of the page, which must begin like this. @returns its output */
async function paste(
  page: string,
  start: string,
  variables: Record<string, string> = {},
): Promise<string> {
  const text = left.shift()?.text ?? ''
  expect(text.slice(0, start.length), `the next command of ${page}`).toBe(start)
  const given = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`).join(
    '',
  )
  return deployment.shell(
    given +
      text.replaceAll('https://money.example.org', deployment.url).replaceAll(
        'finance-auth-1',
        `${project()}-auth-1`,
      ).replaceAll(
        'project=finance ',
        `project=${project()} `,
      ),
  )
}
const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${deployment.url}/data/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
const store = async (name: string) =>
  expect(
    (await ask('transactions', { method: 'POST', body: JSON.stringify({ name, amount: -1 }) }))
      .status,
  ).toBe(201)
const stored = async () =>
  (await (await ask('transactions?select=name&order=name')).json() as { name: string }[])
    .map(({ name }) => name)
const isUp = () =>
  expect.poll(async () => (await fetch(`${deployment.url}/healthz`)).status, { timeout: 60_000 })
    .toBe(200)

/** Texts of users and secrets that no file for helpers may contain. */
const canaries = [
  'canary-of-name',
  'canary-of-address',
  'canary-of-row',
  'canary-of-team',
  'canary-of-search',
  'canary-of-smtp',
  'canary-of-offsite',
]

beforeAll(async () => {
  deployment = await newDeployment()
  await deployment.configure({
    DEFAULT_PRODUCT: 'teams',
    BACKUP_TIME: new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16),
  })
  await deployment.up()
  sink = await smtpSink(deployment.gateway)
  ann = deployment.person('canary-of-name', 'canary-of-address@example.org')
  token = await tokenOf(ann)
  await store('canary-of-row')
})
afterAll(async () => {
  await deployment.remove()
  await sink.close()
})

test('the first commands change nothing', async () => {
  expect(await paste('docs/runbook.md', 'docker compose ps --all')).toContain('auth')
  expect(await paste('docs/runbook.md', 'infra/docker/check')).toBe('No problem found.\n')
  expect(await paste('docs/runbook.md', 'docker compose logs --since 15m')).toContain('auth-1')
  expect(await paste('docs/runbook.md', 'infra/docker/support')).toMatch(
    /\/support-\d{8}T\d{6}Z\.tar\.gz\n$/,
  )
  expect(await stored()).toEqual(['canary-of-row'])
})

test('a full disk: old backups go, and the database runs', async () => {
  await mkdir(file('backups'), { recursive: true })
  const [old, young] = [
    file('backups/finance-20200101T000000Z.dump'),
    file('backups/finance-20260101T000000Z.dump'),
  ]
  for (const path of [old, young]) await writeFile(path, '')
  await utimes(old, new Date('2020-01-01'), new Date('2020-01-01'))
  expect(await paste('docs/runbook.md', 'infra/docker/admin status')).toMatch(
    /^database +\d+ MiB of \d+ MiB free, \d+ %/m,
  )
  await paste('docs/runbook.md', 'docker system df')
  expect(await paste('docs/runbook.md', 'du -ah backups')).toContain('finance-20200101')
  await paste('docs/runbook.md', 'find backups')
  expect(await deployment.shell('ls backups; rm backups/*.dump')).toBe(
    'finance-20260101T000000Z.dump\n',
  )
  expect(await paste('docs/runbook.md', 'docker compose logs --tail 20 db')).toContain(
    'ready to accept connections',
  )
  await paste('docs/runbook.md', 'infra/docker/up')
  expect(await stored()).toEqual(['canary-of-row'])
})

test('a database that restarts: its state and its last lines', async () => {
  expect(await paste('docs/runbook.md', 'docker compose ps --all db')).toContain('healthy')
  expect(await paste('docs/runbook.md', 'docker compose logs --tail 30 db')).toContain(
    'ready to accept connections',
  )
  expect(await paste('docs/runbook.md', 'docker inspect --format')).toBe(
    '0 restarts, out of memory: false\n',
  )
})

test('a lost .env and lost secrets: everything serves again, and nobody signs in again', async () => {
  const secret = await readFile(file('secrets/BETTER_AUTH_SECRET'), 'utf8')
  await rename(file('.env'), file('former-env'))
  await rename(file('secrets'), file('former-secrets'))
  await paste('docs/runbook.md', 'mkdir -p')
  await paste('docs/runbook.md', 'docker exec finance-auth-1 node')
  expect(await readFile(file('secrets/BETTER_AUTH_SECRET'), 'utf8')).toBe(secret)
  expect(await paste('docs/runbook.md', 'docker inspect --format')).toContain(
    'DEFAULT_PRODUCT=teams',
  )
  expect(await paste('docs/runbook.md', 'docker ps --all --filter')).toMatch(
    new RegExp(`-caddy-1 .*:${new URL(deployment.url).port}->443`),
  )
  await paste('docs/runbook.md', 'infra/docker/setup')
  await deployment.configure({
    DEFAULT_PRODUCT: 'teams',
    COMPOSE_PROFILES: 'backup',
    BACKUP_TIME: new Date(Date.now() + 12 * 3_600_000).toISOString().slice(11, 16),
  })
  await paste('docs/runbook.md', 'infra/docker/up --force-recreate')
  expect((await ann.get('/get-session')).status).toBe(200)
  expect(await stored()).toEqual(['canary-of-row'])
})

test('no certificate: the check, the log, and another try', async () => {
  await paste('docs/runbook.md', 'infra/docker/check')
  expect(await paste('docs/runbook.md', 'docker compose logs --since 1h caddy')).toContain(
    'certificate',
  )
  await paste('docs/runbook.md', 'docker compose restart caddy')
  await isUp()
})

test('mails that do not arrive: the check signs in, and one mail is sent at once', async () => {
  await deployment.keepSecret({
    SMTP_URL: sink.url.replace('smtp://', 'smtp://ann:canary-of-smtp@'),
  })
  await deployment.configure({ MAIL_FROM: 'money@example.org', SMTP_URL_FILE: 'secrets/SMTP_URL' })
  sink.mode = 'wrong-login'
  const refused = await deployment.command('check').then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  expect(refused).toMatch(
    /^SMTP_URL: the mail server refuses the login \(.*535 5\.7\.8 not accepted.*\): correct user and password\.\n$/,
  )
  expect(refused).not.toContain('canary')
  sink.mode = 'ok'
  expect(await paste('docs/runbook.md', 'infra/docker/check')).toBe('No problem found.\n')
  expect(
    await paste('docs/runbook.md', 'infra/docker/admin mail-test', {
      EMAIL: 'operator@example.org',
    }),
  ).toContain("The server's answer: 250 queued")
  expect(sink.mails.map(({ to }) => to)).toEqual([['operator@example.org']])
  expect(await paste('docs/runbook.md', 'docker compose exec -T db psql')).toContain('count')
  await paste('docs/runbook.md', 'docker compose logs --since 1h auth')
  await paste('docs/runbook.md', 'docker compose restart auth')
  await isUp()
})

test('a restore of the wrong moment: the former database comes back', async () => {
  await store('before the restore')
  // A restore leaves the same former database, but takes longer.
  await deployment.inDatabase(
    ['sh'],
    'createdb -U postgres -T template0 finance_before_20260101 && pg_dump -U postgres -Fc finance | pg_restore -U postgres -d finance_before_20260101',
  )
  await deployment.sql(`delete from api.transactions where name = 'before the restore'`)
  expect(await stored()).toEqual(['canary-of-row'])
  const former = (await paste('docs/runbook.md', 'docker compose exec -T db psql')).trim()
  expect(former).toBe('finance_before_20260101')
  await paste('docs/runbook.md', 'docker compose stop')
  await paste('docs/runbook.md', 'docker compose exec -T db psql', { FORMER: former })
  await paste('docs/runbook.md', 'infra/docker/up')
  expect(await stored()).toEqual(['before the restore', 'canary-of-row'])
})

test('users and operators who are locked out', async () => {
  const EMAIL = ann.email
  expect(await paste('docs/runbook.md', 'infra/docker/admin users')).toContain(EMAIL)
  expect(await paste('docs/runbook.md', 'infra/docker/admin verify', { EMAIL })).toContain(
    'is verified',
  )
  await expect(paste('docs/runbook.md', 'infra/docker/admin two-factor', { EMAIL })).rejects
    .toThrow('has no second factor')
  await expect(paste('docs/runbook.md', 'infra/docker/admin passkeys', { EMAIL })).rejects.toThrow(
    'has no passkey',
  )
  expect(await paste('docs/runbook.md', 'ls -ld')).toContain('secrets')
  expect(await paste('docs/runbook.md', 'id')).toContain('uid=')
  expect(await paste('docs/runbook.md', 'docker ps --all')).toContain(
    `${project()}-auth-1 ${deployment.directory}`,
  )
})

test('slow sign-ins: the load and the queue', async () => {
  expect(await paste('docs/runbook.md', 'docker stats')).toContain('CPU')
  expect(await paste('docs/runbook.md', 'docker compose exec -T auth node')).toContain(
    'auth_hashing_queue_length 0',
  )
  await paste('docs/runbook.md', 'docker compose logs --since 15m')
  await paste('docs/runbook.md', 'infra/docker/up')
})

test('an old backup: a new one, the reason, and its drill', async () => {
  expect(await paste('docs/runbook.md', 'infra/docker/backup')).toContain('.dump')
  expect(await paste('docs/runbook.md', 'docker compose ps --all backup')).toContain('offsite')
  await paste('docs/runbook.md', 'docker compose logs --tail 50 backup')
  expect(await paste('docs/runbook.md', 'infra/docker/restore --drill')).toContain(
    'all as they were',
  )
})

test('a failed upgrade prints and keeps the reason, which the containers of the former version do not have', async () => {
  await mkdir(file('broken'))
  await deployment.shell('chmod 777 broken')
  // The migration runs twice. Here the second run fails, by which compose replaces the services.
  const command = `const { existsSync, writeFileSync } = require('fs')
    if (existsSync('/broken/once')) { console.error('Cannot migrate: of the next version.'); process.exit(1) }
    writeFileSync('/broken/once', '')`
  await writeFile(
    file('broken.yaml'),
    JSON.stringify({
      services: { migrate: { command: ['node', '-e', command], volumes: ['./broken:/broken'] } },
    }),
  )
  const printed = await deployment.shell(
    'VERSION=latest COMPOSE_FILE=compose.yaml:broken.yaml infra/docker/replace',
  ).then(
    () => '',
    ({ stderr }: { stderr: string }) => stderr,
  )
  expect(printed).toContain(
    'The last lines of migrate, which is exited:\nCannot migrate: of the next version.\n',
  )
  expect(printed).toContain('latest does not serve. Going back to latest.')
  await isUp()
  expect(await deployment.logs('migrate')).not.toContain('Cannot migrate: of the next version.')
  expect(await paste('docs/runbook.md', 'docker compose ps')).toContain('auth')
  expect(await paste('docs/runbook.md', 'grep -E')).toContain(
    'Cannot migrate: of the next version.',
  )
  expect(await paste('docs/runbook.md', 'infra/docker/check')).toBe('No problem found.\n')
})

test('a wrong setting, which the check names before anything is replaced', async () => {
  await deployment.configure({ SIGN_UP: 'never' })
  await expect(paste('docs/runbook.md', 'infra/docker/check')).rejects.toMatchObject({
    stdout: 'SIGN_UP must be open, invitation or closed.\n',
  })
  await paste('docs/runbook.md', 'docker compose logs --tail 30 migrate')
  await deployment.configure({ SIGN_UP: 'open' })
  await paste('docs/runbook.md', 'infra/docker/up')
  await isUp()
})

test('a leaked signing key', async () => {
  const KID = `${JSON.parse(Buffer.from(`${token.split('.')[0]}`, 'base64url').toString()).kid}`
  expect(await paste('docs/runbook.md', 'infra/docker/admin keys')).toContain(KID)
  expect(await paste('docs/runbook.md', 'infra/docker/admin keys rotate')).toContain('signs now')
  expect(await paste('docs/runbook.md', 'infra/docker/admin keys revoke', { KID })).toContain(
    'Revoked 1 key.',
  )
  await paste('docs/runbook.md', 'docker compose logs --tail 30 auth')
  await expect.poll(async () => (await ask('transactions')).status, { timeout: 30_000 }).toBe(401)
  token = await ann.token()
})

test('the data surface is down, and comes back', async () => {
  await deployment.compose('stop', 'postgrest')
  expect(await paste('docs/runbook.md', 'docker compose ps --all postgrest')).toMatch(
    /postgrest.*Exited/,
  )
  await paste('docs/runbook.md', 'docker compose logs --tail 30 postgrest')
  await paste('docs/runbook.md', 'docker compose run --rm migrate')
  await paste('docs/runbook.md', 'docker compose restart postgrest')
  await paste('docs/runbook.md', 'infra/docker/up')
  await isUp()
  expect(await stored()).toContain('canary-of-row')
})

test('many 429: the addresses that the edge sees', async () => {
  expect(await paste('docs/runbook.md', 'docker compose logs --no-log-prefix')).toContain(
    `"client":"${deployment.gateway}"`,
  )
})

test('a service that is down is named, and starts again', async () => {
  await deployment.compose('stop', 'edge')
  expect(await paste('docs/runbook.md', 'infra/docker/admin status')).toContain(
    'The service edge does not run',
  )
  expect(await paste('docs/runbook.md', 'docker compose ps --all')).toMatch(/edge.*Exited/)
  await paste('docs/runbook.md', 'docker compose logs --tail 50 auth')
  await paste('docs/runbook.md', 'docker compose logs --no-log-prefix --since 15m')
  await paste('docs/runbook.md', 'infra/docker/up')
  await isUp()
})

test('a busy database: the process that blocks another one is named, and ended', async () => {
  const holder = deployment.inDatabase(
    ['psql', '-U', 'postgres', 'finance'],
    'begin; lock table api.transactions; select pg_sleep(600);',
  ).catch(() => 'ended')
  const lock =
    `select count(*) from pg_locks where relation = 'api.transactions'::regclass and mode = 'AccessExclusiveLock' and granted`
  await expect.poll(() => deployment.sql(lock), { timeout: 30_000 }).toEqual(['1'])
  const waiting = deployment.sql('select count(*) from api.transactions')
  const blockers = () =>
    deployment.sql(
      'select distinct blocker from pg_stat_activity, unnest(pg_blocking_pids(pid)) blocker',
    )
  await expect.poll(blockers, { timeout: 30_000 }).toHaveLength(1)
  const [PROCESS = ''] = await blockers()
  expect(await paste('docs/runbook.md', 'docker compose exec -T db psql')).toContain(`{${PROCESS}}`)
  expect(await paste('docs/runbook.md', 'docker compose exec -T db psql')).toContain('auth')
  await paste('docs/runbook.md', 'docker compose exec -T db psql')
  await paste('docs/runbook.md', 'docker compose exec -T db psql', { PROCESS })
  await Promise.all([waiting, holder])
})

test('a transaction that stays open is named, and ended', async () => {
  const holder = deployment.inDatabase(
    ['psql', '-U', 'postgres', 'finance'],
    'begin; select pg_current_xact_id(); select pg_sleep(600);',
  ).catch(() => 'ended')
  const holders = () =>
    deployment.sql(`select pid from pg_stat_activity where query like 'select pg_sleep(600)%'`)
  await expect.poll(holders, { timeout: 30_000 }).toHaveLength(1)
  const [PROCESS = ''] = await holders()
  expect(await paste('docs/runbook.md', 'docker compose exec -T db psql')).toMatch(
    new RegExp(`^ *${PROCESS} \\| postgres +\\| psql `, 'm'),
  )
  await paste('docs/runbook.md', 'docker compose exec -T db psql', { PROCESS })
  expect(await paste('docs/runbook.md', 'docker compose exec -T db psql')).toContain('(0 rows)')
  await paste('docs/runbook.md', 'docker compose restart auth')
  await Promise.all([holder, isUp()])
})

test('another alert: the state of everything', async () => {
  expect(await paste('docs/runbook.md', 'infra/docker/admin status')).toContain(
    'Nothing is monitored',
  )
  await paste('docs/runbook.md', 'docker compose ps --all')
  await paste('docs/runbook.md', 'docker compose logs --since 1h --tail 200')
})

describe('the file for helpers', () => {
  const unpack = async () => {
    const path = (await deployment.command('support', deployment.directory)).trim()
    return deployment.shell(`tar -xzOf '${path}'; tar -tzf '${path}'`)
  }

  test('the file for helpers has versions, states, names of settings, sizes and logs, and nothing of users and no secret', async () => {
    await ann.post('/organization/create', { name: 'canary-of-team' })
    await deployment.shell(
      `printf 'RESTIC_REPOSITORY=rest:http://127.0.0.1:1/\\nRESTIC_PASSWORD=canary-of-offsite\\n' >offsite.env`,
    )
    await ann.signIn()
    token = await ann.token()
    await store('canary-of-row')
    await ask('transactions?name=eq.canary-of-search')
    // PostgreSQL logs the name of a database that a client chose, and nothing of a failed
    // statement.
    await deployment.compose(
      'exec',
      '-T',
      'db',
      'psql',
      '-U',
      'postgres',
      'finance',
      '-c',
      `select 'canary-of-statement'::int`,
    ).catch(() => undefined)
    await deployment.compose('exec', '-T', 'db', 'psql', '-U', 'postgres', 'canary-of-row').catch(
      () => undefined,
    )
    const logs = await deployment.compose('logs', 'auth', 'db')
    expect(logs, 'the test is real').toContain('canary-of-row')
    expect(logs).not.toContain('canary-of-statement')
    const text = await unpack()
    for (
      const part of [
        'versions.txt',
        'states.txt',
        'settings.txt',
        'health.txt',
        'disk.txt',
        'database.txt',
        'problems.txt',
        'db.log',
        'auth.log',
        'edge.log',
        'caddy.log',
      ]
    )
      expect(text).toContain(part)
    for (
      const fact of [
        'Docker',
        'SMTP_URL_FILE=(hidden)',
        'COMPOSE_PROFILES=backup',
        '{"status":"up"}',
        'api.transactions',
        '"status":201',
        'ready to accept connections',
      ]
    )
      expect(text).toContain(fact)
    const secrets = (await deployment.shell('cat secrets/*')).split('\n').filter((line) =>
      line.length > 7
    )
    expect([...canaries, ...secrets, deployment.gateway].filter((word) => text.includes(word)))
      .toEqual([])
    expect(text, 'a control character').not.toContain('\x1b')
    expect(text.match(/[\w.-]+@[\w-]+\.\w+/g)).toBeNull()
  })

  test('the file for helpers is not written if a secret is in it nevertheless', async () => {
    await deployment.keepSecret({ OIDC_CLIENT_SECRET: 'ready to accept connections' })
    await expect(deployment.command('support', deployment.directory)).rejects.toThrow(
      /No file was written, because a secret is in .*db\.log/,
    )
    await deployment.shell('rm secrets/OIDC_CLIENT_SECRET')
  })
})

test('every command of the page was run', () => {
  expect(left).toEqual([])
})
