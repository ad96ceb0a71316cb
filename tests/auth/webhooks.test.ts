/** Webhooks: signed messages about changed rows, their retries, and all events that end them. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { delayAfter } from '../../realtime/webhooks/dispatcher.ts'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { linkIn } from '../support/mail-sink.ts'
import { password, person, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { webhookSink, type WebhookSink } from '../support/webhook-sink.ts'

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

type Options = {
  name?: string
  url?: string
  tables?: string[] | null
  organizationId?: string | null
  password?: string
}
const postWebhook = (user: Person, options: Options = {}) =>
  user.post('/webhook/create', { name: 'Spreadsheet', url: sink.url, ...options })
const createWebhook = async (
  user: Person,
  options: Options = {},
): Promise<{ id: string, secret: string }> => {
  const answer = await postWebhook(user, options)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}
const listed = async (user: Person) => (await user.get('/webhook/list')).body
const countOf = async (table: string) =>
  (await stack.sql.query<{ count: number }>(`select count(*)::int from ${table}`)).rows[0]!.count

const data = async (method: string, path: string, token: string, body?: unknown) => {
  const response = await fetch(`${stack.dataUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.ok).toBe(true)
  return await response.json() as any[]
}
const store = async (user: Person, table: string, row: object) => {
  const [{ id }] = await data('POST', `/${table}`, await user.token(), row)
  return { id: id as string }
}
const tag = (user: Person, name: string, more = {}) => store(user, 'tags', { name, ...more })
const idsOf = () => sink.changes().flatMap(({ ids }) => ids ?? [])
/** The messages that are not delivered yet. */
const messages = `private.jobs where task = 'send_webhook'`
/** Makes the next attempt due, as if its time had come, once the running one has ended. */
const now = () =>
  expect.poll(async () =>
    (await stack.sql.query(
      `update private.jobs set run_at = now() where task = 'send_webhook' and leased_until is null and started_at is not null`,
    )).rowCount
  ).toBe(1)

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
    body: { error: 'WEBHOOK_LIMIT_REACHED' },
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

test('each change is sent once by two services on the same database', async () => {
  await using both = await startStack({ receivers: localReceivers, webhookPauseMs: 10 })
  await both.startAnotherAuth()
  const ann = await signedIn(both, 'Ann')
  const userId = await ann.id()
  await createWebhook(ann)
  const stored: string[] = []
  for (let index = 0; index < 60; index += 1)
    stored.push(
      (await both.sql.query(`insert into api.tags (name, user_id) values ($1, $2) returning id`, [
        `tag ${index}`,
        userId,
      ])).rows[0].id,
    )
  await expect.poll(() => idsOf().length).toBeGreaterThanOrEqual(60)
  await expect.poll(async () => (await both.sql.query(`select id from ${messages}`)).rows).toEqual(
    [],
  )
  expect(idsOf().toSorted()).toEqual(stored.toSorted())
  expect(new Set(sink.messages.map(({ id }) => id)).size).toBe(sink.messages.length)
})

test('each change is sent once also if a transaction of another context commits after a later one', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  const userId = await owner.id()
  await createWebhook(owner)
  await createWebhook(owner, { organizationId })
  const [slow, insert] = [
    await stack.sql.connect(),
    'insert into api.tags (name, user_id, organization_id) values ($1, $2, $3) returning id',
  ]
  await slow.query('begin')
  const { rows: [first] } = await slow.query<{ id: string }>(insert, ['slow', userId, null])
  const { rows: [second] } = await stack.sql.query<{ id: string }>(insert, [
    'fast',
    userId,
    organizationId,
  ])
  await expect.poll(idsOf).toEqual([second!.id])
  await slow.query('commit')
  await expect.poll(idsOf).toEqual([second!.id, first!.id])
  slow.release()
})

