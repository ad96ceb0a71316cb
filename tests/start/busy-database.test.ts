/**
 * The migration of a container waits for a database that starts or is overloaded. A wrong setting
 * ends it at once.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshDatabase, passwords, publicUrl } from '../support/database.ts'
import { floorsOf, root, start } from './support.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/** An error of PostgreSQL in its protocol. */
function refusal(code: string): Buffer {
  const fields = `SFATAL\0C${code}\0Mthe database system is starting up\0\0`
  const length = Buffer.alloc(4)
  length.writeInt32BE(fields.length + 4)
  return Buffer.concat([Buffer.from('E'), length, Buffer.from(fields)])
}
const closes = (socket: Socket) => socket.destroy()
const says = (code: string) => (socket: Socket) =>
  socket.once('data', () => socket.end(refusal(code)))

/** Starts the migration of a container with another database URL. */
async function migrate(databaseUrl: string): Promise<{ code: number | null, output: string }> {
  const { ended, output } = await start({
    command: [process.execPath, join(root, 'infra/docker/migrate.ts')],
    env: {
      PUBLIC_URL: publicUrl,
      DATABASE_URL: databaseUrl,
      OWNER_PASSWORD: new URL(database.ownerUrl).password,
      AUTH_SERVICE_PASSWORD: passwords.authService,
      AUTHENTICATOR_PASSWORD: passwords.authenticator,
      AUTH_REPLICAS: '1',
      POSTGREST_REPLICAS: '1',
    },
  })
  return { code: (await ended).code, output: output() }
}

test('each connection is tried again while the server closes it, starts, stops or has none left', async () => {
  const real = new URL(database.ownerUrl)
  const troubles = [closes, says('57P03'), says('53300'), says('57P01'), says('57P02')]
  let connections = 0
  const proxy = createServer((socket) => {
    socket.on('error', () => undefined)
    // every second one reaches the server
    const trouble = troubles[connections++ / 2]
    if (trouble !== undefined) {
      trouble(socket)
      return
    }
    const onward = connect(Number(real.port), real.hostname).on('error', () => undefined)
    socket.pipe(onward).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(real)
  through.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
  try {
    expect(await migrate(through.toString())).toEqual({
      code: 0,
      output: await floorsOf(database.ownerUrl),
    })
    // the checks of the server and of its connections, the migration, the floors, the password of
    // the owner
    expect(connections).toBe(10)
  } finally {
    proxy.close()
  }
})

test.each<[what: string, change: (url: URL) => void, line: RegExp]>([
  [
    'a wrong password',
    (url) => (url.password = 'wrong'),
    /^Cannot migrate: DATABASE_URL: the server does not accept the password of the user postgres\. [^\n]*\n$/,
  ],
  [
    'an unknown host',
    (url) => (url.hostname = 'nowhere.invalid'),
    /^Cannot migrate: DATABASE_URL: the host nowhere\.invalid is not known\. [^\n]*\n$/,
  ],
  [
    'a missing database',
    (url) => (url.pathname = '/ledger'),
    /^Cannot migrate: DATABASE_URL: the server has no database ledger\. [^\n]*\n$/,
  ],
])('%s is one line, without another try', async (_what, change, line) => {
  const url = new URL(database.ownerUrl)
  change(url)
  const begun = Date.now()
  const { code, output } = await migrate(url.toString())
  expect([code, output]).toEqual([1, expect.stringMatching(line)])
  expect(Date.now() - begun).toBeLessThan(60_000)
})

test('a folder without the socket of a server is named', async () => {
  const { ended, output } = await start({
    command: [process.execPath, join(root, 'start/migrate.ts')],
    env: {
      DATABASE_URL: 'postgresql://postgres@localhost/finance?host=/nowhere',
      AUTH_SERVICE_PASSWORD: passwords.authService,
      AUTHENTICATOR_PASSWORD: passwords.authenticator,
    },
  })
  expect([(await ended).code, output()]).toEqual([
    1,
    expect.stringMatching(
      /^Cannot migrate: DATABASE_URL: the socket of the server cannot be used: [^\n]*\n$/,
    ),
  ])
})
