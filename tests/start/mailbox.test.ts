/** The mailbox of `npm start` at /mail, its access rules, and the page at /. */
import { once } from 'node:events'
import {
  createServer,
  request,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withMailbox } from '../../start/dev-server.ts'
import { mailbox } from '../../start/mailbox.ts'
import { readSettings } from '../../common/settings.ts'
import { raw } from '../edge/support.ts'
import { startStack, type Stack } from '../support/stack.ts'

const settings = (env: Record<string, string> = {}) => readSettings({ PORT: '3000', ...env })
const mail = (subject: string, html = '<html><head></head><body></body></html>') => ({
  to: 'ann@example.org',
  from: 'no-reply@example.org',
  subject,
  text: 'Open this:\n\nhttp://localhost:3000/api/auth/verify-email?token=a&b="c"\n',
  html,
  idempotencyKey: subject,
})

let server: Server
let ofMachine: Parameters<typeof withMailbox>[1]
beforeAll(async () => {
  const config = settings()
  ofMachine = mailbox(config)
  const all = withMailbox(
    (_incoming, outgoing) =>
      void outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{"by":"the edge"}'),
    ofMachine,
  )
  server = createServer((incoming, outgoing) => void all(incoming, outgoing)).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())

async function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { port } = server.address() as AddressInfo
  const outgoing = request({ port, path, method, headers: { host: 'localhost:3000', ...headers } })
    .end()
  const [response] = await once(outgoing, 'response') as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

test('the mailbox shows the newest mail first, each in a frame without scripts, with its links', async () => {
  ofMachine?.add(mail('First'))
  ofMachine?.add(mail('<script>Second</script>'))
  const { status, headers, body } = await get('/mail')
  expect(status).toBe(200)
  expect(body.indexOf('&lt;script&gt;Second')).toBeGreaterThan(0)
  expect(body.indexOf('&lt;script&gt;Second')).toBeLessThan(body.indexOf('First'))
  expect(body).not.toContain('<script')
  expect(body.match(/sandbox="[^"]*"/g)).not.toContain(
    expect.stringMatching('allow-scripts|allow-same-origin'),
  )
  expect(body).toContain(
    'href="http://localhost:3000/api/auth/verify-email?token=a&amp;b=&quot;c&quot;"',
  )
  expect(headers['content-security-policy']).toContain("default-src 'none'")
  expect(headers['cross-origin-resource-policy']).toBe('same-origin')
})

test('the mailbox shows a hostile mail unchanged, but without running its scripts or loading its resources', async () => {
  ofMachine?.add(
    mail('Hostile', '<html><head></head><body><script>alert(1)</script></body></html>'),
  )
  const [, path = ''] = /src="(\/mail\/\d+)"/.exec((await get('/mail')).body) ?? []
  const { body, headers } = await get(path)
  expect(body).toContain('<base target="_blank">')
  expect(headers['content-security-policy']).toMatch(
    /^sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'/,
  )
})

test('the mailbox keeps the newest hundred mails', async () => {
  for (let i = 0; i < 250; i++) ofMachine?.add(mail(`Mail ${i}`))
  const { body } = await get('/mail')
  expect(body.match(/<article>/g)).toHaveLength(100)
  expect(body).toContain('Mail 249')
  expect((await get('/mail/1')).status).toBe(404)
})

test.each([
  ['a page whose host name resolves to this machine', { host: 'evil.example:3000' }],
  ['a request that names another port', { host: 'localhost:3001' }],
  ['a client behind a proxy on this machine', { 'x-forwarded-for': '203.0.113.7' }],
  ['a proxy with only a Via header', { via: '1.1 proxy' }],
  ['a proxy with only X-Forwarded-Host', { 'x-forwarded-host': 'money.example.org' }],
  ['a tunnel', { 'cf-connecting-ip': '203.0.113.7' }],
])('the mailbox is closed to %s', async (_, headers) => {
  expect(await get('/mail', headers)).toMatchObject({
    status: 403,
    body: expect.not.stringContaining('Mail 249'),
  })
  expect((await get('/mail/250', headers)).status).toBe(403)
})

test('the mailbox is closed to a proxy that uses HTTP/1.0 without headers, like nginx by default', async () => {
  const { port } = server.address() as AddressInfo
  for (const host of ['Host: localhost:3000\r\n', '']) {
    const answer = await raw(
      `http://127.0.0.1:${port}`,
      `GET /mail HTTP/1.0\r\n${host}Connection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
  }
})

test('the mailbox has only GET and HEAD, and says so', async () => {
  const { port } = server.address() as AddressInfo
  const answer = await raw(
    `http://127.0.0.1:${port}`,
    'POST /mail HTTP/1.1\r\nHost: localhost:3000\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  )
  expect(answer).toMatch(
    /^HTTP\/1\.1 405 [^]*allow: GET, HEAD\r\n[^]*This path supports only GET and HEAD\./i,
  )
})

test.each([
  ['in production', { NODE_ENV: 'production' }],
  ['with Resend as transport', { RESEND_API_KEY: 'key' }],
  ['with SMTP as transport', { SMTP_URL: 'smtp://mail.example.org' }],
  ['with a public address', { PUBLIC_URL: 'https://money.example.org' }],
])('the mailbox does not exist %s', async (_, env) => {
  const config = settings(env)
  expect(mailbox(config)).toBeUndefined()
  let isAsked = false
  await withMailbox(() => {
    isAsked = true
  }, undefined)({ url: '/mail', method: 'GET' } as IncomingMessage, {} as ServerResponse)
  expect(isAsked).toBe(true)
})

test('the mailbox leaves other paths to the edge', async () => {
  for (const path of ['/', '/mailbox', '/other'])
    expect((await get(path)).body).toContain('the edge')
})

describe('the page at /', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack({ local: true })
  })
  afterAll(() => stack.close())
  const home = (accept: string) => fetch(`${stack.url}/`, { headers: { accept } })

  test('the page at / tells a visitor what runs, which addresses to use and how to grant a plan', async () => {
    const answer = await home('text/html')
    const body = await answer.text()
    for (
      const part of [
        '/api/auth',
        '/data',
        '/docs',
        '/mail',
        stack.dataUrl.replace('127.0.0.1', 'localhost'),
        'npm run admin -- grant',
      ]
    )
      expect(body).toContain(part)
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'none'")
    expect(answer.headers.get('vary')).toBe('accept')
  })

  test('the page at / gives a program the addresses of both surfaces and of the edge', async () => {
    expect(await (await home('*/*')).json()).toEqual({
      auth: `${stack.publicUrl}/api/auth`,
      data: stack.dataUrl.replace('127.0.0.1', 'localhost'),
      docs: `${stack.publicUrl}/docs`,
      edge: `${stack.publicUrl}/data`,
      mail: `${stack.publicUrl}/mail`,
    })
  })

  test('the page at / has a request id, is logged and counted, and has the security headers of the auth service', async () => {
    const { headers } = await home('*/*')
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    expect(stack.logged.find((line) => line.includes(headers.get('x-request-id') ?? 'no id')))
      .toContain('"path":"/"')
    expect(await (await fetch(`${stack.url}/metrics`)).text()).toMatch(/route="\/"/)
  })
})
