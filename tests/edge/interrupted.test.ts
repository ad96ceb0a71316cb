/**
 * A database that goes away during a request. The client learns whether to try again, and no host,
 * port or state of a server.
 */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataStack, type Account, type DataStack } from '../support/data.ts'
import { holdLock } from '../support/hold-lock.ts'
import { edgeForTest, fakePostgrest } from './support.ts'

/** The connections of PostgREST to its database. */
const connections = new Set<Socket>()
let databaseUrl: URL
const network = createServer((client) => {
  const server = connect(Number(databaseUrl.port), databaseUrl.hostname)
  for (const [one, other] of [[client, server], [server, client]] as const)
    one.on('error', () => undefined).on('close', () => other.destroy()).pipe(other)
  connections.add(client)
  client.once('close', () => connections.delete(client))
})
const cut = () => connections.forEach((connection) => connection.destroy())

let stack: DataStack
let ann: Account
/** Held by the test. Each new tag waits for it in COMMIT. */
const lock = 20_261_129
let port: number
beforeAll(async () => {
  await once(network.listen(0, '127.0.0.1'), 'listening')
  port = (network.address() as AddressInfo).port
  // one connection: after an interruption the next request finds no other dead one
  const dataEnv = { PGHOST: '127.0.0.1', PGPORT: String(port), PGRST_DB_POOL: '1' }
  stack = await dataStack(dataEnv, async (owner) => {
    databaseUrl = new URL(owner.options.connectionString ?? '')
    await owner.query(`
      create function private.wait_in_commit() returns trigger language plpgsql as 'begin perform pg_advisory_xact_lock_shared(${lock}); return null; end';
      create constraint trigger zz_wait_in_commit after insert on api.tags deferrable initially deferred for each row execute function private.wait_in_commit()`)
  })
  ann = await stack.person()
})
afterAll(async () => {
  await stack.stop()
  cut()
  network.close()
})

/**
 * Stores a tag, interrupts it while it waits in COMMIT, and then lets the transaction continue.
 * Each tag has its own PostgREST: one that lost a connection loads its schema again, and refuses
 * requests until then.
 */
async function interruptCommit(name: string, interrupt: (pid: number) => unknown) {
  const { url } = await stack.startAnotherPostgrest()
  const caller = stack.as(ann, undefined, `${await edgeForTest(url)}/data`)
  const release = await holdLock(stack.ownerUrl, 'select pg_advisory_xact_lock($1)', [lock])
  try {
    const answer = caller.post('/tags', { name }, { prefer: 'return=representation' })
    const waiting = () =>
      stack.owner.query(
        "select pid from pg_stat_activity where datname = current_database() and wait_event = 'advisory'",
      )
    await expect.poll(async () => (await waiting()).rows).toHaveLength(1)
    await interrupt((await waiting()).rows[0].pid)
    return await answer
  } finally {
    await release()
  }
}
const busy = { status: 503, body: { code: 'SERVICE_BUSY', details: null, hint: null } }
const unknown = {
  ...busy,
  body: {
    ...busy.body,
    message:
      'The response was lost, so the changes may or may not have been saved. Read the rows before you retry.',
  },
}

test('an operator ends the database session that stores a tag of Ann in COMMIT: she learns that it may be stored', async () => {
  const answer = await interruptCommit(
    'Ended',
    (pid) => stack.owner.query('select pg_terminate_backend($1)', [pid]),
  )
  expect(answer).toMatchObject(unknown)
})

test('the connection is lost there: she learns the same, and the tag is stored', async () => {
  const answer = await interruptCommit('Lost', cut)
  expect(answer).toMatchObject(unknown)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  await expect.poll(async () =>
    (await stack.owner.query("select name from api.tags where name = 'Lost'")).rows
  ).toEqual([{ name: 'Lost' }])
})

test('a database that cannot be reached is 503 with and without a token, and no response names its address', async () => {
  const edge = await edgeForTest(stack.url)
  const caller = stack.as(ann, undefined, `${edge}/data`)
  cut()
  network.close()
  await once(network, 'close')
  const anonymous = (path: string) =>
    fetch(edge + path).then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: await response.text(),
    }))
  const answers = [
    await caller.get('/tags'),
    await caller.post('/tags', { name: 'Unreached' }),
    await caller.post('/rpc/get_balances', {}),
    await anonymous('/data/tags'),
    await anonymous('/rest/v1/tags'),
  ]
  await once(network.listen(port, '127.0.0.1'), 'listening')
  for (const { status, text, headers } of answers) {
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(text + JSON.stringify([...headers])).not.toMatch(/127\.0\.0\.1|port|socket|server/i)
    expect(JSON.parse(text)).toMatchObject(busy.body)
  }
})

/** An error of PostgREST, with the text that libpq adds. */
const failure = (code: string) => ({
  code,
  message: code === '0A000'
    ? 'cannot set transaction read-write mode during recovery'
    : 'terminating',
  details: 'connection to server at "10.1.2.3", port 5432 failed',
  hint: null,
})
/** Sends a request through an edge to a PostgREST that answers with this error. */
async function askFor(status: number, code: string, method: 'get' | 'post') {
  const postgrest = await fakePostgrest((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/json' }).end(
      JSON.stringify(failure(code)),
    )
  })
  const caller = stack.as(await stack.person(), undefined, `${await edgeForTest(postgrest)}/data`)
  return method === 'get' ? caller.get('/tags') : caller.post('/tags', { name: 'a' })
}
const again = {
  ...busy,
  body: {
    ...busy.body,
    message: 'The data surface is overloaded. Try again in a moment.',
  },
}

test.each([[400, ''], [503, '57P01'], [500, '57P02'], [503, '08006'], [503, 'PGRST001']])(
  '%i %j leaves the outcome of a write unknown, and a read can be sent again',
  async (status, code) => {
    expect(await askFor(status, code, 'post')).toMatchObject(unknown)
    expect(await askFor(status, code, 'get')).toMatchObject(again)
  },
)

test.each([
  [500, '40P01'],
  [500, '55P03'],
  [500, '57P03'],
  [503, 'PGRST000'],
  [503, 'PGRST002'],
  [504, 'PGRST003'],
  [500, 'PGRST300'],
  [405, '25006'],
  [400, '0A000'],
])(
  'after %i %s a write is not stored, and can be sent again',
  async (status, code) => {
    expect(await askFor(status, code, 'post')).toMatchObject(again)
  },
)

test('a GET of a function that writes stays the mistake of its client', async () => {
  expect(await askFor(405, '25006', 'get')).toMatchObject({ status: 405, body: { code: '25006' } })
})
