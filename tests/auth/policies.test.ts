/**
 * Each route enforces the policy of its row, and better-auth handles only requests that have a row.
 */
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { authConfig } from '../../auth/config.ts'
import { connect, type Connections } from '../../http/database.ts'
import { createHashingQueue } from '../../auth/engine/passwords.ts'
import { createLimits } from '../../http/rate-limits.ts'
import { routes } from '../../auth/rooms.ts'
import { serveRoute } from '../../http/serve-route.ts'
import { createLog } from '../../common/log.ts'
import { createMailer } from '../../auth/mail/mailer.ts'
import { currentRequest, policyOf } from '../../http/policy.ts'
import {
  route,
  type Env,
  type ProcessServices,
  type Route,
  type Services,
} from '../../http/route.ts'
import { createServices } from '../../auth/services.ts'
import { readSettings } from '../../common/settings.ts'
import { freshDatabase } from '../support/database.ts'

const publicUrl = 'http://localhost:3000'
const client = { address: '203.0.113.7', isLocal: false, userAgent: undefined }

let database: Awaited<ReturnType<typeof freshDatabase>>
let connections: Connections
let services: Awaited<ReturnType<typeof createServices>>
const logged: string[] = []
beforeAll(async () => {
  database = await freshDatabase()
  connections = connect(database.authUrl, () => undefined)
  const log = createLog('info', {
    write: (line: string) => {
      logged.push(line)
    },
  })
  services = await createServices({
    connections,
    log,
    hashingQueue: createHashingQueue(1, 1, 1_000),
    passwords: { hash: hashPassword, verify: verifyPassword },
    mailer: createMailer({ publicUrl, appUrl: publicUrl, hasApp: false }, async () => undefined),
    config: authConfig(readSettings({
      PUBLIC_URL: publicUrl,
      AUTH_DATABASE_URL: database.authUrl,
      BETTER_AUTH_SECRET: 'a secret of the tests, long enough',
      DEFAULT_PRODUCT: 'teams',
    })),
    limits: createLimits(connections, false),
  })
})
afterAll(async () => {
  await connections.close()
  await database.drop()
})

