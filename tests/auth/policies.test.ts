/** The engine does for a request what the route's row says, and what no row says it does for nobody. */
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../auth/routes/table.ts'
import { authConfig } from '../../auth/config.ts'
import { readSettings } from '../../infra/shared/settings.ts'
import { connect, type Connections } from '../../auth/database.ts'
import { createEngine, type Engine } from '../../auth/engine/engine.ts'
import { hashingQueue } from '../../auth/engine/hashing-queue.ts'
import { limits } from '../../auth/engine/rate-limits.ts'
import { createLog } from '../../auth/log.ts'
import { createMailer } from '../../auth/mail/mailer.ts'
import { plans } from '../../auth/plans.ts'
import { policyOf, type Policy } from '../../auth/policy.ts'
import { requestContexts, type RequestContext } from '../../auth/request-context.ts'
import { freshDatabase } from '../support/database.ts'

const publicUrl = 'http://localhost:3000'
const all = routes.map(policyOf)

let database: Awaited<ReturnType<typeof freshDatabase>>
let connections: Connections
beforeAll(async () => {
  database = await freshDatabase()
  connections = connect(database.authUrl, () => undefined)
})
afterAll(async () => {
  await connections.close()
  await database.drop()
})

const engineWith = (policies: Policy[]): Promise<Engine> =>
  createEngine({
    policies,
    connections,
    log: createLog('silent'),
    hashingQueue: hashingQueue(1, 1, 1_000),
    passwords: { hash: hashPassword, verify: verifyPassword },
    mailer: createMailer({ publicUrl, appUrl: publicUrl, hasApp: false }, async () => undefined),
    config: authConfig(readSettings({ PUBLIC_URL: publicUrl, AUTH_DATABASE_URL: database.authUrl, BETTER_AUTH_SECRET: 'a secret of the tests, long enough' })),
    plans: plans(connections.db, 'teams'),
    limits: limits(connections.db, false),
  })

/** Asks the engine itself, as nobody outside can. */
async function ask(engine: Engine, method: string, path: string, { body = {}, cookie = '' }: { body?: object, cookie?: string } = {}) {
  const request = new Request(`${publicUrl}/api/auth${path}`, {
    method,
    headers: { origin: publicUrl, cookie, 'content-type': 'application/json' },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  })
  const own: RequestContext = {}
  const response = await requestContexts.run(own, () => engine.handler(request)).finally(() => own.leaveQueue?.())
  const { code } = await response.clone().json().catch(() => ({})) as { code?: string }
  return { status: response.status, code, cookie: response.headers.getSetCookie().map((one) => one.split(';')[0]).join('; ') }
}

const ann = { email: 'ann@example.org', password: 'correct horse', name: 'Ann' }

/** Every endpoint of the engine, its own and its plugins', as method and path. */
const endpointsOf = (engine: Engine): string[] =>
  Object.values(engine.api as Record<string, { path?: string, options?: { method?: string | string[] } }>)
    .flatMap(({ path, options }) => (path === undefined ? [] : [options?.method ?? 'GET'].flat().map((method) => `${method} ${path}`)))

describe('an endpoint of the engine', () => {
  test('that no row asks for is refused, whichever it is', async () => {
    const engine = await engineWith(all)
    const asked = new Set(all.map(({ engine: { method, path } }) => `${method} ${path}`))
    const others = endpointsOf(engine).filter((endpoint) => !asked.has(endpoint))
    expect(others).toContain('POST /change-email')
    expect(others).toContain('POST /organization/update')
    for (const endpoint of others) {
      const [method = '', path = ''] = endpoint.split(' ')
      expect({ endpoint, ...await ask(engine, method, path.replace(/:\w+/g, 'x')) }).toMatchObject({ endpoint, status: 404, cookie: '' })
    }
  })

  test('is there for each row', async () => {
    const endpoints = new Set(endpointsOf(await engineWith(all)))
    expect(all.map(({ engine: { method, path } }) => `${method} ${path}`).filter((endpoint) => !endpoints.has(endpoint))).toEqual([])
  })

  test('has one row', async () => {
    await expect(engineWith([...all, ...all.slice(0, 1)])).rejects.toThrow('one policy would be forgotten')
  })
})

describe('a row that forgets', () => {
  const without = (path: string, change: Partial<Policy>) => engineWith(all.map((policy) => (policy.engine.path === path ? { ...policy, ...change } : policy)))

  test('that it asks for no session answers nobody without one', async () => {
    const { engine } = policyOf({ engine: { method: 'POST', path: '/forget-password' } })
    expect(await ask(await engineWith([policyOf({ engine })]), engine.method, engine.path, { body: { email: ann.email } })).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
    })
  })

  test('that it hashes a password hashes none', async () => {
    const engine = await without('/sign-up/email', { hashesPassword: false })
    await expect(ask(engine, 'POST', '/sign-up/email', { body: ann })).rejects.toThrow('out of turn')
  })

  test('that it has seen the second factor begins no session of who has one', async () => {
    const eve = { email: 'eve@example.org', password: 'correct horse', name: 'Eve' }
    const engine = await engineWith(all)
    const { cookie } = await ask(engine, 'POST', '/sign-up/email', { body: eve })
    await connections.db.insertInto('auth.two_factors')
      .values((values) => ({
        userId: values.selectFrom('auth.users').select('id').where('email', '=', eve.email),
        secret: '',
        backupCodes: [],
        enabledAt: new Date(),
      }))
      .execute()
    const factor = { status: 403, code: 'SECOND_FACTOR_REQUIRED' }
    expect(await ask(engine, 'POST', '/sign-in/email', { body: eve })).toMatchObject({
      ...factor,
      cookie: expect.stringMatching(/^better-auth\.two_factor=[\w-]+$/),
    })
    const shown = await without('/sign-in/email', { secondFactor: 'shown' })
    expect(await ask(shown, 'POST', '/sign-in/email', { body: eve })).toMatchObject({ status: 200 })
    // her own session is replaced without
    expect(
      await ask(engine, 'POST', '/change-password', {
        body: { currentPassword: eve.password, newPassword: 'battery staple', revokeOtherSessions: true },
        cookie,
      }),
    )
      .toMatchObject({ status: 200, cookie: expect.stringContaining('session_token=') })
  })

  test('that it names an organization is refused one', async () => {
    const { cookie } = await ask(await engineWith(all), 'POST', '/sign-up/email', { body: ann })
    const leave = (engine: Engine) => ask(engine, 'POST', '/organization/leave', { body: { organizationId: 'some' }, cookie })
    expect(await leave(await engineWith(all))).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect(await leave(await without('/organization/leave', { namesOrganization: false }))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })
})

test('every row that takes an organizationId says that it names an organization', () => {
  const takesOne = routes.filter(({ input }) => 'shape' in input && Object.hasOwn(input.shape as object, 'organizationId'))
  expect(takesOne.length).toBeGreaterThan(5)
  expect(takesOne.filter((row) => row.namesOrganization !== true).map(({ path }) => path)).toEqual([])
})
