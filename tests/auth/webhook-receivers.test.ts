/**
 * The servers that may receive webhooks. In production these are those of the public internet,
 * whatever a user or the owner of a name tries. With `npm start` also programs of the same machine,
 * if only this machine reaches the service.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { localReceivers, problemOfTarget, publicReceivers } from '../../realtime/webhooks/sender.ts'
import { readSettings } from '../../common/settings.ts'
import { receiversOf } from '../../start/dev-server.ts'
import { signedIn, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

/** The addresses to which names resolve. */
const names = new Map<string, string[]>()
let stack: Stack
let ann: Person
let connections = 0
const internal = createServer((socket) => {
  connections += 1
  socket.destroy()
})
beforeAll(async () => {
  const resolve = (name: string) => Promise.resolve(names.get(name) ?? [])
  stack = await startStack({
    webhookPauseMs: 20,
    receivers: { ...publicReceivers, network: { ...publicReceivers.network, resolve } },
  })
  ann = await signedIn(stack, 'Ann')
  internal.listen(0, '127.0.0.1')
  await once(internal, 'listening')
})
afterAll(async () => {
  internal.close()
  await stack.close()
})

const create = (url: string) => ann.post('/webhook/create', { name: 'Hook', url })
const refused = {
  status: 400,
  body: { error: 'VALIDATION_ERROR', message: expect.stringMatching(/^The field url: must/) },
}

test.each([
  'https://localhost/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://10.0.0.1/',
  'https://db/',
  'https://private.example/',
  'https://missing.example/',
  'http://public.example/',
  'https://public.example:5432/',
  'https://public.example:80/',
  'https://user:password@public.example/',
  'https://public.example/#fragment',
])('a webhook to %s is refused', async (url) => {
  names.set('public.example', ['1.1.1.1']).set('private.example', ['10.0.0.1']).set('localhost', [
    '127.0.0.1',
  ]).set('db', ['172.20.0.2'])
  expect(await create(url)).toMatchObject(refused)
})

test('a developer on localhost can send webhooks to a program of the same machine', () => {
  expect(receiversOf(readSettings({}))).toBe(localReceivers)
})

test.each([
  ['in production', { NODE_ENV: 'production' }],
  ['at a public address', { PUBLIC_URL: 'https://money.example.org' }],
  ['if other machines reach the port', { HOST: '0.0.0.0' }],
])('%s webhooks reach only the public internet', (_, settings) => {
  expect(receiversOf(readSettings(settings))).toBe(publicReceivers)
})

test('a webhook of npm start on localhost reaches loopback addresses and the public internet, and no neighbour of the machine', async () => {
  const problems = (url: string) => problemOfTarget(localReceivers, url)
  for (
    const url of [
      'http://localhost:8787/hook',
      'http://127.0.0.1:8787/',
      'http://[::1]:8787/',
      'http://[::ffff:127.0.0.1]:8787/',
      'http://1.1.1.1/',
    ]
  )
    expect([url, await problems(url)]).toEqual([url, undefined])
  for (
    const url of [
      'http://169.254.169.254/',
      'http://[::ffff:169.254.169.254]/',
      'http://10.0.0.1/',
      'http://192.168.1.1/',
      'http://127.0.0.2:22/',
    ]
  )
    expect([url, await problems(url)]).toEqual([url, 'must name a server on the public internet'])
})

test.each([
  'ftp://public.example/',
  'javascript:1',
  'file:///etc/passwd',
  '//public.example/',
  'public.example',
])('%s is no URL of a webhook', async (url) => {
  expect(await create(url)).toMatchObject({ status: 400, body: { error: 'VALIDATION_ERROR' } })
})

test('a name that resolves to a private address after the creation is not connected, in a test and in a delivery', async () => {
  names.set('rebinding.example', ['1.1.1.1'])
  const { status, body: { id: webhookId } } = await create('https://rebinding.example/')
  expect(status).toBe(200)
  names.set('rebinding.example', ['127.0.0.1', '169.254.169.254', '::1'])
  expect((await ann.post('/webhook/test', { webhookId })).body).toEqual({
    delivered: false,
    failure: 'not_public',
    status: null,
  })
  await stack.sql.query(`insert into api.tags (name, user_id) values ('one', $1)`, [await ann.id()])
  await expect.poll(async () => (await ann.get('/webhook/list')).body).toMatchObject([{
    last_failure: 'not_public',
    last_status: null,
  }])
  expect(connections).toBe(0)
})
