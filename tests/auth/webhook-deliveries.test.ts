/**
 * Deliveries of webhooks: each change once, receivers that fail, resets, and what the operator sees
 * of them.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { delayAfter } from '../../realtime/webhooks/dispatcher.ts'
import { localReceivers } from '../../realtime/webhooks/sender.ts'
import { signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { webhookSink, type WebhookSink } from '../support/webhook-sink.ts'
import {
  countIn,
  createWebhookTo,
  listed,
  messages,
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

const createWebhook = (user: Person, options?: Options) => createWebhookTo(sink, user, options)
const countOf = (table: string) => countIn(stack, table)
const tag = (user: Person, name: string, more = {}) =>
  storeRow(stack, user, 'tags', { name, ...more })
const idsOf = () => sink.changes().flatMap(({ ids }) => ids ?? [])
/** Makes the next attempt due, as if its time had come, once the running one has ended. */
const now = () =>
  expect.poll(async () =>
    (await stack.sql.query(
      `update private.jobs set run_at = now() where task = 'send_webhook' and leased_until is null and started_at is not null`,
    )).rowCount
  ).toBe(1)

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
    expect(mail.text).not.toMatch(/127\.0\.0\.1|If this wasn’t you/)
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
