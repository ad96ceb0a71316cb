import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { connect } from '../../http/database.ts'
import { raw } from '../edge/support.ts'
import { connection, execute } from '../support/database.ts'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack()
})
afterAll(() => stack.close())

describe('an endpoint for operators', () => {
  test('GET /livez succeeds while the process runs', async () => {
    expect((await fetch(`${stack.url}/livez`)).status).toBe(200)
  })

  test('GET /readyz succeeds only with all migrations, row level security on all exposed tables, a signing key and a queue of emails', async () => {
    const ready = async () => {
      const answer = await fetch(`${stack.url}/readyz`)
      return { status: answer.status, ...await answer.json() as { checks: object } }
    }
    await expect.poll(ready).toEqual({
      status: 'ready',
      checks: {
        database: true,
        migrations: true,
        row_security: true,
        signing_key: true,
        mail_queue: true,
      },
    })
    await stack.sql.query(
      `update private.migrations set name = 'hidden ' || name where name = 'tables'`,
    )
    // Each state is reported within a second.
    await expect.poll(ready).toMatchObject({
      checks: { database: true, migrations: false, row_security: true, signing_key: true },
    })
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(503)
    await stack.sql.query(`update private.migrations set name = replace(name, 'hidden ', '')`)
    await stack.sql.query('alter table api.tags disable row level security')
    await expect.poll(ready).toMatchObject({
      status: 'not ready',
      checks: { migrations: true, row_security: false, signing_key: true },
    })
    expect((await fetch(`${stack.url}/readyz`)).status).toBe(503)
    await stack.sql.query('alter table api.tags enable row level security')
    await stack.sql.query(`update auth.jwks set expires_at = now() + interval '1 day'`)
    await expect.poll(ready).toMatchObject({ checks: { signing_key: false } })
    await stack.sql.query('update auth.jwks set expires_at = null')
    await expect.poll(ready).toMatchObject({ status: 'ready' })
    // a service that cannot send emails is not ready
    await stack.sql.query('revoke update on private.jobs from auth_service')
    await expect.poll(ready).toMatchObject({
      status: 'not ready',
      checks: { database: true, mail_queue: false },
    })
    await stack.sql.query('grant update on private.jobs to auth_service')
    await expect.poll(ready).toMatchObject({ status: 'ready' })
  })

  test('GET /metrics counts requests by route and status', async () => {
    await person(stack).get('/get-session')
    const text = await (await fetch(`${stack.url}/metrics`)).text()
    expect(text).toMatch(
      /auth_http_request_duration_seconds_count\{method="GET",route="\/get-session",status="401"\} \d+/,
    )
    expect(text).toContain('auth_hashing_queue_length 0')
    expect(text).toContain('process_resident_memory_bytes')
  })
})

test('a client that disconnects during its request body counts as a client error, so that clients cannot trigger the alert', async () => {
  const head =
    'POST /api/auth/reset-password HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  // The invalid chunk ends the connection.
  await raw(stack.url, `${head}2\r\n{"\r\nzz\r\n`)
  // The service notices the closed connection later.
  const counted = await vi.waitFor(async () => {
    const line = /_count\{method="POST",route="\/reset-password".*/.exec(
      await (await fetch(`${stack.url}/metrics`)).text(),
    )
    expect(line).not.toBeNull()
    return line?.[0]
  })
  expect(counted).toContain('status="400"')
})

test('the log has one line of JSON per request, with id, method, path, status and duration', async () => {
  const { headers } = await person(stack).get('/get-session')
  const id = headers.get('x-request-id')
  const lines = stack.logged.filter((line) => id !== null && line.includes(id))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    id,
    method: 'GET',
    path: '/api/auth/get-session',
    status: 401,
    ms: expect.any(Number),
    client: '127.0.0.1',
    msg: 'request',
  })
})

