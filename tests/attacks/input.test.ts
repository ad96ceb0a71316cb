/**
 * Random input to every route: the response matches the contract, and failed requests store
 * nothing. Routes and field names come from the table of routes, so the test covers new routes.
 */
import { Agent, request, type OutgoingHttpHeaders } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from '../../auth/rooms.ts'
import { expectMatchesDescription } from '../support/check-description.ts'
import { password, person, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

/**
 * A fixed seed, so that each run generates the same cases. A failure prints the seed and the path
 * of the smallest case.
 */
const seed = 1
/** Requests per route. `REQUESTS=500` sends more. */
const runs = Number(process.env['REQUESTS'] ?? 25)

const trusted = 'https://app.example.org'
let stack: Stack
// A new connection for each request, because the service closes an idle one after 5 s, which may
// pass on a shared machine.
const agent = new Agent({ keepAlive: false })
beforeAll(async () => {
  stack = await startStack({ env: { TRUSTED_ORIGINS: trusted, TRUSTED_PROXIES: '127.0.0.0/8' } })
})
afterAll(async () => {
  agent.destroy()
  await stack.close()
})

type Sent = { method: string, path: string, headers: OutgoingHttpHeaders, body: Uint8Array }

/** Sends bytes and headers unchanged, unlike fetch. */
const send = ({ method, path, headers, body }: Sent) =>
  new Promise<{ status: number, text: string }>((resolve, reject) => {
    request(stack.url, {
      method,
      path,
      agent,
      headers: { 'content-length': body.length, ...headers },
    }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      }).on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    }).on('error', reject).end(body)
  })

const oneOf = <Value>(...values: Value[]) => fc.constantFrom(...values)
const hostileText = fc.oneof(
  oneOf(
    '',
    ' ',
    'a\0b',
    '\ud800',
    'a\udc00',
    '\u202eelif',
    '__proto__',
    'constructor',
    'null',
    `' or 1=1 --`,
    '%00',
    '%',
    '../..',
    'a\r\nSet-Cookie: x=y',
    'é'.repeat(3_000),
    'x'.repeat(60_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.emailAddress(),
  fc.webUrl(),
)
/** Values as JSON text, including texts that `JSON.stringify` never returns. */
const hostileJson = fc.oneof(
  hostileText.map((text) => JSON.stringify(text)),
  fc.jsonValue({ maxDepth: 4, noUnicodeString: false }).map((value) => JSON.stringify(value)),
  oneOf(
    '1e999',
    '-0',
    '99999999999999999999',
    '{}',
    '[]',
    'null',
    '{"__proto__":{"id":"x"}}',
    '{"constructor":{"prototype":{}}}',
    '{"toJSON":1}',
    '"\\ud800"',
    '"\\u0000"',
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
    `[${'0,'.repeat(20_000)}0]`,
  ),
)

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).filter((code) => code !== 0x7f).map((code) =>
    String.fromCharCode(code)
  ),
  maxLength: 60,
})
const maybe = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value })
const hostileHeaders = fc.record({
  'content-type': fc.oneof({ weight: 20, arbitrary: fc.constant('application/json') }, {
    weight: 2,
    arbitrary: oneOf(
      undefined,
      '',
      'APPLICATION/JSON ; charset=utf-16',
      'application/json;',
      'application/jsonp',
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/octet-stream',
      '/;',
    ),
  }),
  origin: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, {
    weight: 8,
    arbitrary: fc.constant(trusted),
  }, {
    weight: 1,
    arbitrary: fc.oneof(
      oneOf('', 'null', 'javascript:1', 'https://evil.example', 'https://'),
      printable,
    ),
  }),
  referer: maybe(fc.oneof(oneOf('', 'x', 'https://', 'https://app.example.org/%'), printable)),
  'x-forwarded-for': maybe(
    fc.oneof(
      oneOf(
        '',
        ',',
        'a, b',
        ':::',
        '::1%eth0',
        '203.0.113.1, ::ffff:1.2.3.4',
        '999.1.1.1',
        '2001:db8::1',
        '1,'.repeat(3_000),
      ),
      printable,
    ),
  ),
  'user-agent': maybe(fc.oneof(oneOf('', 'é'.repeat(5_000)), printable)),
  'sec-fetch-site': maybe(oneOf('same-origin', 'none', '', 'x')),
  authorization: maybe(oneOf('Bearer x', 'Basic !!!', '')),
  'content-encoding': fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, {
    weight: 1,
    arbitrary: oneOf('gzip', 'x'),
  }),
})
const hostileCookie = fc.oneof(
  oneOf(
    'better-auth.session_token=%',
    'better-auth.session_token=a.b',
    '=',
    ';;;',
    'better-auth.session_token=%00.%ff',
    '__proto__=1; constructor=2',
    'better-auth.session_token=; better-auth.session_token=x',
    `a=${'x'.repeat(7_000)}`,
    'better-auth.session_data=e30=; better-auth.dont_remember=x',
  ),
  printable,
)

/**
 * Generates the fields of a route with valid or hostile values. Some are missing, some occur twice,
 * and some are unknown.
 */
function fields(names: string[], meaningful: Record<string, fc.Arbitrary<unknown>>) {
  const value = (name: string) =>
    fc.oneof({
      weight: 12,
      arbitrary: (meaningful[name] ?? fc.constant('x')).map((routeFields) =>
        JSON.stringify(routeFields)
      ),
    }, {
      weight: 1,
      arbitrary: hostileJson,
    })
  const extra = fc.tuple(
    fc.oneof(
      oneOf('__proto__', 'constructor', '', 'id', 'userId', 'callbackURL', 'role'),
      hostileText,
    ),
    hostileJson,
  )
  const routeFields = fc.tuple(
    ...names.map((name) =>
      fc.tuple(
        fc.constant(name),
        value(name),
        fc.oneof({ weight: 12, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: oneOf(0, 2) }),
      )
    ),
  )
  return fc.tuple(routeFields, fc.array(extra, { maxLength: 1 })).map(([sent, extras]) => [
    ...sent.flatMap(([name, text, times]) =>
      Array.from({ length: times }, () => [name, text] as const)
    ),
    ...extras,
  ])
}

