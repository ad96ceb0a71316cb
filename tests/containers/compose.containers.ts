/**
 * The deployment of compose.yaml: its installation, its first user, its address, and the access
 * that an attacker gets. One story. Needs an engine.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type ConnectionOptions } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password } from '../support/person.ts'
import { listens, root, run, services } from './deployment.ts'
import { newStory, say, type Story } from './story.ts'

let story: Story
beforeAll(async () => {
  story = await newStory()
})
afterAll(async () => {
  await story.deployment.remove()
})

describe('from nothing', () => {
  test('from nothing setup writes secrets once, readable only by their owner', async () => {
    const path = join(story.deployment.directory, '.env')
    const before = await readFile(path, 'utf8')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(before).not.toMatch(/[0-9a-f]{64}/)
    const folder = join(story.deployment.directory, 'secrets')
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    const secrets = await Promise.all(
      (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
    )
    expect(
      secrets.map((text) => /[0-9a-f]{64}/.exec(text)?.[0]).filter((secret) =>
        secret !== undefined
      ),
    ).toHaveLength(4)
    expect(await story.deployment.command('setup')).toContain('stays as it is')
    expect(await readFile(path, 'utf8')).toBe(before)
  })

  test('from nothing setup with another address changes it, says so, and changes nothing else', async () => {
    const path = join(story.deployment.directory, '.env')
    const before = await readFile(path, 'utf8')
    expect(await story.deployment.command('setup', 'https://192.0.2.2:8443')).toContain(
      `The address was ${story.deployment.url} and is now https://192.0.2.2:8443`,
    )
    const changed = (await readFile(path, 'utf8')).split('\n').filter((line) =>
      !before.split('\n').includes(line)
    )
    expect(changed).toEqual([
      'PUBLIC_URL=https://192.0.2.2:8443',
      'SITE_HOST=192.0.2.2',
      'HTTPS_PORT=8443',
    ])
    await story.deployment.command('setup', story.deployment.url)
    expect(await readFile(path, 'utf8')).toBe(before)
  })

  test('one command starts all services, and they become healthy', async () => {
    say(`up from nothing in ${await story.deployment.up()} ms`)
  })

  test('Ann signs up, verifies, stores a transaction and reads it back, over TLS', async () => {
    await story.signUp('ann@example.org')
    const created = await story.data('/data/transactions', {
      method: 'POST',
      headers: { prefer: 'return=representation' },
      body: '{"name":"Groceries","amount":-42.5}',
    })
    expect(created).toMatchObject({ status: 201, body: [{ name: 'Groceries', amount: -42.5 }] })
    // The path of supabase-js.
    expect((await story.data('/rest/v1/transactions?select=name,amount')).body).toEqual([{
      name: 'Groceries',
      amount: -42.5,
    }])
    expect(await (await fetch(`${story.deployment.url}/data/transactions`)).json()).toEqual([])
    const { headers } = await story.data('/data/transactions', {
      method: 'POST',
      headers: { prefer: 'return=headers-only' },
      body: '{"name":"Bread","amount":-3}',
    })
    expect(headers.get('location')).toMatch(/^\/data\/transactions\?id=eq\./)
    expect((await story.data('/data', { headers: { accept: 'application/openapi+json' } })).body)
      .toMatchObject({
        host: new URL(story.deployment.url).host,
        basePath: '/data',
      })
  })

  test('Caddy speaks TLS 1.3 and 1.2 only, with ciphers of forward secrecy', async () => {
    const { hostname, port } = new URL(story.deployment.url)
    const handshake = (options: ConnectionOptions) =>
      new Promise<string | null | undefined>((resolve) => {
        const socket = connect({
          host: hostname,
          port: Number(port),
          servername: hostname,
          ...options,
        }, () => {
          resolve(socket.getProtocol())
          socket.end()
        }).once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
      })
    expect(await handshake({})).toBe('TLSv1.3')
    expect(await handshake({ maxVersion: 'TLSv1.2' })).toBe('TLSv1.2')
    // without a security level Node itself refuses these before it connects
    expect(
      await handshake({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
    ).toMatch(/ALERT_PROTOCOL_VERSION$/)
    expect(
      await handshake({
        maxVersion: 'TLSv1.2',
        ciphers: 'AES128-SHA:AES128-GCM-SHA256:AES256-GCM-SHA384:@SECLEVEL=0',
      }),
    ).toMatch(/HANDSHAKE_FAILURE$/)
  })

  test('an operator grants a product with one command', async () => {
    expect(await story.deployment.command('admin', '--help')).toMatch(
      /^Usage: infra\/docker\/admin <command>/,
    )
    expect(await story.deployment.command('admin', 'grant', 'ann@example.org', 'teams')).toContain(
      'ann@example.org has teams until',
    )
    expect((await story.ann.post('/organization/create', { name: 'Home' })).status).toBe(200)
  })
})

describe('the address', () => {
  const opened = (path: string) =>
    fetch(`${story.deployment.url}${path}`, { headers: { accept: 'text/html' } })

  test('the address serves the reference app under its own policy: a document for each route, and assets cached for a year', async () => {
    const policy = (await readFile(join(root, 'app/public/.content-security-policy'), 'utf8'))
      .trim()
    const home = await opened('/')
    const document = await home.text()
    expect([
      home.status,
      home.headers.get('content-security-policy'),
      home.headers.get('cache-control'),
    ]).toEqual([200, policy, 'no-cache'])
    const place = await opened('/transactions')
    expect([place.status, place.headers.get('content-security-policy'), await place.text()])
      .toEqual([200, policy, document])
    const [, script] = /<script type="module"[^>]* src="([^"]+)"/.exec(document) ?? []
    const file = await fetch(`${story.deployment.url}${script}`)
    expect([file.status, file.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ])
    expect((await opened('/.content-security-policy')).status).toBe(404)
  })

  test('the address without an app (APP_DIR=none) shows visitors the way to it, and every other path is 404', async () => {
    await story.deployment.configure({ APP_DIR: 'none' })
    await story.deployment.up()
    const home = await opened('/')
    expect([home.status, await home.text()]).toEqual([
      200,
      expect.stringContaining(`${story.deployment.url}/docs`),
    ])
    expect((await opened('/transactions')).status).toBe(404)
    // Shows the running service, and no details of story.deployment.
    expect(await (await fetch(story.deployment.url)).json()).toEqual({
      auth: `${story.deployment.url}/api/auth`,
      data: `${story.deployment.url}/data`,
      docs: `${story.deployment.url}/docs`,
    })
    // An app at another address is not served here.
    await story.deployment.configure({ APP_DIR: '', APP_URL: 'https://app.example.org' })
    await story.deployment.up()
    expect((await opened('/transactions')).status).toBe(404)
    // The next start serves the app again.
    await story.deployment.configure({ APP_URL: '' })
  })
})

test("an attacker's access is limited to the ports of Caddy", async () => {
  const published = (await story.deployment.compose('ps', '--format', '{{.Service}} {{.Ports}}'))
    .split('\n').filter((line) => line.includes('->'))
  expect(published.map((line) => line.split(' ')[0])).toEqual(['caddy'])
  for (const path of ['/metrics', '/readyz', '/mail', '/api/auth/ok'])
    expect((await fetch(story.deployment.url + path)).status).toBe(404)
  for (const path of ['/docs', '/docs/docs.js', '/api/auth/openapi.json'])
    expect((await fetch(story.deployment.url + path)).status).toBe(200)
  expect(await listens(5432)).toBe(false)
  const plain = await fetch(`${story.deployment.httpUrl}/data/transactions?limit=1`, {
    redirect: 'manual',
  })
  expect([plain.status, plain.headers.get('location')]).toEqual([
    308,
    `${story.deployment.url}/data/transactions?limit=1`,
  ])
})

test("an attacker's access is limited in each server: no root, no writable image, no further rights", async () => {
  for (const service of services) {
    const id = (await story.deployment.compose('ps', '-q', service)).trim()
    const [container] = JSON.parse(await run('docker', ['inspect', id]))
    expect(container.HostConfig).toMatchObject({
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
    })
    expect(container.HostConfig.Memory).toBeGreaterThan(0)
    const servers = (await run('docker', ['top', id, '-eo', 'pid,uid,comm'])).split('\n').slice(1)
      .filter((line) => line !== '' && !line.includes('init'))
    // A running health check uses the image's user and is no server.
    expect(
      servers.filter((line) =>
        /^\s*\d+\s+0\s/.test(line) && !/\b(sh|sleep|pg_isready)$/.test(line.trim())
      ),
    ).toEqual([])
    expect(servers.length).toBeGreaterThan(0)
  }
})

test("an attacker's access finds no secret in the environment of a process, nor in Docker's description of a container", async () => {
  await story.deployment.keepSecret({
    SMTP_URL: 'smtp://canary-of-smtp:x@127.0.0.1:2525',
    OTEL_EXPORTER_OTLP_HEADERS: 'x=canary-of-traces',
  })
  await story.deployment.configure({
    SMTP_URL_FILE: 'secrets/SMTP_URL',
    OTEL_EXPORTER_OTLP_HEADERS_FILE: 'secrets/OTEL_EXPORTER_OTLP_HEADERS',
  })
  await story.deployment.up()
  expect(
    (await fetch(`${story.deployment.url}/transactions`, { headers: { accept: 'text/html' } }))
      .status,
  ).toBe(200)
  const folder = join(story.deployment.directory, 'secrets')
  const texts = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  )
  const secrets = texts.map((text) => /[0-9a-f]{64}|canary-of-\w+/.exec(text)?.[0] ?? '')
  expect(new Set(secrets).size).toBe(6)
  const ids = (await story.deployment.compose('ps', '-q', '--all')).trim().split('\n')
  expect(ids).toHaveLength(services.length + 1)
  const running = (await story.deployment.compose('ps', '-q')).trim().split('\n')
  const pids = (await Promise.all(running.map((id) => run('docker', ['top', id, '-eo', 'pid']))))
    .flatMap((text) => text.match(/\d+/g) ?? [])
  expect(pids.length).toBeGreaterThan(2 * services.length)
  const seen = await Promise.all([
    run('docker', ['inspect', ...ids]),
    // A health check may have ended since.
    ...pids.flatMap((pid) =>
      ['environ', 'cmdline'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => ''))
    ),
  ])
  expect(seen.some((text) => text.includes('AUTH_SERVICE_PASSWORD_FILE=/run/secrets/'))).toBe(true)
  expect(secrets.filter((secret) => secret === '' || seen.some((text) => text.includes(secret))))
    .toEqual([])
  // The tests after the next start read mails from the log.
  await story.deployment.configure({ SMTP_URL_FILE: '', OTEL_EXPORTER_OTLP_HEADERS_FILE: '' })
})

test("an attacker's access does not include the choice of a client address, but a proxy on this machine can set it", async () => {
  const address = async (url: string) => {
    await fetch(`${url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' },
      body: JSON.stringify({ email: story.ann.email, password }),
    })
    return (await story.deployment.sql(
      'select ip_address from auth.sessions order by created_at desc limit 1',
    ))[0]
  }
  expect(await address(story.deployment.url)).toBe(story.deployment.gateway)
  expect(await address(story.deployment.plainUrl)).toBe('203.0.113.7')
})
test('a health check answers at once after a start, and later watches its service until that fails', async () => {
  const id = (await story.deployment.compose('ps', '-q', 'auth')).trim()
  const [{ Config: { Healthcheck: { Test: [, ...check] } } }] = JSON.parse(
    await run('docker', ['inspect', id]),
  )
  await run('docker', [
    'exec',
    id,
    'node',
    '-e',
    'require("fs").rmSync("/dev/shm/ready", { force: true })',
  ])
  await run('docker', ['exec', id, ...check])
  const watching = run('docker', ['exec', id, ...check]).then(() => 'healthy', () => 'unhealthy')
  await story.deployment.compose('stop', 'db')
  expect(await watching).toBe('unhealthy')
  await story.deployment.up('--no-build')
})
