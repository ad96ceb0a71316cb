/** The calls of BACKUP_PING_URL: the runs that cause them, and a monitor that does not answer. */
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call, eventsOf, failureUrl, report } from '../../infra/docker/backups/ping.ts'

const now = 1_800_000_000
const success = (kind: string, at: number) => ({
  text: `# TYPE x gauge\nfinance_${kind}_last_success_timestamp_seconds ${at}\n`,
  changed: at,
})
const failure = (kind: string, value: number, changed: number) => ({
  text: `finance_${kind}_failed ${value}\n`,
  changed,
})
const eventsIn = (files: Record<string, { text: string, changed: number }>) =>
  eventsOf({ read: (path) => Promise.resolve(files[path]) }, now)

test('an event is each newest success and failure of a backup, a drill and an off-site copy', async () => {
  expect(
    await eventsIn({
      'backups/backup.prom': success('backup', now - 60),
      'backups/backup-failed.prom': failure('backup', 0, now - 60),
      'backups/drill.prom': success('drill', now - 3_600),
      'backups/drill-failed.prom': failure('drill', 1, now - 30),
      '/state/offsite.prom': success('backup_offsite', now - 60),
      '/state/backup_offsite-failed.prom': failure('backup_offsite', 1, now - 10),
    }),
  ).toEqual([
    { name: `backup ${now - 60}`, hasFailed: false },
    { name: `drill ${now - 3_600}`, hasFailed: false },
    { name: `backup_offsite ${now - 60}`, hasFailed: false },
    {
      name: `drill failed ${now - 30}, after ${now - 60} ${now - 3_600} ${now - 60}`,
      hasFailed: true,
    },
    {
      name: `backup_offsite failed ${now - 10}, after ${now - 60} ${now - 3_600} ${now - 60}`,
      hasFailed: true,
    },
  ])
})

test('an event of a failed drill is new after the next backup and after its copy, so that the last call is the one of a failure', async () => {
  const last = async (backup: number, copy: number) =>
    (await eventsIn({
      'backups/backup.prom': success('backup', backup),
      '/state/offsite.prom': success('backup_offsite', copy),
      'backups/drill-failed.prom': failure('drill', 1, now - 90_000),
    })).at(-1)
  const events = [
    await last(now - 60, now - 60),
    await last(now - 30, now - 60),
    await last(now - 30, now - 30),
  ]
  expect(events.map((event) => event?.hasFailed)).toEqual([true, true, true])
  expect(new Set(events.map((event) => event?.name)).size).toBe(3)
})

test('an event is no failed backup after a later one by hand', async () => {
  expect(
    await eventsIn({
      'backups/backup.prom': success('backup', now - 60),
      'backups/backup-failed.prom': failure('backup', 1, now - 90),
    }),
  )
    .toEqual([{ name: `backup ${now - 60}`, hasFailed: false }])
})

test('an event is no failed backup after a long one by hand, which began before the failure and ended after it', async () => {
  const byHand = { ...success('backup', now - 600), changed: now - 30 }
  expect(
    await eventsIn({
      'backups/backup.prom': byHand,
      'backups/backup-failed.prom': failure('backup', 1, now - 540),
    }),
  )
    .toEqual([{ name: `backup ${now - 600}`, hasFailed: false }])
})

test('an event of a failed drill stays one after a drill that a wrong clock has dated in the future', async () => {
  const events = await eventsIn({
    'backups/drill.prom': success('drill', now + 86_400),
    'backups/drill-failed.prom': failure('drill', 1, now - 30),
  })
  expect(events.at(-1)?.hasFailed).toBe(true)
})

test('an event of last week is none, nor is a run that never was', async () => {
  expect(
    await eventsIn({
      'backups/backup.prom': success('backup', now - 7 * 86_400),
      'backups/backup-failed.prom': failure('backup', 1, now - 7 * 86_400),
    }),
  )
    .toEqual([])
  expect(await eventsIn({})).toEqual([])
})

test('the URL of a failure ends with /fail, before the query', () => {
  expect(failureUrl('https://hc.example.org/ping/1')).toBe('https://hc.example.org/ping/1/fail')
  expect(failureUrl('https://hc.example.org/ping/1/?a=b')).toBe(
    'https://hc.example.org/ping/1/fail?a=b',
  )
})

