/** The daily download of the European Central Bank's rates, from a server of the test. */
import type { ServerResponse } from 'node:http'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startRateDownloads } from '../../rates/download.ts'
import { createLog } from '../../common/log.ts'
import { connection, freshDatabase, passwords } from '../support/database.ts'
import { signedIn } from '../support/person.ts'
import { rateFile, rateServer } from '../support/rate-server.ts'
import { startStack } from '../support/stack.ts'

let database: Awaited<ReturnType<typeof freshDatabase>>
let owner: pg.Pool
let pool: pg.Pool
beforeAll(async () => {
  database = await freshDatabase()
  owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 })
  pool = new pg.Pool({
    connectionString: connection(database.ownerUrl, {
      user: 'auth_service',
      password: passwords.authService,
    }),
    max: 4,
  })
})
afterAll(async () => {
  await pool.end()
  await owner.end()
  await database.drop()
})
beforeEach(async () => {
  await owner.query(`delete from private.instance_rates`)
  await owner.query(`delete from private.jobs`)
})

/**
 * Starts the downloads with short pauses. @returns the log lines, and a function that stops them
 */
async function downloads(url: string): Promise<{ logged: string[], stop: () => Promise<void> }> {
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const stop = await startRateDownloads(pool, url, log, 10)
  onTestFinished(stop)
  return { logged, stop }
}
const stored = async () =>
  (await owner.query<{ rate: string }>(
    `select currency || ' ' || on_date || ' ' || rate::float8 as rate from private.instance_rates order by 1`,
  )).rows.map(({ rate }) => rate)
const state = async () =>
  (await owner.query<{ failures: number, minutes: number, hour: string }>(
    `select failures, round(extract(epoch from run_at - now()) / 60)::integer as minutes, to_char(run_at at time zone 'Europe/Berlin', 'HH24:MI') as hour
      from private.jobs where leased_until is null`,
  )).rows[0]
const dueNow = () => owner.query('update private.jobs set run_at = now()')