test('the log contains no password, token, cookie or mail', async () => {
  const { id: organizationId, owner, editor } = await team(stack, ['editor'])
  const ann = person(stack, 'Ann')
  await ann.signUp()
  const link = linkIn(await stack.mail.waitFor(ann.email))
  await ann.verify()
  await ann.get('/verify-email?token=a-broken-token-to-look-for')
  await ann.signIn('a wrong password to look for')
  await ann.post('/sign-up/email', { email: ann.email, password: 'a second password' })
  await ann.post('/forget-password', { email: ann.email })
  const reset = linkIn(
    await stack.mail.waitFor(ann.email, ({ text }) => text.includes('reset-password')),
  )
  const cookie = [...ann.cookies.values()][0] ?? 'none'
  await ann.post('/change-password', {
    currentPassword: 'a wrong password to look for',
    newPassword: password,
  })
  const token = await ann.token()
  await ann.post('/reset-password', {
    token: new URL(reset).searchParams.get('token'),
    password: 'the newest password',
  })
  await owner.post('/organization/invite-member', {
    organizationId,
    email: 'guest@example.org',
    role: 'viewer',
  })
  await editor.post('/organization/create', { name: 'x', slug: 'y' })
  const log = stack.logged.join('\n')
  const secrets = {
    password,
    wrong: 'a wrong password to look for',
    second: 'a second password',
    newest: 'the newest password',
    verification: new URL(link).searchParams.get('token'),
    broken: 'a-broken-token-to-look-for',
    reset: new URL(reset).searchParams.get('token'),
    cookie: cookie.split('.')[0],
    jwt: token,
    signature: token.split('.')[2],
    mail: 'You asked',
  }
  for (const [name, secret] of Object.entries(secrets)) {
    expect(secret, name).toBeTruthy()
    expect(log.includes(secret ?? ''), `the log holds the ${name}`).toBe(false)
  }
})

test('the log reports the cause of an internal error without values, and the response contains no details', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query(
    'alter table auth.users add constraint short_names check (length(name) < 10)',
  )
  const { status, body } = await ann.post('/update-user', { name: 'a name to look for' })
  await stack.sql.query('alter table auth.users drop constraint short_names')
  expect({ status, body }).toEqual({
    status: 500,
    body: { error: 'INTERNAL_ERROR', message: expect.any(String) },
  })
  const log = stack.logged.join('\n')
  expect(log).toContain('request failed')
  expect(log).not.toContain('a name to look for')
})

test('a failing database turns the read of a session into 500, not into 401, which would sign all users out', async () => {
  const ann = await signedIn(stack, 'Ann')
  await stack.sql.query('alter table auth.sessions rename to hidden')
  const answers = [
    await ann.get('/get-session'),
    await ann.get('/session-status'),
    await ann.post('/token'),
    await ann.get('/organization/list'),
  ]
  await stack.sql.query('alter table auth.hidden rename to sessions')
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 500, body: { error: 'INTERNAL_ERROR' } })
  expect((await ann.get('/get-session')).status).toBe(200)
})

test('a failing database that refuses connections turns it into 503, because the same request works later', async () => {
  const ann = await signedIn(stack, 'Ann')
  const database = new URL(stack.ownerUrl).pathname.slice(1)
  await stack.sql.query(`alter database ${database} connection limit 0`)
  await stack.sql.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name in ('auth', 'auth-engine')`,
  )
  const answer = await ann.get('/get-session')
  await stack.sql.query(`alter database ${database} connection limit -1`)
  expect(answer).toMatchObject({
    status: 503,
    body: { error: 'SERVICE_BUSY', message: expect.stringContaining('The database') },
  })
  await expect.poll(async () => (await ann.get('/get-session')).status).toBe(200)
})

describe('a failing mail provider', () => {
  test.each(['down', 'hang', 'refuse'] as const)(
    '(%s) does not fail or delay a sign-up, and the mail arrives once, later',
    async (mode) => {
      stack.mail.mode = mode
      const [requestsBefore, lines] = [stack.mail.requests(), stack.logged.length]
      const ann = person(stack, 'Ann')
      const started = performance.now()
      expect((await ann.signUp()).status).toBe(200)
      expect(performance.now() - started).toBeLessThan(5_000)
      // A hanging provider has the request. A failing or unreachable one has failed the first
      // attempt.
      await expect.poll(
        () =>
          mode === 'hang'
            ? stack.mail.requests() > requestsBefore
            : stack.logged.slice(lines).some((line) => line.includes('will be tried again')),
      ).toBe(true)
      stack.mail.mode = 'ok'
      await stack.mail.waitFor(ann.email, undefined, 20_000)
      expect(stack.mail.mails().filter(({ to }) => to === ann.email)).toHaveLength(1)
    },
  )
})

test('after a change of the database password, the log has one line that tells the operator to restart', async () => {
  const serverUrl = inject('serverUrl')
  const role = `login_${randomBytes(6).toString('hex')}`
  await execute(serverUrl, `create role ${role} login password 'before'`)
  const reported: string[] = []
  const { pool, pools, close } = connect(
    connection(serverUrl, { user: role, password: 'before' }),
    ({ message }) => reported.push(message),
  )
  const client = await pool.connect()
  await execute(serverUrl, `alter role ${role} password 'after'`)
  for (const refusing of [pool, pools.engine, pool])
    await expect(refusing.query('select 1')).rejects.toMatchObject({ code: '28P01' })
  expect(reported).toEqual([
    'AUTH_DATABASE_URL: the database refuses the password of auth_service. Restart this service after a change of the password.',
  ])
  client.release()
  await close()
  await execute(serverUrl, `drop role ${role}`)
})
