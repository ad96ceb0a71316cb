/**
 * Every route of the auth surface without a session, by another person, with a lower role, and with
 * an API key. docs/isolation.md explains it.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../auth/rooms.ts'
import type { Route } from '../../http/route.ts'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { cookieOf, password, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { uncoveredRoutes } from './coverage.ts'
import type { Role } from './model.ts'
import {
  objectFields,
  otherOutcomes,
  publicRoutes,
  routesWithKey,
  routesWithToken,
  teamRoutes,
  type TeamOfCase,
} from './routes.ts'
import uncovered from './uncovered.json' with { type: 'json' }

let stack: Stack
/** Owner of a team, with an object of each kind. */
let ann: Person
let adminOfAnn: Person
/** The ids of Ann's objects by the field that names them. */
let objects: Record<string, string>
let key: string
let token: string

beforeAll(async () => {
  // the name of the example resolves on no machine
  stack = await startStack({
    data: true,
    receivers: {
      ...localReceivers,
      network: { ...localReceivers.network, resolve: () => Promise.resolve(['127.0.0.1']) },
    },
  })
  const made = await team(stack, ['admin'])
  ann = made.owner
  adminOfAnn = made.admin
  const userId = await ann.id()
  const created = async (path: string, body: object): Promise<any> => {
    const answer = await ann.post(path, body)
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  }
  await stack.sql.query(
    `insert into auth.passkeys (id, user_id, name, credential_id, public_key, counter, backed_up) values ('passkeyAnn1', $1, 'Phone', 'any', '', 0, false)`,
    [userId],
  )
  const { rows: [event] } = await stack.sql.query(
    `insert into auth.events (user_id, kind, happened_at) values ($1, 'password_changed', now() - interval '1 day') returning id`,
    [userId],
  )
  const apiKey = await created('/api-key/create', {
    name: 'Key of Ann',
    expiresInDays: 30,
    role: 'editor',
  })
  key = apiKey.key
  token = await ann.token()
  objects = {
    organizationId: made.id,
    userId,
    sessionId: (await ann.get('/get-session')).body.session.id,
    passkeyId: 'passkeyAnn1',
    invitationId: (await created('/organization/invite-member', {
      organizationId: made.id,
      email: 'invited@example.org',
      role: 'viewer',
    })).id,
    keyId: apiKey.id,
    webhookId: (await created('/webhook/create', {
      name: 'Webhook of Ann',
      url: 'http://127.0.0.1:9/',
      tables: ['tags'],
    })).id,
    calendarId: (await created('/calendar/create', { name: 'Calendar of Ann' })).id,
    before: event.id,
  }
})
afterAll(() => stack.close())

const nameOf = ({ method, path }: Route) => `${method} ${path}`
const isPublic = (row: Route) => nameOf(row) in publicRoutes
const fieldsOf = ({ input }: Route) => ('shape' in input ? Object.keys(input.shape as object) : [])

/** The example of a row with the password of the test's users. Some routes have no input. */
const exampleOf = (row: Route): Record<string, unknown> => ({
  ...row.example as object,
  ...Object.fromEntries(
    fieldsOf(row).filter((field) => field === 'password' || field === 'currentPassword')
      .map((field) => [field, password]),
  ),
})