test('each change is sent once and again with the same id, if the service is killed before it knows that the message arrived', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann)
  const restart = await stack.stop()
  sink.answer = () => 'hang'
  const worker = fork(fileURLToPath(new URL('../support/webhook-worker.ts', import.meta.url)), [
    stack.ownerUrl,
    stack.secret,
  ], { execArgv: [] })
  try {
    await stack.sql.query(`insert into api.tags (name, user_id) values ('one', $1)`, [
      (await stack.sql.query('select user_id from auth.webhooks')).rows[0].user_id,
    ])
    await expect.poll(() => sink.messages, { timeout: 10_000 }).toHaveLength(1)
  } finally {
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  }
  sink.answer = () => ({ status: 200 })
  // as if the lease of 45 seconds had ended
  await stack.sql.query(`update private.jobs set leased_until = now() where task = 'send_webhook'`)
  await restart()
  await expect.poll(() => sink.messages).toHaveLength(2)
  expect(sink.messages[1]).toMatchObject({ id: sink.messages[0]!.id, text: sink.messages[0]!.text })
  await expect.poll(() => countOf(messages)).toBe(0)
})

describe('a receiver that fails', () => {
  test('a receiver that fails gets the message again with the same id and content, and then the later changes in one more message', async () => {
    const ann = await signedIn(stack, 'Ann')
    await createWebhook(ann)
    sink.answer = () => ({ status: 503 })
    const first = await tag(ann, 'one')
    await expect.poll(() => listed(ann)).toMatchObject([{
      failing_since: expect.any(String),
      last_failure: 'status',
      last_status: 503,
      disabled_at: null,
    }])
    const [second, third] = [await tag(ann, 'two'), await tag(ann, 'three')]
    await expect.poll(() => countOf(messages)).toBe(2)
    expect(sink.messages).toHaveLength(1)
    sink.answer = () => ({ status: 200 })
    await now()
    await expect.poll(() => sink.messages).toHaveLength(3)
    expect(sink.messages[1]).toMatchObject({
      id: sink.messages[0]!.id,
      text: sink.messages[0]!.text,
    })
    expect(
      sink.messages.map(({ body }) =>
        body.data.changes.flatMap(({ ids }: { ids: string[] }) => ids)
      ),
    ).toEqual([[first.id], [first.id], [
      second.id,
      third.id,
    ]])
    await expect.poll(() => listed(ann)).toMatchObject([{
      failing_since: null,
      last_failure: null,
      last_status: null,
    }])
  })

  test('a receiver that fails is tried at growing intervals, from five seconds to an hour', async () => {
    const delays = Array.from({ length: 14 }, (_, index) => delayAfter(index + 1, 0.5) / 1_000)
    expect(delays).toEqual([
      5,
      10,
      20,
      40,
      80,
      160,
      320,
      640,
      1_280,
      2_560,
      3_600,
      3_600,
      3_600,
      3_600,
    ])
    expect([delayAfter(1, 0), delayAfter(1, 1)]).toEqual([4_000, 6_000])
    const ann = await signedIn(stack, 'Ann')
    await createWebhook(ann)
    sink.answer = () => ({ status: 500 })
    await tag(ann, 'one')
    await expect.poll(async () => (await listed(ann))[0].last_failure).toBe('status')
    const next = async () =>
      (await stack.sql.query(
        `select failures, last_error, extract(epoch from run_at - now())::float as seconds from ${messages} and leased_until is null`,
      ))
        .rows
    await expect.poll(next).toMatchObject([{
      failures: 1,
      last_error: 'status',
      seconds: expect.toSatisfy((seconds: number) => seconds > 2 && seconds <= 6),
    }])
  })

  test.each(
    [
      ['a redirect', () => ({ status: 307, headers: { location: '/hook' } }), {
        last_failure: 'status',
        last_status: 307,
      }],
      ['a broken status', () => ({ status: 404 }), { last_failure: 'status', last_status: 404 }],
    ] as const,
  )('by %s is not followed further', async (_, answer, failure) => {
    const ann = await signedIn(stack, 'Ann')
    await createWebhook(ann)
    sink.answer = answer
    await tag(ann, 'one')
    await expect.poll(() => listed(ann)).toMatchObject([failure])
    expect(sink.messages).toHaveLength(1)
  })

  test('a receiver that fails by not responding is not waited for longer than the timeout', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { id: webhookId } = await createWebhook(ann)
    sink.answer = () => 'hang'
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    const limits = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(100))
    expect((await ann.post('/webhook/test', { webhookId })).body).toEqual({
      delivered: false,
      failure: 'timeout',
      status: null,
    })
    expect(limits).toHaveBeenCalledWith(10_000)
    limits.mockRestore()
  })

  test('a receiver that fails by not responding delays no other user, however many webhooks it has', async () => {
    sink.answer = () => 'hang'
    await using other = await webhookSink()
    for (const slow of [await signedIn(stack, 'Ann'), await signedIn(stack, 'Eve')]) {
      for (let index = 0; index < 10; index += 1) await createWebhook(slow)
      await tag(slow, 'one')
    }
    await expect.poll(() => sink.messages.length).toBeGreaterThanOrEqual(8)
    const bob = await signedIn(stack, 'Bob')
    await createWebhook(bob, { url: other.url })
    await tag(bob, 'one')
    await expect.poll(() => other.messages).toHaveLength(1)
    expect(sink.mostOpen()).toBeLessThanOrEqual(8)
  })

  test('a receiver that fails by not responding does not delay the stop of the service, which returns the message', async () => {
    const ann = await signedIn(stack, 'Ann')
    await createWebhook(ann)
    sink.answer = () => 'hang'
    await tag(ann, 'one')
    await expect.poll(() => sink.messages).toHaveLength(1)
    const restart = await stack.stop()
    const { rows } = await stack.sql.query(
      `select failures, leased_until, run_at <= now() as is_due from ${messages}`,
    )
    expect(rows).toEqual([{ failures: 0, leased_until: null, is_due: true }])
    sink.answer = () => ({ status: 200 })
    await restart()
    await expect.poll(() => sink.messages.map(({ id }) => id)).toEqual([
      sink.messages[0]!.id,
      sink.messages[0]!.id,
    ])
  })

  test('a receiver that fails by sending an endless body costs nothing, because only the status counts', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { id: webhookId } = await createWebhook(ann)
    sink.answer = () => ({ status: 200, body: 'x'.repeat(20_000_000) })
    expect((await ann.post('/webhook/test', { webhookId })).body).toMatchObject({ delivered: true })
  })

  test('a receiver that fails for a day is turned off: its user gets a mail, sees it in the events, and can turn it on again', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { id: webhookId } = await createWebhook(ann, { name: 'Old server' })
    sink.answer = () => ({ status: 500 })
    await tag(ann, 'one')
    await expect.poll(async () => (await listed(ann))[0].last_failure).toBe('status')
    await stack.sql.query(`update auth.webhooks set failing_since = now() - interval '23 hours'`)
    await now()
    await expect.poll(() => sink.messages).toHaveLength(2)
    expect(await listed(ann)).toMatchObject([{ disabled_at: null }])
    await stack.sql.query(`update auth.webhooks set failing_since = now() - interval '25 hours'`)
    await now()
    await expect.poll(() => listed(ann)).toMatchObject([{
      disabled_at: expect.any(String),
      last_failure: 'status',
      last_status: 500,
    }])
    const mail = await stack.mail.waitFor(
      ann.email,
      ({ subject }) => subject === 'A webhook was turned off',
    )
    expect(mail.text).toContain('“Old server”')
    expect(mail.text).not.toMatch(/127\.0\.0\.1|If it was not you/)
    expect((await ann.get('/list-events')).body[0]).toMatchObject({
      kind: 'webhook_disabled',
      name: 'Old server',
      ip_address: null,
    })
    await tag(ann, 'missed')
    await expect.poll(() => countOf(messages)).toBe(0)

    sink.answer = () => ({ status: 200 })
    sink.messages.length = 0
    expect((await ann.post('/webhook/enable', { webhookId })).body).toMatchObject({
      id: webhookId,
      disabled_at: null,
      failing_since: null,
    })
    await expect.poll(() => sink.messages.map(({ body }) => body)).toEqual([{
      type: 'rows.reset',
      timestamp: expect.any(String),
      data: {},
    }])
    const { id } = await tag(ann, 'after')
    await expect.poll(idsOf).toEqual([id])
  })

  test('a receiver that fails is not sent the same message twice at once by turning on a webhook that is on', async () => {
    const ann = await signedIn(stack, 'Ann')
    const { id: webhookId } = await createWebhook(ann)
    sink.answer = () => 'hang'
    await tag(ann, 'one')
    await expect.poll(() => sink.messages).toHaveLength(1)
    expect((await ann.post('/webhook/enable', { webhookId })).body).toMatchObject({
      id: webhookId,
      disabled_at: null,
    })
    const { rows } = await stack.sql.query(
      `select leased_until > now() as is_running from ${messages}`,
    )
    expect(rows).toEqual([{ is_running: true }])
  })

  test('a receiver that fails by 410 Gone is turned off at once', async () => {
    const ann = await signedIn(stack, 'Ann')
    await createWebhook(ann)
    sink.answer = () => ({ status: 410 })
    await tag(ann, 'one')
    await expect.poll(() => listed(ann)).toMatchObject([{
      disabled_at: expect.any(String),
      last_status: 410,
    }])
    await stack.mail.waitFor(ann.email, ({ subject }) => subject === 'A webhook was turned off')
  })
})

