/**
 * The deployment of compose.yaml, from the installation to a restored backup. One story: each test starts where the one before ended. Needs an
 * engine, and root for the crashes.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type ConnectionOptions } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type Person } from '../support/person.ts'
import { newPdf, receiptsOf } from '../support/receipts.ts'
import { checksumQuery, deployment, exceptSessions, listens, load, root, run, services, type Deployment, type Load, type Service } from './deployment.ts'

let it: Deployment
let ann: Person
let token: string
const cookie = () => [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const say = (line: string) => process.stdout.write(`  ${line}\n`)

const data = async (path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) => {
  const response = await fetch(`${it.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers }
}

/** Signs up, opens the mailed link, signs in, and returns a token. */
async function signUp(email: string): Promise<void> {
  ann = it.person('Ann', email)
  expect(await ann.signUp()).toMatchObject({ status: 200, body: { user: { email, email_verified: false } } })
  expect(await ann.verify()).toMatchObject({ status: 200, body: { success: true } })
  expect(await ann.signIn()).toMatchObject({ status: 200, body: { user: { email_verified: true } } })
  token = await ann.token()
}

type Backup = { dump: Buffer, sums: string }

/** Stores a backup and its checksums. @returns its path */
async function stored(backup: Backup, signed: Backup): Promise<string> {
  const path = join(it.directory, 'damaged')
  await writeFile(`${path}.dump`, backup.dump)
  await writeFile(`${path}.sums`, backup.sums)
  const checksum = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')
  await writeFile(`${path}.sha256`, `${checksum(signed.dump)}  damaged.dump\n${checksum(signed.sums)}  damaged.sums\n`)
  return `${path}.dump`
}

/** Returns a script with at most fifty rows of each table. Without the thousands of rows of the load, each restore takes half the time. */
const withFewRows = (script: string): string =>
  script.replace(/^(COPY .* FROM stdin;\n)([^]*?)(?=^\\\.$)/gm, (_, copy: string, rows: string) => copy + rows.split(/(?<=\n)/).slice(0, 50).join(''))

/**
 * Returns thirty positions of a script where another character changes its meaning, half of them in lines on row security. They are samples, because
 * tests/restore damages every object. Excluded are parts that PostgreSQL ignores: comments, session settings, argument names in references to
 * functions, and names of NOT NULL constraints.
 */
function positionsOf(script: string): { at: number, other: string }[] {
  const all: { at: number, other: string }[] = []
  const guards: { at: number, other: string }[] = []
  let start = 0
  for (const line of script.split('\n')) {
    const said = line
      .replace(/^(?:--|SET |SELECT pg_catalog\.set_config|\\(?:un)?restrict).*/, (text) => ' '.repeat(text.length))
      .replace(/(?<=^(?:ALTER|COMMENT ON|GRANT|REVOKE)\b.*\b(?:FUNCTION|AGGREGATE) [^(]*)\([^)]*\)/, (text) => ' '.repeat(text.length))
      .replace(/CONSTRAINT \w+(?= NOT NULL)/, (text) => ' '.repeat(text.length))
    const found = [...said.matchAll(/[A-Za-z0-9]/g)].map(({ 0: was, index }) => ({
      at: start + Buffer.byteLength(line.slice(0, index)),
      other: was === 'z' ? 'a' : was === 'Z' ? 'A' : was === '9' ? '0' : String.fromCharCode(was.charCodeAt(0) + 1),
    }))
    all.push(...found)
    if (/POLICY|ROW LEVEL SECURITY/.test(line)) guards.push(...found.slice(-1))
    start += Buffer.byteLength(line) + 1
  }
  return [guards, all].flatMap((positions) => positions.filter((_, index) => index % Math.ceil(positions.length / 15) === 0))
}

/** Checks that every acknowledged write is stored. @returns the lost ones */
async function lost({ acknowledged }: Load): Promise<string[]> {
  const there = new Set(await it.sql(`select external_id from api.transactions where source = 'load'`))
  return acknowledged.filter((id) => !there.has(id))
}

/**
 * Failures that are allowed, because Caddy and the edge wait for a stopped service. A request in progress fails (502), and so does a request that
 * reaches PostgREST before it has read the schema (503, PGRST002).
 */
const briefly = /^502|^503 PGRST002/

