/**
 * Webhooks: what they receive, their secrets, who may have one, and all events that end them. Their
 * deliveries: webhook-deliveries.test.ts.
 */
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { webhookSink, type WebhookSink } from '../support/webhook-sink.ts'
import {
  countIn,
  createWebhookTo,
  listed,
  messages,
  postWebhookTo,
  requestData,
  storeRow,
  type Options,
} from './webhook-calls.ts'

let stack: Stack
let sink: WebhookSink
beforeAll(async () => {
  stack = await startStack({ data: true, receivers: localReceivers, webhookPauseMs: 50 })
})
beforeEach(async () => {
  sink = await webhookSink()
})
afterEach(async () => {
  await stack.sql.query('delete from auth.webhooks')
  await sink[Symbol.asyncDispose]()
})
afterAll(() => stack.close())

const postWebhook = (user: Person, options?: Options) => postWebhookTo(sink, user, options)
const createWebhook = (user: Person, options?: Options) => createWebhookTo(sink, user, options)
const countOf = (table: string) => countIn(stack, table)
const data = (method: string, path: string, token: string, body?: unknown) =>
  requestData(stack, method, path, token, body)
const store = (user: Person, table: string, row: object) => storeRow(stack, user, table, row)
const tag = (user: Person, name: string, more = {}) => store(user, 'tags', { name, ...more })
const idsOf = () => sink.changes().flatMap(({ ids }) => ids ?? [])

test('a webhook is created with a secret that is shown once, and the database stores it encrypted', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { status, body } = await postWebhook(ann, { tables: ['transactions', 'tags'] })
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      id: expect.any(String),
      name: 'Spreadsheet',
      url: sink.url,
      organization_id: null,
      tables: ['transactions', 'tags'],
      created_at: expect.any(String),
      delivered_at: null,
      failing_since: null,
      last_failure: null,
      last_status: null,
      disabled_at: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    },
  })
  const { secret, ...rest } = body
  expect(await listed(ann)).toEqual([rest])
  expect(await listed(await signedIn(stack, 'Bob'))).toEqual([])
  const { rows } = await stack.sql.query('select * from auth.webhooks')
  expect(JSON.stringify(rows)).not.toContain(secret.slice(6))
})

test('a webhook receives a signed message with table and ids of a changed row, and no value of it', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { secret, id } = await createWebhook(ann)
  const { id: row } = await store(ann, 'transactions', { name: 'Divorce lawyer', amount: -1234.5 })
  const { rows: [{ change_id: changeId }] } = await stack.sql.query(
    'select change_id from api.activity where row_id = $1',
    [row],
  )
  await expect.poll(() => sink.messages).toHaveLength(1)
  const [message] = sink.messages
  expect(message!.headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/),
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  })
  expect(new Webhook(secret).verify(message!.text, message!.headers)).toEqual({
    type: 'rows.changed',
    timestamp: expect.any(String),
    data: {
      changes: [{
        table: 'transactions',
        organization_id: null,
        actions: ['create'],
        ids: [row],
        change_id: changeId,
      }],
    },
  })
  expect(message!.text).not.toMatch(/lawyer|1234/)
  expect(() =>
    new Webhook(secret).verify(message!.text.replace('create', 'delete'), message!.headers)
  ).toThrow('No matching signature')
  await expect.poll(() => listed(ann)).toMatchObject([{
    id,
    delivered_at: expect.any(String),
    last_failure: null,
  }])
})

test('a webhook receives updates and deletions, of the tables that it names', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann, { tables: ['tags'] })
  const { id } = await tag(ann, 'one')
  await store(ann, 'categories', { name: 'unnamed table' })
  await expect.poll(() => sink.changes()).toHaveLength(1)
  await data('PATCH', `/tags?id=eq.${id}`, await ann.token(), { name: 'two' })
  await expect.poll(() => sink.changes()).toHaveLength(2)
  await data('DELETE', `/tags?id=eq.${id}`, await ann.token())
  await expect.poll(() =>
    sink.changes().map(({ table, actions, ids }) => ({ table, actions, ids }))
  ).toEqual(
    ['create', 'update', 'delete'].map((action) => ({
      table: 'tags',
      actions: [action],
      ids: [id],
    })),
  )
})

test('a webhook receives nothing of strangers, of other contexts, and of before its creation', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const bob = await signedIn(stack, 'Bob')
  await tag(owner, 'before')
  await createWebhook(owner, { organizationId })
  await tag(bob, 'of a stranger')
  await tag(owner, 'personal', { organization_id: null })
  const { id } = await tag(owner, 'of the team')
  await expect.poll(idsOf).toContain(id)
  expect(idsOf()).toEqual([id])
  expect(sink.changes()[0]).toMatchObject({ organization_id: organizationId })
})