test('a message is a reset instead of more than a hundred changes', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann)
  sink.answer = () => ({ status: 500 })
  await tag(ann, 'one')
  await expect.poll(() => sink.messages).toHaveLength(1)
  const userId = await ann.id()
  for (let index = 0; index < 101; index += 1)
    await stack.sql.query(`insert into api.tags (name, user_id) values ($1, $2)`, [
      `tag ${index}`,
      userId,
    ])
  await expect.poll(async () =>
    (await stack.sql.query(`select payload from ${messages} and started_at is null`)).rows
  ).toEqual([
    { payload: { type: 'rows.reset', changes: [] } },
  ])
})

test('a message is a reset if changes are no longer kept', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann)
  const restart = await stack.stop()
  await stack.sql.query(
    `insert into api.tags (name, user_id) values ('lost', (select user_id from auth.webhooks))`,
  )
  await stack.sql.query(`update private.changes set happened_at = now() - interval '2 hours'`)
  await stack.sql.query('select private.forget_changes(100000, 100000)')
  expect(await countOf('private.changes')).toBe(0)
  await restart()
  await expect.poll(() => sink.messages.map(({ body }) => body.type)).toEqual(['rows.reset'])
  const { id } = await tag(ann, 'next')
  await expect.poll(idsOf).toEqual([id])
})