test('with EXCHANGE_RATES_URL a user converts at rates that nobody typed, and sees from when they are', async () => {
  const day = new Date().toISOString().slice(0, 10)
  await using server = await rateServer(
    rateFile({ [day]: { USD: '1.25', XXX: '3', BGN: '1.9558' } }),
  )
  await using stack = await startStack({ data: true, env: { EXCHANGE_RATES_URL: server.url } })
  const ann = await signedIn(stack, 'Ann')
  const data = async (path: string, body?: unknown) => {
    const response = await fetch(`${stack.dataUrl}${path}`, {
      headers: { authorization: `Bearer ${await ann.token()}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    return response.json()
  }
  await fetch(`${stack.dataUrl}/transactions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await ann.token()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x', amount: 100, currency: 'eur', booked_on: day }),
  })
  await expect.poll(() => data('/rpc/get_instance_rates')).toEqual([
    { base: 'eur', quote: 'bgn', rate: 1.9558, published_on: day },
    { base: 'eur', quote: 'usd', rate: 1.25, published_on: day },
  ])
  expect(await data('/rpc/get_transaction_stat', { p_convert_to: 'usd' })).toBe(125)
  expect(server.requests()).toBe(1)
})

test('a download is repeated on the next day at 17:00 in Frankfurt, once for all processes, and stores corrections and new days only', async () => {
  await using server = await rateServer(rateFile({ '2026-01-05': { USD: '1.1', GBP: '0.8' } }))
  const all = await Promise.all([
    downloads(server.url),
    downloads(server.url),
    downloads(server.url),
  ])
  await expect.poll(stored).toEqual(['gbp 2026-01-05 0.8', 'usd 2026-01-05 1.1'])
  await expect.poll(state).toMatchObject({ failures: 0, hour: '17:00' })
  expect((await state())?.minutes).toBeLessThanOrEqual(25 * 60)
  expect((await state())?.minutes).toBeGreaterThanOrEqual(0)
  expect(server.requests()).toBe(1)
  server.content = rateFile({
    '2026-01-06': { USD: '1.2' },
    '2026-01-05': { USD: '1.11', GBP: '0.8' },
  })
  await dueNow()
  await expect.poll(stored).toEqual([
    'gbp 2026-01-05 0.8',
    'usd 2026-01-05 1.11',
    'usd 2026-01-06 1.2',
  ])
  expect(server.requests()).toBe(2)
  await expect.poll(() =>
    all.flatMap(({ logged }) => logged).map((line) =>
      (JSON.parse(line) as { changed: number }).changed
    )
  ).toEqual([2, 2])
})

test('a wrong file or a server that fails stores nothing, is logged without a text of it, and is tried again later and later', async () => {
  await using server = await rateServer(
    rateFile({ '2026-01-05': { USD: '1.1' } }).replace(
      '</Cube>\n\t</Cube>',
      '</Cube><secret/>\n\t</Cube>',
    ),
  )
  const { logged } = await downloads(server.url)
  const failures = async () => (await state())?.failures
  await expect.poll(failures).toBe(1)
  expect(await state()).toMatchObject({ minutes: 5 })
  for (
    const [index, content] of [
      (response: ServerResponse) => void response.writeHead(500).end('secret'),
      (response: ServerResponse) =>
        void response.writeHead(302, { location: 'https://secret.example.org/' }).end(),
      (response: ServerResponse) => void response.destroy(),
      (response: ServerResponse) => void response.end(Buffer.alloc(25 * 1_048_576, ' ')),
      (response: ServerResponse) => void response.end(Buffer.from([0xff, 0xfe])),
    ].entries()
  ) {
    server.content = content
    await dueNow()
    await expect.poll(failures).toBe(index + 2)
    expect(await state()).toMatchObject({ minutes: Math.min(360, 5 * 2 ** (index + 1)) })
  }
  expect(await stored()).toEqual([])
  expect(logged).toHaveLength(6)
  expect(logged[0]).toContain('line 10 of the rates: the file does not end here')
  expect(logged[1]).toContain('responded with 500')
  expect(logged.join('')).not.toContain('secret')
  server.content = rateFile({ '2026-01-05': { USD: '1.1' } })
  await dueNow()
  await expect.poll(stored).toEqual(['usd 2026-01-05 1.1'])
  await expect.poll(failures).toBe(0)
})

test('a stop ends a download that hangs, stores nothing, and leaves the download to the next process', async () => {
  await using server = await rateServer((response) => void response.write('<'))
  const { stop, logged } = await downloads(server.url)
  await expect.poll(() => server.requests()).toBe(1)
  await stop()
  expect(logged).toEqual([])
  expect(await state()).toMatchObject({ failures: 0, minutes: 0 })
})

test('another URL is downloaded at once', async () => {
  await using one = await rateServer(rateFile({ '2026-01-05': { USD: '1.1' } }))
  await using other = await rateServer(rateFile({ '2020-01-03': { USD: '1.2' } }))
  const first = await downloads(one.url)
  await expect.poll(stored).toEqual(['usd 2026-01-05 1.1'])
  await first.stop()
  await downloads(other.url)
  await expect.poll(stored).toEqual(['usd 2020-01-03 1.2', 'usd 2026-01-05 1.1'])
})

test('the auth service can store no rate but by its function, and none of next week', async () => {
  await expect(pool.query(`insert into private.instance_rates values ('usd', '2026-01-05', 1)`))
    .rejects.toThrow('permission denied')
  await expect(pool.query('select from private.instance_rates')).rejects.toThrow(
    'permission denied',
  )
  await expect(
    pool.query(`select private.store_instance_rates(array[current_date + 7], '{usd}', '{1}')`),
  ).rejects.toThrow('not between 1999 and tomorrow')
  await expect(
    pool.query(`select private.store_instance_rates(array[current_date], '{usd}', '{0}')`),
  ).rejects.toThrow('instance_rates_rate_is_positive')
})