test('a webhook of a member receives nothing of another member’s personal rows', async () => {
  const { owner, admin } = await team(stack, ['admin'])
  await createWebhook(owner)
  await tag(admin, 'personal', { organization_id: null })
  const { id } = await tag(owner, 'own', { organization_id: null })
  await expect.poll(idsOf).toEqual([id])
})

test('a webhook of a team needs an owner or admin, and the team itself', async () => {
  const { id: organizationId, admin, editor, viewer } = await team(stack, [
    'admin',
    'editor',
    'viewer',
  ])
  const stranger = await signedIn(stack, 'Mallory')
  expect((await postWebhook(admin, { organizationId })).status).toBe(200)
  for (const user of [editor, viewer])
    expect(await postWebhook(user, { organizationId })).toMatchObject({
      status: 403,
      body: { error: 'FORBIDDEN' },
    })
  expect(await postWebhook(stranger, { organizationId })).toMatchObject({ status: 404 })
})

test('a webhook needs a verified address, and the password or a recent sign-in', async () => {
  const mallory = person(stack, 'Mallory')
  await mallory.signUp()
  expect(await postWebhook(mallory)).toMatchObject({
    status: 403,
    body: { error: 'EMAIL_NOT_VERIFIED' },
  })
  const ann = await signedIn(stack, 'Ann')
  expect(await postWebhook(ann, { password: 'wrong' })).toMatchObject({
    status: 400,
    body: { error: 'INVALID_PASSWORD' },
  })
  await stack.sql.query(
    `update auth.sessions set created_at = now() - interval '11 minutes' where user_id = $1`,
    [await ann.id()],
  )
  expect(await postWebhook(ann)).toMatchObject({
    status: 403,
    body: { error: 'FRESH_SIGN_IN_REQUIRED' },
  })
  const { id: webhookId } = await createWebhook(ann, { password })
  expect(await ann.post('/webhook/rotate-secret', { webhookId })).toMatchObject({
    status: 403,
    body: { error: 'FRESH_SIGN_IN_REQUIRED' },
  })
})

test('a webhook needs a table that exists and an address without a user', async () => {
  const ann = await signedIn(stack, 'Ann')
  for (
    const [options, field] of [[{ tables: ['users'] }, 'tables'], [{ tables: [] }, 'tables'], [{
      url: 'https://a:b@1.1.1.1/',
    }, 'url'], [
      { name: '' },
      'name',
    ]] as const
  )
    expect(await postWebhook(ann, options as Options)).toMatchObject({
      status: 400,
      body: { error: 'VALIDATION_ERROR', message: expect.stringContaining(field) },
    })
})

test('a webhook is one of at most ten of a user, also at the same moment', async () => {
  const ann = await signedIn(stack, 'Ann')
  const answers = await Promise.all(Array.from({ length: 12 }, () => postWebhook(ann)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  expect(answers.find(({ status }) => status !== 200)).toMatchObject({
    status: 403,
    body: { error: 'WEBHOOK_LIMIT_REACHED', message: expect.stringContaining('up to 10') },
  })
})

test('a webhook can be tested: the receiver gets a ping at once, and the user the outcome', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id: webhookId, secret } = await createWebhook(ann)
  expect((await ann.post('/webhook/test', { webhookId })).body).toEqual({
    delivered: true,
    failure: null,
    status: 204,
  })
  expect(new Webhook(secret).verify(sink.messages[0]!.text, sink.messages[0]!.headers)).toEqual({
    type: 'ping',
    timestamp: expect.any(String),
    data: {},
  })
  sink.answer = () => ({ status: 500, body: 'a stack trace' })
  expect((await ann.post('/webhook/test', { webhookId })).body).toEqual({
    delivered: false,
    failure: 'status',
    status: 500,
  })
})

test('a new secret signs at once; the former one signs too, for a day', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id: webhookId, secret } = await createWebhook(ann)
  const { body: { secret: next } } = await ann.post('/webhook/rotate-secret', { webhookId })
  expect(next).not.toBe(secret)
  await tag(ann, 'both')
  await expect.poll(() => sink.messages).toHaveLength(1)
  for (const either of [secret, next])
    expect(new Webhook(either).verify(sink.messages[0]!.text, sink.messages[0]!.headers))
      .toMatchObject({ type: 'rows.changed' })
  await stack.sql.query('update auth.webhooks set former_secret_until = now()')
  await tag(ann, 'only the new one')
  await expect.poll(() => sink.messages).toHaveLength(2)
  const { text, headers } = sink.messages[1]!
  expect(new Webhook(next).verify(text, headers)).toMatchObject({ type: 'rows.changed' })
  expect(() => new Webhook(secret).verify(text, headers)).toThrow('No matching signature')
})