test('a message is a reset not if only changes of others, or those that were sent, are no longer kept', async () => {
  const [ann, bob] = [await signedIn(stack, 'Ann'), await signedIn(stack, 'Bob')]
  await createWebhook(ann)
  const { id: sent } = await tag(ann, 'sent')
  await expect.poll(idsOf).toEqual([sent])
  await tag(bob, 'of another')
  await stack.sql.query(`update private.changes set happened_at = now() - interval '2 hours'`)
  await stack.sql.query('select private.forget_changes(100000, 100000)')
  expect(await countOf('private.changes')).toBe(0)
  const { id } = await tag(ann, 'one')
  await expect.poll(idsOf).toEqual([sent, id])
  expect(sink.messages.map(({ body }) => body.type)).toEqual(['rows.changed', 'rows.changed'])
})

describe('a message is a reset', () => {
  const moves: [name: string, sql: string][] = [
    [
      'after a failover, even if its context has lost no change that the database knows',
      `update auth.webhooks set seen_timeline = '00000000'`,
    ],
    ['after a restore by the operator’s command', `select private.end_restored_access('{}')`],
    [
      'if its cursor is a change that the database does not have',
      'update auth.webhooks set seen_change = gen_random_uuid()',
    ],
  ]
  test.each(moves)('a message is a reset %s', async (_, sql) => {
    const ann = await signedIn(stack, 'Ann')
    await createWebhook(ann)
    const restart = await stack.stop()
    await stack.sql.query(sql)
    await restart()
    await expect.poll(() => sink.messages.map(({ body }) => body.type)).toEqual(['rows.reset'])
    await stack.sql.query(
      `insert into api.tags (name, user_id) values ('next', (select user_id from auth.webhooks))`,
    )
    await expect.poll(() => sink.messages.map(({ body }) => body.type)).toEqual([
      'rows.reset',
      'rows.changed',
    ])
  })
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

test('an idle database writes nothing for webhooks', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann)
  const wroteNothing = async () => {
    const client = await stack.sql.connect()
    try {
      await client.query('begin')
      const { rows: [{ queued }] } = await client.query('select private.queue_webhooks() as queued')
      const { rows: [{ xid }] } = await client.query(
        'select pg_current_xact_id_if_assigned() as xid',
      )
      return [queued, xid]
    } finally {
      await client.query('rollback')
      client.release()
    }
  }
  await expect.poll(wroteNothing).toEqual(['0', null])
})

