/**
 * realtime/ as a process of its own, beside an auth service that does not serve it, behind an edge
 * that knows both.
 */
import { expect, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { openLive } from '../support/live.ts'
import { cookieOf, signedIn } from '../support/person.ts'
import { serviceProcess } from '../support/service-process.ts'
import { startStack } from '../support/stack.ts'
import { webhookSink } from '../support/webhook-sink.ts'
import { startEdgeProcess } from './process.ts'

test('a user gets events, webhooks and a calendar from realtime/ as a process of its own', async () => {
  const readyPort = await freePort()
  await using stack = await startStack({
    data: true,
    env: { AUTH_SERVES_REALTIME: 'false', TRUSTED_PROXIES: '127.0.0.1' },
    dataEnv: { PGRST_ADMIN_SERVER_PORT: String(readyPort) },
  })
  await using sink = await webhookSink()
  // with the settings that docs/settings.md names for it
  await using realtime = await serviceProcess('tests/support/realtime-worker.ts', stack, {
    NODE_ENV: 'production',
    TRUSTED_PROXIES: '127.0.0.1',
  })
  await realtime.start()
  await using edge = await startEdgeProcess({
    AUTH_UPSTREAM: stack.url,
    REALTIME_UPSTREAM: realtime.url,
    POSTGREST_UPSTREAM: stack.dataUrl,
    POSTGREST_READY_PORT: String(readyPort),
    TRUSTED_PROXIES: '127.0.0.1',
  })
  const ann = await signedIn({ ...stack, url: edge.url }, 'Ann')
  const headers = {
    authorization: `Bearer ${await ann.token()}`,
    'content-type': 'application/json',
  }
  const { body: key } = await ann.post('/api-key/create', { name: 'Report', expiresInDays: 1 })

  // by the cookie, by a token of the data surface, and by an API key
  const credentials = [{ cookie: cookieOf(ann) }, { authorization: headers.authorization }, {
    authorization: `Bearer ${key.key}`,
  }]
  const streams = await Promise.all(credentials.map((one) => openLive(edge.url, one)))
  for (const stream of streams) await stream.next('ready')
  expect(
    await ann.post('/webhook/create', {
      name: 'Sheet',
      url: sink.url,
      password: 'not the password',
    }),
  ).toMatchObject({ status: 400 })
  expect(await ann.post('/webhook/create', { name: 'Sheet', url: sink.url })).toMatchObject({
    status: 200,
  })
  const created = await fetch(`${edge.url}/data/subscriptions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ title: 'Rent', amount: 900, period: 'monthly', currency: 'eur' }),
  })
  expect(created.status).toBe(201)
  const changeId = created.headers.get('x-change-id')
  for (const stream of streams)
    expect(await stream.next('change')).toMatchObject({ data: { change_id: changeId } })
  await expect.poll(() => sink.changes().map(({ table }) => table)).toContain('subscriptions')

  const { body: { url } } = await ann.post('/calendar/create', { name: 'What is due' })
  const calendar = await fetch(`${edge.url}${new URL(url).pathname}`)
  expect([calendar.status, calendar.headers.get('content-type')]).toEqual([
    200,
    'text/calendar; charset=utf-8',
  ])
  expect(await calendar.text()).toContain('SUMMARY:Rent')

  const metrics = await (await fetch(`${realtime.url}/metrics`)).text()
  expect(metrics).toMatch(/^auth_streams 3$/m)
  expect(metrics).toMatch(/^auth_webhooks_delivered_total [1-9]/m)
  expect(await (await fetch(`${edge.adminUrl}/metrics`)).text()).toMatch(
    /^edge_upstreams\{surface="realtime",state="ready"\} 1/m,
  )

  // Each process serves its own routes only.
  for (const path of ['/changes', '/webhook/list', '/calendar/list']) {
    expect(
      (await fetch(`${stack.url}/api/auth${path}`, { headers: { cookie: cookieOf(ann) } })).status,
    ).toBe(404)
  }
  expect(
    (await fetch(`${realtime.url}/api/auth/get-session`, { headers: { cookie: cookieOf(ann) } }))
      .status,
  ).toBe(404)
  expect((await ann.post('/sign-out')).status).toBe(200)
  for (const stream of streams.slice(0, 2))
    expect(await stream.next('end')).toMatchObject({ data: { reason: 'ended' } })
  expect((await ann.get('/webhook/list')).status).toBe(401)
  expect(await realtime.stop()).toBe(0)
})