type Sent = { body?: object, cookie?: string }
const requestTo = (method: string, path: string, { body = {}, cookie = '' }: Sent = {}) =>
  new Request(`${publicUrl}/api/auth${path}`, {
    method,
    headers: { origin: publicUrl, cookie, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })

const rowAt = (path: string): Route => routes.find((row) => row.path === path) ?? expect.fail(path)

/** Sends a request to one row through the app. */
async function send(row: Route, sent?: Sent) {
  const app = new Hono<Env>().on(row.method, `/api/auth${row.path}`, (c) => {
    c.set('services', services as ProcessServices as Services)
    c.set('client', client)
    return serveRoute(c, row)
  })
  const response = await app.request(requestTo(row.method, row.path, sent))
  const { error } = await response.json() as { error?: string }
  return {
    status: response.status,
    error,
    cookie: response.headers.getSetCookie().map((one) => one.split(';')[0]).join('; '),
  }
}

const ben = { email: 'ben@example.org', password: 'correct horse', name: 'Ben' }
const ann = { email: 'ann@example.org', password: 'correct horse', name: 'Ann' }

describe('an endpoint of better-auth', () => {
  const endpoints = (): string[] =>
    Object.values(
      services.engine.api as Record<
        string,
        { path?: string, options?: { method?: string | string[] } }
      >,
    )
      .flatMap(({ path, options }) => (path === undefined
        ? []
        : [options?.method ?? 'GET'].flat().map((method) => `${method} ${path}`))
      )

  const statusOf = async (endpoint: string) => {
    const [method = '', path = ''] = endpoint.split(' ')
    return (await services.engine.handler(
      requestTo(method, path.replace(/:\w+/g, 'x'), { body: ann }),
    )).status
  }

  test('an endpoint of better-auth handles no request without a row', async () => {
    expect(endpoints()).toEqual(
      expect.arrayContaining([
        'POST /sign-up/email',
        'POST /change-email',
        'POST /organization/update',
      ]),
    )
    for (const endpoint of endpoints())
      expect({ endpoint, status: await statusOf(endpoint) }).toEqual({ endpoint, status: 404 })
  })

  test('an endpoint of better-auth handles no request of another endpoint’s row', async () => {
    const request = {
      policy: policyOf(rowAt('/jwks')),
      client,
      caller: undefined,
      onQueryError: () => undefined,
      onCorrectPassword: () => Promise.resolve(),
    }
    for (const endpoint of endpoints()) {
      const status = await currentRequest.run(request, () => statusOf(endpoint))
      expect({ endpoint, status }).toEqual({
        endpoint,
        status: endpoint === 'GET /jwks' ? 200 : 404,
      })
    }
  })

  test('an endpoint of better-auth exists for each row that names one', () => {
    const named = routes.flatMap(({ betterAuth }) => betterAuth ?? [])
    expect(named.length).toBeGreaterThan(15)
    expect(named.filter((endpoint) => !endpoints().includes(endpoint))).toEqual([])
  })
})

describe('a row without', () => {
  test('a policy requires a session, for every kind of handler', async () => {
    const bare = { summary: '', input: z.object({}), output: z.object({}) }
    const refused = { status: 401, error: 'UNAUTHORIZED' }
    expect(await send(route('POST', '/forgetful', { ...bare, handle: () => ({}) }))).toMatchObject(
      refused,
    )
    expect(
      await send(
        route('POST', '/forgetful', {
          ...bare,
          betterAuth: 'POST /change-password',
          handle: rowAt('/change-password').handle as never,
        }),
      ),
    )
      .toMatchObject(
        refused,
      )
  })

  test('a row without guessesPassword cannot verify a password', async () => {
    expect(await send(rowAt('/sign-up/email'), { body: ben })).toMatchObject({ status: 200 })
    expect(await send({ ...rowAt('/sign-in/email'), guessesPassword: false }, { body: ben }))
      .toMatchObject({ status: 500, error: 'INTERNAL_ERROR' })
    expect(logged.join()).toContain('no guess is counted')
    expect(await send(rowAt('/sign-in/email'), { body: ben })).toMatchObject({ status: 200 })
  })

  test('a row without hashesPassword cannot hash a password', async () => {
    expect(await send({ ...rowAt('/sign-up/email'), hashesPassword: false }, { body: ann }))
      .toMatchObject({ status: 500, error: 'INTERNAL_ERROR' })
    expect(logged.join()).toContain('without a slot in the hashing queue')
    const { rows } = await connections.pool.query('select from auth.users where email = $1', [
      ann.email,
    ])
    expect(rows).toEqual([])
  })

  test('the second factor cannot start a session for an account with two factors', async () => {
    const eve = { email: 'eve@example.org', password: 'correct horse', name: 'Eve' }
    const signIn = rowAt('/sign-in/email')
    const { cookie } = await send(rowAt('/sign-up/email'), { body: eve })
    await connections.db.insertInto('auth.two_factors')
      .values((values) => ({
        userId: values.selectFrom('auth.users').select('id').where('email', '=', eve.email),
        secret: '',
        backupCodes: [],
        enabledAt: new Date(),
      }))
      .execute()
    expect(await send(signIn, { body: eve })).toMatchObject({
      status: 403,
      error: 'SECOND_FACTOR_REQUIRED',
      cookie: expect.stringMatching(/^better-auth\.two_factor=[\w-]+$/),
    })
    expect(await send({ ...signIn, secondFactor: 'verified' }, { body: eve })).toMatchObject({
      status: 200,
    })
    // Replacing the user's own session needs no second factor.
    const change = {
      currentPassword: eve.password,
      newPassword: 'battery staple',
      revokeOtherSessions: true,
    }
    expect(await send(rowAt('/change-password'), { body: change, cookie })).toMatchObject({
      status: 200,
      cookie: expect.stringContaining('session_token='),
    })
  })

  test('a row without namesOrganization returns 403 for an organization, for every kind of handler', async () => {
    const { cookie } = await send(rowAt('/sign-up/email'), { body: ann })
    const body = { organizationId: 'some', userId: 'some', name: 'any' }
    for (const path of ['/organization/leave', '/organization/update']) {
      expect(await send(rowAt(path), { body, cookie })).toMatchObject({
        status: 404,
        error: 'NOT_FOUND',
      })
      expect(await send({ ...rowAt(path), namesOrganization: false }, { body, cookie }))
        .toMatchObject({ status: 403, error: 'FORBIDDEN' })
    }
  })
})

test('every row with an organizationId in its input has namesOrganization', () => {
  const takesOne = routes.filter(({ input }) =>
    'shape' in input && Object.hasOwn(input.shape as object, 'organizationId')
  )
  expect(takesOne.length).toBeGreaterThan(5)
  expect(takesOne.filter((row) => row.namesOrganization !== true).map(({ path }) => path)).toEqual(
    [],
  )
})