/** The log lines of a PostgreSQL that was not stopped properly. */
const stoppedUncleanly = async () => (await it.logs('db')).filter((line) => /was not properly shut down|was interrupted/.test(line))

const failures = ({ failed }: Load) => Object.values(failed).reduce((sum, count) => sum + count, 0)
const summaryOf = (counted: Load, missing: string[]) =>
  `${counted.requests} requests, ${failures(counted)} failed ${
    JSON.stringify(counted.failed)
  }, ${counted.acknowledged.length} writes acknowledged, ${missing.length} of them lost`

beforeAll(async () => {
  it = await deployment({ images: false })
  // The load is one address with more requests than a user would send.
  await it.configure({ RATE_LIMIT_ENABLED: 'false' })
})
afterAll(async () => {
  await it.remove()
})

describe('from nothing', () => {
  test('setup writes secrets once, readable only by their owner', async () => {
    const path = join(it.directory, '.env')
    const before = await readFile(path, 'utf8')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(before).not.toMatch(/[0-9a-f]{64}/)
    const folder = join(it.directory, 'secrets')
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    const secrets = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
    expect(secrets.map((text) => /[0-9a-f]{64}/.exec(text)?.[0]).filter((secret) => secret !== undefined)).toHaveLength(4)
    expect(await it.command('setup')).toContain('stays as it is')
    expect(await readFile(path, 'utf8')).toBe(before)
  })

  test('setup with another address changes it, says so, and changes nothing else', async () => {
    const path = join(it.directory, '.env')
    const before = await readFile(path, 'utf8')
    expect(await it.command('setup', 'https://192.0.2.2:8443')).toContain(`The address was ${it.url} and is now https://192.0.2.2:8443`)
    const changed = (await readFile(path, 'utf8')).split('\n').filter((line) => !before.split('\n').includes(line))
    expect(changed).toEqual(['PUBLIC_URL=https://192.0.2.2:8443', 'SITE_HOST=192.0.2.2', 'HTTPS_PORT=8443'])
    await it.command('setup', it.url)
    expect(await readFile(path, 'utf8')).toBe(before)
  })

  test('one command starts all services, and they become healthy', async () => {
    say(`up from nothing in ${await it.up()} ms`)
  })

  test('Ann signs up, verifies, stores a transaction and reads it back, over TLS', async () => {
    await signUp('ann@example.org')
    const created = await data('/data/transactions', {
      method: 'POST',
      headers: { prefer: 'return=representation' },
      body: '{"name":"Groceries","amount":-42.5}',
    })
    expect(created).toMatchObject({ status: 201, body: [{ name: 'Groceries', amount: -42.5 }] })
    // The path of supabase-js.
    expect((await data('/rest/v1/transactions?select=name,amount')).body).toEqual([{ name: 'Groceries', amount: -42.5 }])
    expect(await (await fetch(`${it.url}/data/transactions`)).json()).toEqual([])
    const { headers } = await data('/data/transactions', { method: 'POST', headers: { prefer: 'return=headers-only' }, body: '{"name":"Bread","amount":-3}' })
    expect(headers.get('location')).toMatch(/^\/data\/transactions\?id=eq\./)
    expect((await data('/data', { headers: { accept: 'application/openapi+json' } })).body).toMatchObject({ host: new URL(it.url).host, basePath: '/data' })
  })

  test('Caddy speaks TLS 1.3 and 1.2 only, with ciphers of forward secrecy', async () => {
    const { hostname, port } = new URL(it.url)
    const handshake = (options: ConnectionOptions) =>
      new Promise<string | null | undefined>((resolve) => {
        const socket = connect({ host: hostname, port: Number(port), servername: hostname, ...options }, () => {
          resolve(socket.getProtocol())
          socket.end()
        }).once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
      })
    expect(await handshake({})).toBe('TLSv1.3')
    expect(await handshake({ maxVersion: 'TLSv1.2' })).toBe('TLSv1.2')
    // without a security level Node itself refuses these before it connects
    expect(await handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' })).toMatch(/ALERT_PROTOCOL_VERSION$/)
    expect(await handshake({ maxVersion: 'TLSv1.2', ciphers: 'AES128-SHA:AES128-GCM-SHA256:AES256-GCM-SHA384:@SECLEVEL=0' })).toMatch(/HANDSHAKE_FAILURE$/)
  })

  test('an operator grants a product with one command', async () => {
    expect(await it.command('admin', '--help')).toMatch(/^Usage: infra\/docker\/admin <command>/)
    expect(await it.command('admin', 'grant', 'ann@example.org', 'teams')).toContain('ann@example.org has teams until')
    expect((await ann.post('/organization/create', { name: 'Home' })).status).toBe(200)
  })
})

describe('the address', () => {
  const opened = (path: string) => fetch(`${it.url}${path}`, { headers: { accept: 'text/html' } })

  test('serves the reference app under its own policy: a document for each route, and assets cached for a year', async () => {
    const policy = (await readFile(join(root, 'examples/app/public/.content-security-policy'), 'utf8')).trim()
    const home = await opened('/')
    const document = await home.text()
    expect([home.status, home.headers.get('content-security-policy'), home.headers.get('cache-control')]).toEqual([200, policy, 'no-cache'])
    const place = await opened('/transactions')
    expect([place.status, place.headers.get('content-security-policy'), await place.text()]).toEqual([200, policy, document])
    const [, script] = /<script type="module"[^>]* src="([^"]+)"/.exec(document) ?? []
    const file = await fetch(`${it.url}${script}`)
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    expect((await opened('/.content-security-policy')).status).toBe(404)
  })

  test('without an app (APP_DIR=none) shows visitors the way to it, and every other path is 404', async () => {
    await it.configure({ APP_DIR: 'none' })
    await it.up()
    const home = await opened('/')
    expect([home.status, await home.text()]).toEqual([200, expect.stringContaining(`${it.url}/docs`)])
    expect((await opened('/transactions')).status).toBe(404)
    // Shows the running service, and no details of it.
    expect(await (await fetch(it.url)).json()).toEqual({ auth: `${it.url}/api/auth`, data: `${it.url}/data`, docs: `${it.url}/docs` })
    // An app at another address is not served here.
    await it.configure({ APP_DIR: '', APP_URL: 'https://app.example.org' })
    await it.up()
    expect((await opened('/transactions')).status).toBe(404)
    // The next start serves the app again.
    await it.configure({ APP_URL: '' })
  })
})