/** Sends the input where the route expects it. Of a live stream it reads only the headers. */
async function send(
  row: Route,
  input: Record<string, unknown>,
  headers: Record<string, string> = {},
): Promise<{ status: number, text: string }> {
  const rest = { ...input }
  const path = row.path.replace(/\{(\w+)\}/, (_, field: string) => {
    const value = String(rest[field])
    delete rest[field]
    return encodeURIComponent(value)
  })
  const isJson = row.method !== 'GET' && row.isFile !== true
  const query = isJson ? '' : `?${new URLSearchParams(rest as Record<string, string>).toString()}`
  const response = await fetch(`${stack.url}/api/auth${path}${query}`, {
    method: row.method,
    headers: {
      ...(row.method === 'GET'
        ? {}
        : { 'content-type': isJson ? 'application/json' : 'application/pdf' }),
      ...headers,
    },
    ...(row.method === 'GET' ? {} : { body: isJson ? JSON.stringify(rest) : 'bytes' }),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return { status: response.status, text: await response.text() }
  await response.body?.cancel()
  return { status: response.status, text: '' }
}
const as = (user: Person) => ({ cookie: cookieOf(user) })
const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` })
const errorIn = (text: string) => (JSON.parse(text) as { error?: string }).error

const tables = [
  'users',
  'accounts',
  'sessions',
  'members',
  'organizations',
  'invitations',
  'api_keys',
  'webhooks',
  'calendars',
  'passkeys',
  'two_factors',
]
/**
 * All rows that a request could change, or only those that hold one of the given ids. It leaves out
 * times that a read changes.
 */
async function stored(ids = ['']): Promise<string[]> {
  const of = (table: string) =>
    `select '${table} ' || (to_jsonb(r) - array['last_used_at'])::text as stored from auth.${table} r where r::text like any ($1)`
  const { rows } = await stack.sql.query<{ stored: string }>(
    `${tables.map(of).join(' union all ')} order by 1`,
    [ids.map((id) => `%${id}%`)],
  )
  return rows.map((row) => row.stored)
}

const every = routes.map((row) => [nameOf(row), row] as const)

describe('without a session', () => {
  test.each(every)('%s', async (name, row) => {
    const before = await stored()
    const { status, text } = await send(row, {
      ...exampleOf(row),
      ...(name === 'POST /sign-in/email' && { email: 'unknown@example.org' }),
    })
    if (isPublic(row)) return expect(status).toBe(publicRoutes[name])
    expect([status, errorIn(text)]).toEqual([401, 'UNAUTHORIZED'])
    expect(await stored()).toEqual(before)
  })
})

describe.each([
  ['with an API key', () => key, routesWithKey],
  ['with a token of the data surface', () => token, routesWithToken],
])('%s instead of a session', (_, credential, accepting) => {
  test.each(every.filter(([, row]) => !isPublic(row)))('%s', async (name, row) => {
    const before = await stored()
    const { status, text } = await send(row, exampleOf(row), bearer(credential()))
    expect([status, text === '' ? undefined : errorIn(text)]).toEqual(
      accepting.includes(name) ? [200, undefined] : [401, 'UNAUTHORIZED'],
    )
    expect(await stored()).toEqual(before)
  })
})

describe('another person reads and changes nothing of Ann:', () => {
  const secrets = () => [ann.email, 'invited@example.org', ...Object.values(objects), 'of Ann']

  test.each(every)('%s', async (name, row) => {
    const eve = await signedIn(stack, 'Eve')
    const given = Object.fromEntries(
      fieldsOf(row).filter((field) => field in objects).map((field) => [field, objects[field]]),
    )
    const names = objectFields.some((field) => field in given)
    const before = await stored([objects['organizationId']!, objects['userId']!])
    const { status, text } = await send(row, { ...exampleOf(row), ...given }, as(eve))
    expect(await stored([objects['organizationId']!, objects['userId']!])).toEqual(before)
    if (names) expect(status).toBe(otherOutcomes[name] ?? 404)
    else expect(isPublic(row) || status !== 401 && status < 500).toBe(true)
    if (name in otherOutcomes) return
    for (const secret of secrets()) expect(text).not.toContain(secret)
  })

  const ofUser = every.filter(([name, row]) =>
    !(name in teamRoutes) && !(name in otherOutcomes) &&
    objectFields.some((field) => fieldsOf(row).includes(field))
  )
  test.each(ofUser)('%s, by an admin of Ann’s team', async (_, row) => {
    const given = Object.fromEntries(
      fieldsOf(row).filter((field) => field in objects).map((field) => [field, objects[field]]),
    )
    const before = await stored()
    expect((await send(row, { ...exampleOf(row), ...given }, as(adminOfAnn))).status).toBe(404)
    expect(await stored()).toEqual(before)
  })
})

describe('a member without the right is refused, and one with it is not:', () => {
  const rowAt = (name: string) => routes.find((row) => nameOf(row) === name) ?? expect.fail(name)

  test.each(Object.entries(teamRoutes))(
    '%s',
    async (name, { roles, input, refusal = 'FORBIDDEN' }) => {
      const { id, ...people } = await team(stack, ['admin', 'editor', 'viewer'])
      const ids = await Promise.all(
        Object.entries(people).map(async ([role, member]) => [role, await member.id()] as const),
      )
      let invited = 0
      const made: TeamOfCase = {
        id,
        members: Object.fromEntries(ids) as Record<Role, string>,
        invite: async () =>
          (await people.owner.post('/organization/invite-member', {
            organizationId: id,
            email: `pending-${++invited}@example.org`,
            role: 'viewer',
          })).body.id,
      }
      const row = rowAt(name)
      const sendAs = async (role: Role) => {
        const given = {
          ...exampleOf(row),
          ...(fieldsOf(row).includes('organizationId') && { organizationId: id }),
          ...await input?.(made, role),
        }
        const before = await stored()
        const { status, text } = await send(row, given, as(people[role]))
        return {
          status,
          error: status < 400 ? undefined : errorIn(text),
          isUnchanged: JSON.stringify(await stored()) === JSON.stringify(before),
        }
      }
      const others = (['viewer', 'editor', 'admin', 'owner'] as const).filter((role) =>
        !roles.includes(role)
      )
      for (const role of others)
        expect({ role, ...await sendAs(role) }).toEqual({
          role,
          status: 403,
          error: refusal,
          isUnchanged: true,
        })
      for (const role of roles)
        expect({ role, ...await sendAs(role) }).toMatchObject({
          role,
          status: 200,
        })
    },
  )
})

test('the routes that these cases leave out are exactly those of uncovered.json, each with the test that covers it', () => {
  expect(uncoveredRoutes(routes)).toEqual(Object.keys(uncovered.routes))
  const forgotten = {
    ...routes[0]!,
    path: '/forgotten',
    input: z.object({ organizationId: z.string(), ruleId: z.string() }),
  }
  expect(uncoveredRoutes([forgotten])).toEqual([
    'POST /forgotten: another person',
    'POST /forgotten: lower role',
  ])
  expect(
    Object.values(uncovered.routes).filter((file) =>
      !existsSync(join(import.meta.dirname, '../..', file))
    ),
  ).toEqual([])
})
