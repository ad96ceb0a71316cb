/**
 * No input causes a 500. For random requests to each table and function, the status is below 500,
 * an error has PostgREST's format, and a refused request changes nothing. `INPUTS=1500` sets the
 * number of requests for each table and function, and `INPUTS_SEED` selects others. A failure
 * prints the seed and the smallest failing request.
 */
import { Agent, request as httpRequest } from 'node:http'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { keep, type Keeper } from '../isolation/state.ts'
import { createWorld, type Actor, type World } from '../isolation/world.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { readFunctions, type Ground } from './request-queries.ts'
import { functionRequest, rightRow, tableRequest, type Request } from './requests.ts'
import { nested } from './values.ts'

const cases = Number(process.env['INPUTS'] ?? 100)
const seed = Number(process.env['INPUTS_SEED'] ?? 20_251)
const isLong = process.env['INPUTS'] !== undefined

let place: Stack
let owner: pg.Client
let world: World
let keeper: Keeper
let ground: Ground
let actors: Actor[]
/** The hash of all rows after the last request. */
let stored: string
const agent = new Agent({ keepAlive: true })

const isInTeam = ({ caller }: Actor): boolean =>
  caller.kind === 'user' && caller.organization !== null

beforeAll(async () => {
  place = await startStack({ auth: false, data: true })
  owner = new pg.Client({ connectionString: place.ownerUrl })
  await owner.connect()
  world = await createWorld(owner)
  keeper = await keep(world, place.ownerUrl)
  stored = await keeper.fingerprint()
  // The most privileged callers come most often, because a permission error hides other errors.
  actors = [
    'personal',
    'personal',
    'owner of A',
    'owner of A',
    'owner of A',
    'editor of A',
    'viewer of A',
    'anonymous',
  ].flatMap((name) => world.actors.filter((actor) => actor.name === name))
  const ids: Ground['ids'] = (table, at) => {
    const actor = at === undefined ? undefined : actors[at]
    return world.rows.filter((row) =>
      row.table === table &&
      (actor === undefined || (isInTeam(actor)
        ? row.organization === 'team-a'
        : row.user === 'solo' && row.organization === null))
    ).map(({ key }) => key)
  }
  ground = { catalogue: world.catalogue, ...await readFunctions(owner), ids, actors: actors.length }
  // The notification makes PostgREST load the key and the audience of this database.
  await vi.waitFor(
    async () =>
      expect((await send({ actor: 0, method: 'GET', path: '/tags?limit=1', headers: {} })).status)
        .toBe(200),
    { timeout: 30_000 },
  )
})
afterAll(async () => {
  agent.destroy()
  await keeper.close()
  await owner.end()
  await place.close()
})

type Answer = { status: number, type: string, text: string }

/**
 * Sends a request unchanged, where `fetch` would refuse or correct it. A long query is returned in
 * a header, so headers may be long.
 */