describe("an attacker's access", () => {
  test('is limited to the ports of Caddy', async () => {
    const published = (await it.compose('ps', '--format', '{{.Service}} {{.Ports}}')).split('\n').filter((line) => line.includes('->'))
    expect(published.map((line) => line.split(' ')[0])).toEqual(['caddy'])
    for (const path of ['/metrics', '/readyz', '/mail', '/api/auth/ok']) expect((await fetch(it.url + path)).status).toBe(404)
    for (const path of ['/docs', '/docs/docs.js', '/api/auth/openapi.json']) expect((await fetch(it.url + path)).status).toBe(200)
    expect(await listens(5432)).toBe(false)
    const plain = await fetch(`${it.httpUrl}/data/transactions?limit=1`, { redirect: 'manual' })
    expect([plain.status, plain.headers.get('location')]).toEqual([308, `${it.url}/data/transactions?limit=1`])
  })

  test('is limited in each server: no root, no writable image, no further rights', async () => {
    for (const service of services) {
      const id = (await it.compose('ps', '-q', service)).trim()
      const [container] = JSON.parse(await run('docker', ['inspect', id]))
      expect(container.HostConfig).toMatchObject({ ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges:true'] })
      expect(container.HostConfig.Memory).toBeGreaterThan(0)
      const servers = (await run('docker', ['top', id, '-eo', 'pid,uid,comm'])).split('\n').slice(1).filter((line) => line !== '' && !line.includes('init'))
      // A running health check uses the image's user and is no server.
      expect(servers.filter((line) => /^\s*\d+\s+0\s/.test(line) && !/\b(sh|sleep|pg_isready)$/.test(line.trim()))).toEqual([])
      expect(servers.length).toBeGreaterThan(0)
    }
  })

  test("finds no secret in the environment of a process, nor in Docker's description of a container", async () => {
    await it.keepSecret({
      SMTP_URL: 'smtp://canary-of-smtp:x@127.0.0.1:2525',
      OTEL_EXPORTER_OTLP_HEADERS: 'x=canary-of-traces',
    })
    await it.configure({
      SMTP_URL_FILE: 'secrets/SMTP_URL',
      OTEL_EXPORTER_OTLP_HEADERS_FILE: 'secrets/OTEL_EXPORTER_OTLP_HEADERS',
    })
    await it.up()
    expect((await fetch(`${it.url}/transactions`, { headers: { accept: 'text/html' } })).status).toBe(200)
    const folder = join(it.directory, 'secrets')
    const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
    const secrets = texts.map((text) => /[0-9a-f]{64}|canary-of-\w+/.exec(text)?.[0] ?? '')
    expect(new Set(secrets).size).toBe(6)
    const ids = (await it.compose('ps', '-q', '--all')).trim().split('\n')
    expect(ids).toHaveLength(services.length + 1)
    const running = (await it.compose('ps', '-q')).trim().split('\n')
    const pids = (await Promise.all(running.map((id) => run('docker', ['top', id, '-eo', 'pid'])))).flatMap((text) => text.match(/\d+/g) ?? [])
    expect(pids.length).toBeGreaterThan(2 * services.length)
    const seen = await Promise.all([
      run('docker', ['inspect', ...ids]),
      // A health check may have ended since.
      ...pids.flatMap((pid) => ['environ', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => ''))),
    ])
    expect(seen.some((text) => text.includes('AUTH_SERVICE_PASSWORD_FILE=/run/secrets/'))).toBe(true)
    expect(secrets.filter((secret) => secret === '' || seen.some((text) => text.includes(secret)))).toEqual([])
    // The tests after the next start read mails from the log.
    await it.configure({ SMTP_URL_FILE: '', OTEL_EXPORTER_OTLP_HEADERS_FILE: '' })
  })

  test('does not include the choice of a client address, but a proxy on this machine can set it', async () => {
    const address = async (url: string) => {
      await fetch(`${url}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
        body: JSON.stringify({ email: ann.email, password }),
      })
      return (await it.sql('select ip_address from auth.sessions order by created_at desc limit 1'))[0]
    }
    expect(await address(it.url)).toBe(it.gateway)
    expect(await address(it.plainUrl)).toBe('203.0.113.7')
  })
})

describe('a crash', () => {
  test.each<[Service, RegExp]>([['auth', briefly], ['postgrest', briefly], ['edge', briefly], ['caddy', /./], ['db', /./]])(
    'of %s under load loses no acknowledged write',
    async (service, mayFail) => {
      const stop = load(it, token, cookie())
      await sleep(1000)
      const crashed = Date.now()
      await it.crash(service)
      await expect.poll(async () =>
        (await Promise.all([
          fetch(`${it.url}/api/auth/get-session`, { headers: { cookie: cookie() } }),
          fetch(`${it.url}/data/transactions?limit=1`, { headers: { authorization: `Bearer ${token}` } }),
        ]).catch(() => [])).map(({ status }) => status), { timeout: 30_000, interval: 50 }).toEqual([200, 200])
      const back = Date.now() - crashed
      await sleep(2000)
      const counted = await stop()
      const missing = await lost(counted)
      say(`kill -9 of ${service}: back in ${back} ms; ${summaryOf(counted, missing)}`)
      expect(missing).toEqual([])
      expect(counted.acknowledged.length).toBeGreaterThan(20)
      expect(Object.keys(counted.failed).filter((failure) => !mayFail.test(failure))).toEqual([])
    },
  )
})

test('a health check answers at once after a start, and later watches its service until that fails', async () => {
  const id = (await it.compose('ps', '-q', 'auth')).trim()
  const [{ Config: { Healthcheck: { Test: [, ...check] } } }] = JSON.parse(await run('docker', ['inspect', id]))
  await run('docker', ['exec', id, 'node', '-e', 'require("fs").rmSync("/dev/shm/ready", { force: true })'])
  await run('docker', ['exec', id, ...check])
  const watching = run('docker', ['exec', id, ...check]).then(() => 'healthy', () => 'unhealthy')
  await it.compose('stop', 'db')
  expect(await watching).toBe('unhealthy')
  await it.up('--no-build')
})

describe('a restart', () => {
  test('after down or stop keeps everything', async () => {
    const before = await it.sums()
    await it.compose('down')
    say(`up with data in ${await it.up()} ms`)
    await it.compose('stop')
    expect((await it.logs('db')).at(-1)).toContain('database system is shut down')
    await it.up()
    expect(await stoppedUncleanly()).toEqual([])
    const after = await it.sums()
    for (const table of ['api.transactions', 'auth.users', 'auth.members', 'auth.jwks']) expect(after.get(table)).toBe(before.get(table))
    expect((await data('/data/transactions?limit=1')).status).toBe(200)
  })

  test('works with new passwords full of special characters', async () => {
    const word = `p@ss:w/ord?#%25&=+ $HOME \${X} "q" \\ back [x]{y} ~é€`
    await it.keepSecret({
      POSTGRES_PASSWORD: `${word}POSTGRES_PASSWORD`,
      AUTH_SERVICE_PASSWORD: `${word}AUTH_SERVICE_PASSWORD`,
      AUTHENTICATOR_PASSWORD: `postgresql://authenticator:${encodeURIComponent(`${word}AUTHENTICATOR_PASSWORD`)}@`,
    })
    await it.shell('docker compose run --rm -T migrate && docker compose restart auth postgrest')
    expect((await data('/data/transactions?limit=1')).status).toBe(200)
    expect((await ann.get('/get-session')).status).toBe(200)
    for (
      const [user, name] of [['postgres', 'POSTGRES_PASSWORD'], ['auth_service', 'AUTH_SERVICE_PASSWORD'], ['authenticator', 'AUTHENTICATOR_PASSWORD']] as const
    ) {
      expect(
        (await it.compose(
          'exec',
          '-T',
          '-e',
          `PGPASSWORD=${word}${name}`,
          'db',
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
        )).trim(),
      ).toBe(user)
    }
  })
})

describe('a backup', () => {
  let dump: string
  const receipt = newPdf(3_000)
  let receiptId: string
  const receipts = () => receiptsOf({ url: it.url, dataUrl: `${it.url}/data` }, ann)

  test('is made under load and passes its drill, which reads every file', async () => {
    // the first transaction, which withFewRows() keeps
    const { body: [first] } = await data('/data/transactions?select=id&name=eq.Groceries')
    receiptId = await receipts().attach(first.id, receipt)
    // The docs allow this to operators. A dump does not contain it.
    await it.sql(`alter role authenticated set statement_timeout = '9s'`)
    const stop = load(it, token, cookie())
    await sleep(500)
    const started = Date.now()
    dump = (await it.command('backup', '--keep', '2')).trim()
    const took = Date.now() - started
    const missing = await lost(await stop())
    expect(missing).toEqual([])
    expect((await stat(dump)).mode & 0o777).toBe(0o600)
    const drill = await it.command('restore', '--drill', dump)
    expect(drill).toContain('Files: 1 of 3000 bytes, 0 damaged')
    say(`backup in ${took} ms; ${drill.trim()}`)
    expect(await it.sql(`select datname from pg_database where datname ~ 'copy'`)).toEqual([])
  })

  test('that is damaged is refused, and nothing is changed', async () => {
    const before = await it.sums()
    const whole = { dump: await readFile(dump), sums: await readFile(dump.replace('.dump', '.sums'), 'utf8') }
    const refused = async (damaged: Partial<typeof whole>, says: string, isSigned = true) => {
      const file = await stored({ ...whole, ...damaged }, isSigned ? { ...whole, ...damaged } : whole)
      await expect(it.command('restore', file)).rejects.toThrow(says)
    }
    // First the damage of a disk, then that of an attacker who also rewrites the checksums.
    await refused({ dump: whole.dump.subarray(0, whole.dump.length - 20_000) }, 'checksums', false)
    await refused(
      { sums: whole.sums.replace('role setting|authenticated statement_timeout|"9s"', 'role setting|authenticated statement_timeout|"0"') },
      'checksums',
      false,
    )
    await refused({ dump: whole.dump.subarray(0, whole.dump.length - 20_000) }, 'pg_restore')
    await refused({ sums: whole.sums.replace(/^rows\|api\.transactions\|"\d+/m, 'rows|api.transactions|"1') }, 'rows api.transactions "1 ')
    const unguarded = whole.dump.toString('latin1').replace('api.transactions ENABLE ROW LEVEL SECURITY', 'api.transactions SET LOGGED               ')
    await refused({ dump: Buffer.from(unguarded, 'latin1') }, 'table api.transactions')
    const everybody = whole.dump.toString('latin1').replace(
      /(CREATE POLICY tags_delete .*? USING )(\(.*?\));\n/s,
      (_all, start: string, rule: string) => `${start}${'(true)'.padEnd(rule.length)};\n`,
    )
    await refused({ dump: Buffer.from(everybody, 'latin1') }, 'policy api.tags tags_delete')
    expect(await it.sums()).toEqual(before)
    expect(await it.sql(`select datname from pg_database where datname ~ 'copy'`)).toEqual([])
  })

  test('that is damaged at any position is refused', async () => {
    const bytes = await readFile(dump)
    const sums = await readFile(dump.replace('.dump', '.sums'), 'utf8')
    // Samples from the first to the last byte.
    const positions = Array.from({ length: 30 }, (_, index) => Math.floor(index * (bytes.length - 1) / 29))
    const damaged = await stored({ dump: bytes, sums }, { dump: bytes, sums })
    for (const position of positions) {
      const other = Buffer.from(bytes)
      other.writeUInt8(bytes.readUInt8(position) ^ 1 << position % 8, position)
      await writeFile(damaged, other)
      await expect(it.command('restore', damaged), `byte ${position}`).rejects.toThrow('checksums')
    }
  })

  test('with another character in its script, in policies or elsewhere, does not restore as the same', async () => {
    const script = withFewRows(await it.inDatabase(['pg_restore', '-f', '-'], await readFile(dump)))
    const positions = positionsOf(script)
    await it.inDatabase(['sh', '-c', 'mkdir /tmp/damage && cat >/tmp/damage/dump.sql'], script)
    await it.inDatabase(['sh', '-c', 'cat >/tmp/damage/ask.sql'], await checksumQuery(it.directory))
    await it.inDatabase(['sh', '-c', 'cat >/tmp/damage/places'], positions.map(({ at, other }) => `${at} ${other}\n`).join(''))
    const started = Date.now()
    const unnoticed = (await it.inDatabase(['bash', '-s'], await readFile(join(root, 'tests/containers/damage.sh')))).split('\n').filter((line) => line !== '')
    await it.inDatabase(['rm', '-r', '/tmp/damage'], '')
    say(`${positions.length} damages of a script of ${script.length} characters in ${Date.now() - started} ms`)
    const bytes = Buffer.from(script)
    expect(unnoticed.map((line) => bytes.subarray(Number.parseInt(line, 10) - 60, Number.parseInt(line, 10) + 20).toString())).toEqual([])
  })

  test('is restored into an empty deployment, row by row the same', async () => {
    await it.compose('down', '--volumes')
    await it.up()
    expect(await it.sql('select count(*) from auth.users')).toEqual(['0'])
    const started = Date.now()
    await it.command('restore', dump)
    const sums = exceptSessions((await it.sums()).values())
    say(`restored in ${Date.now() - started} ms: ${sums.length} definitions and tables compared`)
    expect(sums).toEqual(exceptSessions((await readFile(dump.replace('.dump', '.sums'), 'utf8')).trim().split('\n')))
    expect(sums).toContain('role setting|authenticated statement_timeout|"9s"')
    // A session and a token from before the restore.
    expect((await ann.get('/get-session')).status).toBe(401)
    expect((await data('/data/transactions')).status).toBe(401)
    await ann.signIn()
    token = await ann.token()
    expect((await data('/data/transactions?select=name&name=eq.Groceries')).body).toEqual([{ name: 'Groceries' }])
    expect((await receipts().read(receiptId)).equals(receipt)).toBe(true)
  })
})

describe('an upgrade', () => {
  test('from the previous commit keeps the data and loses no write', async (context) => {
    const git = (...args: string[]) => run('git', ['-C', root, ...args]).then((text) => text.trim())
    const changed = await git('status', '--porcelain', '--', 'admin', 'auth', 'common', 'db', 'description', 'edge', 'infra', 'package-lock.json')
    const before = process.env['UPGRADE_FROM'] ?? (changed === '' ? 'HEAD^' : 'HEAD')
    if (await git('cat-file', '-e', `${before}:infra/docker/migrate.ts`).then(() => false, () => true)) {
      context.skip(`NOT TESTED: ${before} is not there, or had no containers`)
    }
    // The deployment is that of the other version: its compose.yaml, images and place of secrets.
    await it.compose('down', '--volumes')
    // With the modes of a checkout, so that the build finds the layers of files that did not change.
    const archive = `git -C '${root}' -c tar.umask=0022 archive ${before}`
    await run('bash', ['-ec', `mkdir now; mv $(ls -A | grep -vx now) now; ${archive} | tar -x`], { cwd: it.directory })
    await it.command('setup', it.url)
    await it.configure({ RATE_LIMIT_ENABLED: 'false' })
    await it.compose('build', '--quiet')
    await it.up('--no-build')
    const migrated = await it.sql('select count(*) from private.migrations')
    await signUp('ben@example.org')
    await run('bash', [
      '-ec',
      'ls -A | grep -vxE "now|[.]env|secrets|backups|none|[.]deployed.*" | xargs rm -r; rm -rf now/.env now/secrets now/backups now/none now/.deployed.*; mv $(ls -d now/* now/.[!.]*) .; rmdir now',
    ], {
      cwd: it.directory,
    })
    const caddy = () => it.compose('ps', '-q', 'caddy')
    const served = await caddy()
    const stop = load(it, token, cookie())
    await sleep(1000)
    const started = Date.now()
    await it.command('upgrade')
    const took = Date.now() - started
    await sleep(1000)
    const counted = await stop()
    const missing = await lost(counted)
    const isSame = served === await caddy()
    say(
      `upgrade from ${await git('rev-parse', '--short', before)} in ${took} ms, ${isSame ? 'the same' : 'another'} Caddy, ${migrated.join()} → ${
        (await it.sql('select count(*) from private.migrations')).join()
      } migrations; ${summaryOf(counted, missing)}`,
    )
    expect(missing).toEqual([])
    // Two containers cannot use one port, so connections are refused and closed while Caddy is replaced.
    const isExpected = (failure: string) => briefly.test(failure) || (!isSame && /^(ECONNREFUSED|ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(failure))
    expect(Object.keys(counted.failed).filter((failure) => !isExpected(failure))).toEqual([])
    expect((await ann.get('/get-session')).status).toBe(200)
    expect(await stoppedUncleanly()).toEqual([])
  })

  const version = async () => /^VERSION=(.*)$/m.exec(await readFile(join(it.directory, '.env'), 'utf8'))?.[1]
  const serves = async () => {
    expect((await ann.get('/get-session')).status).toBe(200)
    expect((await data('/data/transactions?limit=1')).status).toBe(200)
  }

  const containers = async (service: string) => (await it.compose('ps', '-q', service)).trim().split('\n')
  /** The settings of a running service that come from compose.yaml and postgrest.conf. */
  const settings = async () => {
    const container = async (service: string) => JSON.parse(await run('docker', ['inspect', ...await containers(service)]))[0]
    return {
      memory: (await container('auth')).HostConfig.Memory / 1024 ** 2,
      log: (await container('postgrest')).Config.Env.find((variable: string) => variable.startsWith('PGRST_LOG_LEVEL=')),
      conf: (await it.compose('cp', 'postgrest:/etc/postgrest.conf', '-')).includes('# of the next version'),
    }
  }
  const old = { memory: 384, log: 'PGRST_LOG_LEVEL=crit', conf: false }
  const next = { memory: 400, log: 'PGRST_LOG_LEVEL=error', conf: true }

  test('is necessary to apply another compose.yaml and postgrest.conf, and a start does not apply them', async () => {
    expect(await settings()).toEqual(old)
    await it.shell(`
      sed -i 's/AUTH_MEMORY:-384m/AUTH_MEMORY:-400m/; s/PGRST_LOG_LEVEL:-crit/PGRST_LOG_LEVEL:-error/' compose.yaml
      echo '# of the next version' >>postgrest.conf`)
    await it.up('--no-build')
    await it.compose('restart', 'postgrest')
    expect(await settings()).toEqual(old)
  })

  test('that cannot migrate keeps the old version serving, and able to start', async () => {
    const before = await version()
    const broken = join(it.directory, 'db/migrations/9999_broken.sql')
    await writeFile(broken, 'select 1 / 0;')
    await expect(it.command('upgrade')).rejects.toThrow('9999_broken.sql failed: division by zero')
    await serves()
    await it.up('--no-build')
    await serves()
    expect(await version()).toBe(before)
    expect(await settings()).toEqual(old)
    await rm(broken)
  })

  test('with services that do not become ready is rolled back automatically', async () => {
    const before = await version()
    const main = join(it.directory, 'auth/main.ts')
    const source = await readFile(main, 'utf8')
    await writeFile(main, 'process.exit(1)\n')
    const tags = async () =>
      (await it.shell(`docker image ls --format '{{.Tag}}' "$(docker compose config --images auth | cut -d: -f1)"`)).trim().split('\n').toSorted()
    const kept = await tags()
    await expect(it.command('upgrade')).rejects.toThrow(`does not serve. Going back to ${before}`)
    await serves()
    expect((await tags()).filter((tag) => !kept.includes(tag)), 'the images of the version that failed').toEqual([])
    expect(await version()).toBe(before)
    expect(await settings()).toEqual(old)
    await writeFile(main, source)
  })

  /** Sends forty requests. @returns how many of them each of the two auth services received */
  const shares = async () => {
    const ids = await containers('auth')
    expect(ids).toHaveLength(2)
    const answered = async (id: string) => {
      const text = await run('docker', ['exec', id, 'node', '-e', `fetch('http://127.0.0.1:3000/metrics').then((answer) => answer.text()).then(console.log)`])
      return Number(/^auth_http_request_duration_seconds_count\{[^}]*get-session[^}]*\} (\d+)/m.exec(text)?.[1] ?? 0)
    }
    for (let request = 0; request < 40; request++) expect((await ann.get('/get-session')).status).toBe(200)
    const counted = await Promise.all(ids.map(answered))
    expect(counted.reduce((sum, count) => sum + count)).toBe(40)
    return counted
  }

  test("to two auth services serves from both, is reverted with one command, for all services and their settings, and keeps the operator's own file", async () => {
    await writeFile(join(it.directory, 'mine.yaml'), 'services: { auth: { labels: { mine: "yes" } } }\n')
    const files = async () => /^COMPOSE_FILE=(.*)$/m.exec(await readFile(join(it.directory, '.env'), 'utf8'))?.[1]
    const mine = async () => [...new Set((await run('docker', ['inspect', '-f', '{{.Config.Labels.mine}}', ...await containers('auth')])).trim().split('\n'))]
    const images = async () => [...new Set((await it.compose('ps', '--format', '{{.Service}} {{.Image}}')).trim().split('\n'))].toSorted()
    const used = (await it.compose('config', '--images')).trim().split('\n')
    const auth = used.find((image) => image.includes('-backend:')) ?? ''
    const repository = auth.split(':')[0] ?? ''
    const tags = async (name: string) => (await run('docker', ['image', 'ls', '--format', '{{.Tag}}', name])).trim().split('\n').toSorted()
    await run('docker', ['tag', auth, `${repository}-of-another:old`])
    const [previous = '', served] = [await version(), await images()]
    await it.configure({ COMPOSE_FILE: `${await files()}:mine.yaml`, AUTH_REPLICAS: '2' })

    await it.command('upgrade')
    expect(Math.min(...await shares()), 'the requests of the auth service that got fewer').toBeGreaterThan(0)
    const now = await version() ?? ''
    expect(now).not.toBe(previous)
    expect(await images()).not.toEqual(served)
    expect(await settings()).toEqual(next)
    expect(await files()).toBe(`.deployed.${now}.yaml:mine.yaml`)
    expect(await mine()).toEqual(['yes'])
    // Images and files of older versions are removed, and those of other deployments are kept.
    expect(await tags(repository)).toEqual([now, previous].toSorted())
    expect(await tags(`${repository}-of-another`)).toEqual(['old'])
    // The images that all deployments of a machine share are kept: PostgreSQL's and PostgREST's.
    for (const image of used) await run('docker', ['image', 'inspect', image])
    expect((await readdir(it.directory)).filter((name) => /^\.deployed.*(?:conf|yaml)$/.test(name)).toSorted()).toEqual(
      [now, previous].flatMap((name) => [`.deployed.${name}.conf`, `.deployed.${name}.yaml`]).toSorted(),
    )

    expect(await it.command('rollback')).toContain(`${previous} serves.`)
    expect(await images()).toEqual(served)
    expect(await settings()).toEqual(old)
    expect(await files()).toBe(`.deployed.${previous}.yaml:mine.yaml`)
    expect(await mine()).toEqual(['yes'])
    await it.up('--no-build')
    expect(await settings()).toEqual(old)
    await serves()
  })

  test('refuses a version name for locally built images', async () => {
    await expect(it.shell('VERSION=1.2.4 infra/docker/upgrade')).rejects.toThrow('VERSION is for published images')
  })
})