const jsonOf = (pairs: (readonly [string, string])[]) =>
  `{${pairs.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
const queryOf = (pairs: (readonly [string, string])[]) =>
  pairs.map(([name, text]) => {
    const plain = text.startsWith('"') ? JSON.parse(text) as string : text
    return `${encodeURIComponent(name.toWellFormed())}=${
      encodeURIComponent(plain.toWellFormed().slice(0, 2_000))
    }`
  }).join('&').slice(0, 9_000)

/** @param ann the user whose cookie most requests send */
function requestTo(
  row: typeof routes[number],
  ann: Person,
  meaningful: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<Sent> {
  const names = Object.keys(
    z.toJSONSchema(row.input, { io: 'input', unrepresentable: 'any' }).properties ?? {},
  )
  const pairs = fields(names, meaningful)
  const query = fc.oneof({ weight: 8, arbitrary: pairs.map(queryOf) }, {
    weight: 1,
    arbitrary: oneOf(
      '',
      '&&=&',
      '%',
      '%ff=%00',
      'token',
      'organizationId=%ED%A0%80',
      '?',
      'a=1&'.repeat(2_000),
    ),
  })
  const body = fc.oneof(
    { weight: 20, arbitrary: pairs.map((routeFields) => Buffer.from(jsonOf(routeFields))) },
    { weight: 1, arbitrary: hostileJson.map((text) => Buffer.from(text)) },
    {
      weight: 1,
      arbitrary: pairs.map((routeFields) =>
        Buffer.from(jsonOf(routeFields).replaceAll('x', '\xff'), 'latin1')
      ),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 50 }) },
  )
  const cookie = fc.oneof({
    weight: 12,
    arbitrary: fc.constant([...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')),
  }, {
    weight: 1,
    arbitrary: hostileCookie,
  })
  return fc.record({ query, body, headers: hostileHeaders, cookie }).map((sent) => ({
    method: row.method,
    body: row.method === 'GET' ? new Uint8Array() : sent.body,
    path: `/api/auth${row.path}${
      row.method === 'GET' || sent.body.length < 20 ? `?${sent.query}` : ''
    }`,
    headers: Object.fromEntries(
      Object.entries({ ...sent.headers, cookie: sent.cookie }).filter(([, value]) =>
        value !== undefined
      ),
    ),
  }))
}

/** Counts rows that only a partly executed request leaves. */
const partlyStoredRows = async () =>
  (await stack.sql.query(`select
  (select count(*)::int from auth.organizations o where not exists (select from auth.members m where m.organization_id = o.id and m.role = 'owner')) as organizations_without_owner,
  (select count(*)::int from auth.users u where not exists (select from auth.accounts a where a.user_id = u.id and a.password is not null)) as users_without_account,
  (select count(*)::int from auth.organizations where metadata::json is null and metadata is not null) as organizations_with_bent_metadata`))
    .rows[0]

describe('random input returns a status below 500 and errors in the contract’s format, and stores nothing partly:', () => {
  test.each(routes.map((row) => [row.method, row.path, row] as const))(
    '%s %s',
    async (_, __, row) => {
      const { id: organizationId, owner, viewer } = await team(stack, ['viewer'])
      const { body: invitation } = await owner.post('/organization/invite-member', {
        organizationId,
        email: person(stack).email,
        role: 'viewer',
      })
      const url = oneOf('https://example.org/l.png', null)
      const meaningful = {
        email: fc.oneof(
          oneOf(owner.email, invitation.email as string),
          fc.nat().map((n) => `n${n}@example.org`),
        ),
        password: oneOf(password),
        currentPassword: oneOf(password),
        newPassword: oneOf(password),
        name: oneOf('Ann', 'Žofie 😀'),
        slug: fc.nat().map((n) => `s-${n}`),
        logo: url,
        image: url,
        metadata: fc.dictionary(hostileText, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 }),
        organizationId: oneOf(organizationId),
        userId: oneOf(await viewer.id()),
        role: oneOf('viewer', 'admin'),
        invitationId: oneOf(invitation.id),
        revokeOtherSessions: oneOf(false),
        redirectTo: oneOf(`${trusted}/x`),
        sessionId: oneOf((await owner.get('/get-session')).body.session.id),
      }
      await fc.assert(
        fc.asyncProperty(requestTo(row, owner, meaningful), async (sent) => {
          const { status, text } = await send(sent)
          expectMatchesDescription(row.method, row.path, {
            status,
            body: JSON.parse(text),
            headers: new Headers({ 'content-type': 'application/json' }),
          })
          if (status >= 200 && status < 300) return
          expect({ status, body: JSON.parse(text) as unknown }).toEqual({
            status: expect.toSatisfy((code: number) => code >= 400 && code < 500),
            body: {
              error: expect.stringMatching(/^[A-Z_]+$/),
              message: expect.stringMatching(/^[A-Z].*\.$/s),
            },
          })
        }),
        { seed, numRuns: runs, interruptAfterTimeLimit: 20_000 },
      )
      expect(await partlyStoredRows()).toEqual({
        organizations_without_owner: 0,
        users_without_account: 0,
        organizations_with_bent_metadata: 0,
      })
    },
  )
})