test('a new secret made twice within a day ends the oldest one at once', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id: webhookId, secret } = await createWebhook(ann)
  const { body: { secret: second } } = await ann.post('/webhook/rotate-secret', { webhookId })
  await ann.post('/webhook/rotate-secret', { webhookId })
  await tag(ann, 'the last two')
  await expect.poll(() => sink.messages).toHaveLength(1)
  const { text, headers } = sink.messages[0]!
  expect(new Webhook(second).verify(text, headers)).toMatchObject({ type: 'rows.changed' })
  expect(() => new Webhook(secret).verify(text, headers)).toThrow('No matching signature')
})

test('a new secret is needed after a change of BETTER_AUTH_SECRET, which turns the webhook off', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id: webhookId } = await createWebhook(ann)
  await stack.sql.query(`update auth.webhooks set secret = 'encrypted with another secret'`)
  expect((await ann.post('/webhook/test', { webhookId })).body).toEqual({
    delivered: false,
    failure: 'secret',
    status: null,
  })
  await tag(ann, 'unsent')
  await expect.poll(() => listed(ann)).toMatchObject([{
    disabled_at: expect.any(String),
    last_failure: 'secret',
  }])
  const { body: { secret } } = await ann.post('/webhook/rotate-secret', { webhookId })
  await ann.post('/webhook/enable', { webhookId })
  await expect.poll(() => sink.messages).toHaveLength(1)
  expect(new Webhook(secret).verify(sink.messages[0]!.text, sink.messages[0]!.headers))
    .toMatchObject({ type: 'rows.reset' })
})

test('a webhook ends by its deletion, with the messages that are not delivered', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id: webhookId } = await createWebhook(ann)
  sink.answer = () => ({ status: 500 })
  await tag(ann, 'one')
  await expect.poll(() => sink.messages).toHaveLength(1)
  expect((await ann.post('/webhook/delete', { webhookId })).body).toEqual({ success: true })
  expect(await countOf(messages)).toBe(0)
  expect(await ann.post('/webhook/delete', { webhookId })).toMatchObject({ status: 404 })
})

test.each<[string, (owner: Person, admin: Person, organizationId: string) => Promise<unknown>]>([
  [
    'leaves the team',
    (_, admin, organizationId) => admin.post('/organization/leave', { organizationId }),
  ],
  [
    'is removed',
    async (owner, admin, organizationId) =>
      owner.post('/organization/remove-member', { organizationId, userId: await admin.id() }),
  ],
  [
    'becomes an editor',
    async (owner, admin, organizationId) =>
      owner.patch('/organization/update-member-role', {
        organizationId,
        userId: await admin.id(),
        role: 'editor',
      }),
  ],
  [
    'deletes the account',
    async (_, admin) => stack.sql.query('delete from auth.users where id = $1', [await admin.id()]),
  ],
  [
    'loses the team by its deletion',
    (owner, _, organizationId) => owner.delete('/organization/delete', { organizationId }),
  ],
])('a webhook ends when its user %s', async (_, end) => {
  const { id: organizationId, owner, admin } = await team(stack, ['admin'])
  await createWebhook(admin, { organizationId })
  await end(owner, admin, organizationId)
  expect(await countOf('auth.webhooks')).toBe(0)
})

test('a webhook ends not when its user becomes the owner, and not for the personal rows of a user who leaves a team', async () => {
  const { id: organizationId, owner, admin } = await team(stack, ['admin'])
  await createWebhook(admin, { organizationId })
  await owner.post('/organization/transfer-ownership', { organizationId, userId: await admin.id() })
  expect(await countOf('auth.webhooks')).toBe(1)
  await createWebhook(owner)
  await owner.post('/organization/leave', { organizationId })
  expect(await countOf('auth.webhooks')).toBe(2)
})

test('a webhook ends by a password reset', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann)
  await person(stack).post('/forget-password', { email: ann.email })
  const token = new URL(
    linkIn(await stack.mail.waitFor(ann.email, ({ subject }) => subject === 'Reset your password')),
  ).searchParams.get('token')
  expect(await person(stack).post('/reset-password', { token, password: 'another long password' }))
    .toMatchObject({ status: 200 })
  expect(await countOf('auth.webhooks')).toBe(0)
})

test('an event and a mail tell the user of a new webhook', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann, { name: 'Spy' })
  expect((await ann.get('/list-events')).body[0]).toMatchObject({
    kind: 'webhook_created',
    name: 'Spy',
  })
  await stack.mail.waitFor(ann.email, ({ subject }) => subject === 'A webhook was created')
})
