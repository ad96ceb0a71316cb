/** An app in APP_DIR. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { needApp } from '../../edge/app-files.ts'
import { askFor, cases, kept, secret, writeApp } from './app-requests.ts'
import { edgeBefore } from './support.ts'

let folder: string
let app: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'finance app '))
  app = await writeApp(folder)
})
afterAll(() => rm(folder, { recursive: true }))

const served = (logged: string[] = []) => edgeBefore('http://127.0.0.1:1', 2_000, logged, app)

test.each(cases)('%s: %j is answered with %i', async (_, request, status, headers, body) => {
  const answer = await askFor(await served(), ...request)
  expect(answer.status).toBe(status)
  for (const [name, value] of Object.entries(headers)) expect(answer.headers[name], name).toMatch(value)
  expect(answer.body).toMatch(body)
})

test('a browser that has a file is told so, and gets the next build’s', async () => {
  const url = await served()
  const { headers: { etag = '' } } = await askFor(url, 'GET', '/robots.txt')
  expect(await askFor(url, 'GET', '/robots.txt', { 'if-none-match': etag })).toMatchObject({ status: 304, headers: { etag }, body: '' })
  await writeFile(join(app, 'robots.txt'), 'User-agent: nobody\n')
  expect(await askFor(url, 'GET', '/robots.txt', { 'if-none-match': etag })).toMatchObject({ status: 200, body: 'User-agent: nobody\n' })
})

test.each(kept)('%s is the edge’s, though the app has a file of that name', async (path) => {
  const answer = await askFor(await served(), 'GET', path)
  expect(answer.body).not.toContain(secret)
})

test('each request for the app is a line of the log, without its query', async () => {
  const logged: string[] = []
  const { headers } = await askFor(await served(logged), 'GET', '/?token=secret')
  await expect.poll(() => logged).toEqual([expect.stringContaining(`"id":"${headers['x-request-id']}","method":"GET","path":"/","status":200`)])
})

test('a symbolic link is followed within the folder, and never out of it: neither a file, a folder nor a compressed copy', async () => {
  const outside = join(folder, 'outside')
  await mkdir(outside)
  for (const name of ['secret.txt', 'index.html']) await writeFile(join(outside, name), secret)
  await writeFile(join(app, 'plain.js'), 'plain()')
  const links = { 'linked.txt': 'secret.txt', 'plain.js.gz': 'secret.txt', 'plain.js.br': 'secret.txt', linked: '' }
  for (const [name, target] of Object.entries(links)) await symlink(join(outside, target), join(app, name))
  await symlink('plain.js', join(app, 'within.js'))
  await symlink(app, join(folder, 'published'))
  const url = await edgeBefore('http://127.0.0.1:1', 2_000, [], join(folder, 'published'))
  for (const path of ['/linked.txt', '/linked/secret.txt', '/linked/index.html', '/linked', '/linked/']) {
    const answer = await askFor(url, 'GET', path)
    expect(answer.status, path).toBe(404)
    expect(answer.body).not.toContain(secret)
  }
  for (const encoding of ['gzip', 'br', 'br, gzip, zstd']) {
    expect(await askFor(url, 'GET', '/plain.js', { 'accept-encoding': encoding })).toMatchObject({ status: 200, body: 'plain()' })
  }
  expect(await askFor(url, 'GET', '/within.js')).toMatchObject({ status: 200, body: 'plain()' })
})

test('a folder without an index.html ends the start', async () => {
  await expect(needApp(join(app, 'assets'))).rejects.toThrow(/^APP_DIR must be a folder with an index\.html/)
})