const send = ({ actor, method, path, headers, body }: Request): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(place.dataUrl)
    const token = actors[actor]?.token
    const outgoing = httpRequest({
      agent,
      hostname,
      port,
      method,
      path,
      maxHeaderSize: 1_000_000,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on(
        'end',
        () =>
          resolve({
            status: incoming.statusCode ?? 0,
            type: incoming.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString(),
          }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

/**
 * The SQLSTATEs for which PostgREST 12 or 16 responds 500 or 503. Two are not included: 25006, a
 * change by GET, is 405, and private.reject_repeated_row() raises 21000 with status 400.
 */
const faults = /^(08|09|25(?!006)|2D|38|39|3B|40|53|54|55|57|58|F0|HV|P0|XX|42P17)/

/** Counts the responses by kind. A long run prints them. */
const tally = new Map<string, number>()
let changes = 0

/** Sends a request, and checks its response and the rows. */
async function ask(one: Request): Promise<Answer> {
  const answer = await send(one)
  expect(answer.status, answer.text).toBeLessThan(500)
  let code = ''
  if (answer.status >= 400 && one.method !== 'HEAD') {
    const error = JSON.parse(answer.text) as { code: string }
    expect(Object.keys(error).toSorted(), answer.text).toEqual([
      'code',
      'details',
      'hint',
      'message',
    ])
    // PostgREST labels the JSON of a 416 with the requested media type.
    if (answer.status !== 416) expect(answer.type).toBe('application/json; charset=utf-8')
    code = error.code
    expect(code, answer.text).not.toMatch(faults)
  }
  const kind = `${one.method} ${answer.status} ${code}`
  tally.set(kind, (tally.get(kind) ?? 0) + 1)
  if (['GET', 'HEAD', 'OPTIONS'].includes(one.method)) return answer
  const now = await keeper.fingerprint()
  if (answer.status >= 400) expect(now, 'a refused request changed rows').toBe(stored)
  stored = now
  return answer
}

/** Restores the rows, because a request may delete rows that later ones need. */
async function restore(): Promise<void> {
  await keeper.restore()
  stored = await keeper.fingerprint()
}

/** Sends many requests of each kind. @returns the failure as fast-check prints it */
async function askMany<Kind extends { name: string }>(
  kinds: Kind[],
  request: (kind: Kind, from: Ground) => fc.Arbitrary<Request>,
): Promise<string[]> {
  const failures: string[] = []
  for (const kind of kinds) {
    const property = fc.asyncProperty(request(kind, ground), async (one) => {
      const before = stored
      await ask(one)
      if (stored !== before && (changes += 1) % 10 === 0) await restore()
    })
    const result = await fc.check(property, { seed, numRuns: cases })
    if (result.failed) failures.push(`${kind.name}: ${fc.defaultReportMessage(result) ?? ''}`)
  }
  await restore()
  return failures
}

test('a random request to a table gets a status below 500', {
  timeout: isLong ? 3_600_000 : 600_000,
}, async () => {
  expect(await askMany(ground.catalogue.tables, tableRequest)).toEqual([])
})

test('a random request to a function gets a status below 500', {
  timeout: isLong ? 3_600_000 : 600_000,
}, async () => {
  expect(await askMany(ground.functions, functionRequest)).toEqual([])
  if (isLong)
    console.log([...tally].map(([kind, times]) => `${kind}\t${times}`).toSorted().join('\n'))
})

test('a bulk insert with one invalid row stores none of its rows, on every table', {
  timeout: 60_000,
}, async () => {
  const team = actors.findIndex(({ name }) => name === 'owner of A')
  const post = (table: string, rows: unknown): Request => ({
    actor: team,
    method: 'POST',
    path: `/${table}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(rows),
  })
  const { rows: writable } = await owner.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'api'::regnamespace and has_table_privilege('authenticated', oid, 'insert')`,
  )
  for (
    const table of ground.catalogue.tables.filter(({ name }) =>
      writable.some((one) => one.name === name)
    )
  ) {
    const rows = [0, 1, 2].map((at) => rightRow(table, ground, team, at + 1, at))
    expect(await ask(post(table.name, rows)), table.name).toMatchObject({ status: 201 })
    await restore()
    const wrong = [
      ...table.columns.filter(({ required, hasDefault }) => required && !hasDefault)
        .map(({ name }) => ({ [name]: null })),
      ...table.columns.filter(({ type }) => type !== 'text' && type !== 'jsonb').map((
        { name },
      ) => ({ [name]: 'x' })),
      ...table.references.map(({ column }) => ({
        [column]: '00000000-0000-4000-8000-000000000000',
      })),
      ...(table.columns.some(({ name }) => name === 'user_id')
        ? [{ user_id: 'solo' }, { organization_id: 'team-b' }]
        : []),
    ]
    for (const [at, change] of wrong.entries()) {
      const answer = await ask(
        post(table.name, rows.map((row, index) => index === at % 3 ? { ...row, ...change } : row)),
      )
      expect(answer.status, `${table.name} ${JSON.stringify(change)} ${answer.text}`)
        .toBeGreaterThanOrEqual(400)
    }
  }
})

/**
 * The smallest request of each kind for which PostgREST or PostgreSQL itself fails, with 500 or a
 * code that is 500 on a version of PostgREST.
 */
const failing: [string, Omit<Request, 'actor'>][] = [
  ['a query that is no UTF-8', { method: 'GET', path: '/tags?name=eq.%ff', headers: {} }],
  ['a header that is no UTF-8', { method: 'GET', path: '/tags', headers: { 'x-any': '\xff' } }],
  ['an Accept that is no UTF-8', { method: 'GET', path: '/tags', headers: { accept: '\xff' } }],
  ['a change in the order of another table', {
    method: 'PATCH',
    path: '/tags?order=nothing(id)&limit=1',
    headers: { 'content-type': 'application/json' },
    body: '{"name":"x"}',
  }],
  ['a delete in the order of another table', {
    method: 'DELETE',
    path: '/tags?order=nothing(id)&limit=1',
    headers: {},
  }],
  ['a cast to unknown', { method: 'GET', path: '/tags?select=name::unknown', headers: {} }],
  ['a text search of more than 32 negations', {
    method: 'GET',
    path: `/tags?name=fts.${'!'.repeat(33)}a`,
    headers: {},
  }],
  ['an array of seven dimensions', {
    method: 'GET',
    path: '/tags?name=eq(any).{{{{{{{1}}}}}}}',
    headers: {},
  }],
  ['more than 1664 columns', {
    method: 'GET',
    path: `/tags?select=${'*,'.repeat(400)}id`,
    headers: {},
  }],
  ['JSON nested too deep to be read', {
    method: 'POST',
    path: '/transactions',
    headers: { 'content-type': 'application/json' },
    body: `{"name":"x","amount":1,"metadata":${nested(100_000)}}`,
  }],
]

test.each(failing)(
  'a request for which PostgREST itself fails stores nothing and does not affect others: %s',
  async (_, one) => {
    const team = actors.findIndex(({ name }) => name === 'owner of A')
    // PostgREST does not even respond to some of them.
    await send({ ...one, actor: team }).catch(() => undefined)
    expect(await keeper.fingerprint()).toBe(stored)
    expect((await send({ actor: team, method: 'GET', path: '/tags?limit=1', headers: {} })).status)
      .toBe(200)
  },
)