test('an event and a mail tell the user of a new webhook', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann, { name: 'Spy' })
  expect((await ann.get('/list-events')).body[0]).toMatchObject({
    kind: 'webhook_created',
    name: 'Spy',
  })
  await stack.mail.waitFor(ann.email, ({ subject }) => subject === 'A webhook was made')
})

test('metrics count delivered and failed messages, and webhooks that were turned off', async () => {
  const figures = async () => {
    const text = await (await fetch(`${stack.url}/metrics`)).text()
    return [
      'auth_webhooks_delivered_total',
      'auth_webhook_failures_total{reason="status"}',
      'auth_webhooks_disabled_total',
    ].map((name) =>
      Number(text.split('\n').find((line) => line.startsWith(`${name} `))?.split(' ')[1])
    )
  }
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann)
  const before = await figures()
  const since = async () => (await figures()).map((figure, index) => figure - before[index]!)
  await tag(ann, 'one')
  await expect.poll(since).toEqual([1, 0, 0])
  sink.answer = () => ({ status: 410 })
  await tag(ann, 'two')
  await expect.poll(since).toEqual([1, 1, 1])
})

test('the lag is the time for which a message or a change has waited, and 0 without a webhook that is on', async () => {
  const ann = await signedIn(stack, 'Ann')
  await createWebhook(ann)
  const lagInMetrics = async () =>
    /^auth_webhooks_lag_seconds (.*)$/m.exec(await (await fetch(`${stack.url}/metrics`)).text())
      ?.[1]
  await expect.poll(lagInMetrics).toBe('0')
  const restart = await stack.stop()
  const lag = async () =>
    Math.round(
      (await stack.sql.query<{ seconds: number }>('select private.webhook_lag() as seconds'))
        .rows[0]!.seconds / 60,
    )
  await stack.sql.query(
    `insert into api.tags (name, user_id) values ('one', (select user_id from auth.webhooks))`,
  )
  await stack.sql.query(`update private.changes set happened_at = now() - interval '20 minutes'`)
  expect(await lag()).toBe(20)
  await stack.sql.query(
    `insert into private.jobs (task, key, payload, created_at, run_at)
      select 'send_webhook', id, '{"type": "rows.reset", "changes": []}', now() - interval '2 hours', now() - interval '1 hour' from auth.webhooks`,
  )
  expect(await lag()).toBe(60)
  await stack.sql.query('update auth.webhooks set disabled_at = now()')
  expect(await lag()).toBe(0)
  await restart()
})

test('no log line has an address, a secret or an id of a row', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { secret } = await createWebhook(ann)
  sink.answer = () => ({ status: 500, body: 'the response' })
  const { id } = await tag(ann, 'one')
  await expect.poll(async () => (await listed(ann))[0].last_failure).toBe('status')
  const log = stack.logged.join('')
  expect(log).toContain('a webhook failed')
  for (
    const secretPart of [
      secret,
      's3cret-query',
      new URL(sink.url).port + '/hook',
      id,
      'the response',
    ]
  ) expect(log).not.toContain(secretPart)
})
