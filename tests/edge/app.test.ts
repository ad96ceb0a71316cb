/** An app in APP_DIR. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needApp } from '../../edge/app-files.ts'
import { requestFile, appRequests, page, reservedPaths, secret, writeApp } from './app-requests.ts'
import { edgeForTest } from './support.ts'

let folder: string
let app: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'finance app '))
  app = await writeApp(folder)
})
afterAll(() => rm(folder, { recursive: true }))

const serveApp = (logged: string[] = []) => edgeForTest('http://127.0.0.1:1', 2_000, logged, app)

test.each(appRequests)(
  'a request for %s: %j returns %i',
  async (_, request, status, headers, body) => {
    const answer = await requestFile(await serveApp(), ...request)
    expect(answer.status).toBe(status)
    for (const [name, value] of Object.entries(headers))
      expect(answer.headers[name], name).toMatch(
        value,
      )
    expect(answer.body).toMatch(body)
  },
)

test('a browser gets 304 for a file that it has, and the new file after the next build', async () => {
  const url = await serveApp()
  const { headers: { etag = '' } } = await requestFile(url, 'GET', '/robots.txt')
  expect(await requestFile(url, 'GET', '/robots.txt', { 'if-none-match': etag })).toMatchObject({
    status: 304,
    headers: { etag },
    body: '',
  })
  await writeFile(join(app, 'robots.txt'), 'User-agent: nobody\n')
  expect(await requestFile(url, 'GET', '/robots.txt', { 'if-none-match': etag })).toMatchObject({
    status: 200,
    body: 'User-agent: nobody\n',
  })
})

test.each(reservedPaths)(
  '%s is served by the edge, although the app has a file with that name',
  async (path) => {
    const answer = await requestFile(await serveApp(), 'GET', path)
    expect(answer.body).not.toContain(secret)
  },
)

test.each([
  ['/auth/v1/token?grant_type=password', 'Sign in with POST /api/auth/sign-in/email'],
  ['/storage/v1/bucket', 'Files belong to transactions: POST /data/rpc/begin_upload'],
  ['/functions/v1/hello', 'functions at /data/rpc/{function}'],
  ['/graphql/v1', 'Tables are at /data/{table}'],
  ['/realtime/v1/websocket', 'GET /api/auth/changes'],
  ['/api/collections/users/auth-with-password', 'Sign in with POST /api/auth/sign-in/email'],
  ['/api/collections/transactions/records', 'Tables are at /data/{table}'],
  ['/api/realtime', 'GET /api/auth/changes'],
  ['/api/files/c/r/receipt.pdf', 'Files belong to transactions'],
  [
    '/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword',
    'Sign in with POST /api/auth/sign-in/email',
  ],
  ['/google.firestore.v1.Firestore/Listen/channel', 'Tables are at /data/{table}'],
  ['/v1/projects/demo/databases/(default)/documents', 'Tables are at /data/{table}'],
  ['/api', 'The auth surface is at /api/auth, and the data surface at /data.'],
  ['/api/health', 'The auth surface is at /api/auth'],
  ['/api/authentication', 'The auth surface is at /api/auth'],
])(
  'a client of another backend reads at %s where to go, on a page of any origin too',
  async (path, direction) => {
    const url = await serveApp()
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const answer = await requestFile(url, method, path, {
        ...page,
        origin: 'https://app.example.org',
        'content-length': '0',
      })
      expect(answer).toMatchObject({
        status: 404,
        headers: {
          'content-type': 'application/json',
          'access-control-allow-origin': '*',
          'x-request-id': expect.any(String),
        },
      })
      expect(JSON.parse(answer.body)).toEqual({
        error: 'NOT_FOUND',
        message: expect.stringContaining(direction),
      })
    }
    const preflight = {
      origin: 'https://app.example.org',
      'access-control-request-headers': 'apikey,authorization',
    }
    expect(await requestFile(url, 'OPTIONS', path, preflight)).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'apikey,authorization',
      },
    })
  },
)

test('a path of the app that begins like one of another backend is the app', async () => {
  for (const path of ['/auth', '/auth/v1beta', '/storage', '/apis', '/v1/projects/demo'])
    expect(await requestFile(await serveApp(), 'GET', path, page), path).toMatchObject({
      status: 200,
      body: expect.stringContaining('<title>Money'),
    })
})

test('each request for the app has a log line, without its query', async () => {
  const logged: string[] = []
  const { headers } = await requestFile(await serveApp(logged), 'GET', '/?token=secret')
  await expect.poll(() => logged).toEqual([
    expect.stringContaining(
      `"id":"${headers['x-request-id']}","method":"GET","path":"/","status":200`,
    ),
  ])
})

test('symbolic links are followed only within the folder: not to files, folders or compressed copies outside of it', async () => {
  const outside = join(folder, 'outside')
  await mkdir(outside)
  for (const name of ['secret.txt', 'index.html']) await writeFile(join(outside, name), secret)
  await writeFile(join(app, 'plain.js'), 'plain()')
  const links = {
    'linked.txt': 'secret.txt',
    'plain.js.gz': 'secret.txt',
    'plain.js.br': 'secret.txt',
    linked: '',
  }
  for (const [name, target] of Object.entries(links))
    await symlink(join(outside, target), join(app, name))
  await symlink('plain.js', join(app, 'within.js'))
  await symlink(app, join(folder, 'published'))
  const url = await edgeForTest('http://127.0.0.1:1', 2_000, [], join(folder, 'published'))
  for (
    const path of ['/linked.txt', '/linked/secret.txt', '/linked/index.html', '/linked', '/linked/']
  ) {
    const answer = await requestFile(url, 'GET', path)
    expect(answer.status, path).toBe(404)
    expect(answer.body).not.toContain(secret)
  }
  for (const encoding of ['gzip', 'br', 'br, gzip, zstd']) {
    expect(await requestFile(url, 'GET', '/plain.js', { 'accept-encoding': encoding }))
      .toMatchObject({ status: 200, body: 'plain()' })
  }
  expect(await requestFile(url, 'GET', '/within.js')).toMatchObject({
    status: 200,
    body: 'plain()',
  })
})

test('a folder without an index.html makes the start fail', async () => {
  await expect(needApp(join(app, 'assets'))).rejects.toThrow(
    /^APP_DIR must be a folder with an index\.html/,
  )
})