describe('a monitor', () => {
  let monitor: Server
  let url: string
  let requested: string[]
  let status: number
  beforeEach(async () => {
    requested = []
    status = 200
    monitor = createServer((request, response) => {
      requested.push(`${request.method} ${request.url}`)
      response.writeHead(status).end()
    }).listen(0, '127.0.0.1')
    await once(monitor, 'listening')
    url = `http://127.0.0.1:${(monitor.address() as AddressInfo).port}/ping/secret`
  })
  afterEach(() => {
    monitor.close()
  })
  const [good, bad] = [{ name: 'backup 1', hasFailed: false }, {
    name: 'backup failed 1',
    hasFailed: true,
  }]

  test('a monitor is called for a success, and at /fail for a failure', async () => {
    expect([await call(url, good), await call(url, bad)]).toEqual([undefined, undefined])
    expect(requested).toEqual(['GET /ping/secret', 'GET /ping/secret/fail'])
  })

  test('a monitor without /fail is no problem', async () => {
    status = 404
    expect(await call(url, bad)).toBeUndefined()
    expect(await call(url, good)).toBe('status 404')
  })

  test('a monitor that is down is named by its error, without its URL', async () => {
    monitor.close()
    await once(monitor, 'close')
    expect(await call(url, good)).toBe('ECONNREFUSED')
  })

  test('a monitor at another address or in trouble is not followed, and named by its status', async () => {
    for (status of [302, 500]) expect(await call(url, good)).toBe(`status ${status}`)
  })

  describe('is told', () => {
    let state: string
    beforeEach(async () => {
      state = await mkdtemp(join(tmpdir(), 'state-'))
    })
    afterEach(() => rm(state, { recursive: true, force: true }))
    const files = () => ({
      state,
      read: (path: string) =>
        Promise.resolve(path === 'backups/backup.prom' ? success('backup', now - 60) : undefined),
    })
    const metric = async () => (await readFile(join(state, 'ping.prom'), 'utf8')).split('\n').at(-2)

    test('each event once, and again only if it did not take it', async () => {
      const sent = new Set<string>()
      status = 500
      expect([await report(url, files(), sent, now), await metric()]).toEqual([
        'status 500',
        'finance_backup_ping_failed 1',
      ])
      status = 200
      for (let round = 0; round < 2; round++)
        expect([await report(url, files(), sent, now), await metric()]).toEqual([
          undefined,
          'finance_backup_ping_failed 0',
        ])
      expect(requested).toHaveLength(2)
    })

    test('a monitor is told of the end of a failure by a copy that succeeds again without a new backup', async () => {
      const sent = new Set<string>()
      const copies = (hasFailed: 0 | 1, changed: number) => ({
        state,
        read: (path: string) =>
          Promise.resolve(
            {
              '/state/offsite.prom': success('backup_offsite', now - 60),
              '/state/backup_offsite-failed.prom': failure('backup_offsite', hasFailed, changed),
            }[path],
          ),
      })
      for (
        const [hasFailed, changed] of [[0, now - 60], [1, now - 30], [1, now - 30], [0, now - 10], [
          0,
          now - 10,
        ]] as const
      )
        await report(url, copies(hasFailed, changed), sent, now)
      expect(requested.map((one) => /fail/.test(one))).toEqual([false, true, false])
    })

    test('a monitor is told also while nothing can be stored, which the log says', async () => {
      const sent = new Set<string>()
      await rm(state, { recursive: true })
      for (let round = 0; round < 2; round++)
        expect(await report(url, files(), sent, now)).toBe('its state cannot be stored (ENOENT)')
      expect(requested).toHaveLength(1)
    })

    test.each([
      'ping.example.org/secret',
      'ping.example.org:443/secret',
      'https://ann:secret@ping.example.org',
    ])(
      'never by %s, and the metric shows it before the first backup',
      async (text) => {
        const problem = await report(
          text,
          { ...files(), read: () => Promise.resolve(undefined) },
          new Set(),
          now,
        )
        expect(problem).toBe(
          'it must be a URL that begins with https:// or http:// and has no user name',
        )
        expect(await metric()).toBe('finance_backup_ping_failed 1')
      },
    )
  })
})
