/**
 * Reads on a hot standby: PostgreSQL 15 of Debian as primary and standby, a PostgREST for each, and
 * the edge. The edge sends reads to the standby and all else to the primary. The listener of
 * PostgREST 12.0.2 cannot run on a standby, so it is switched off there, and a signal triggers the
 * reload. Needs root to run PostgreSQL as its own user.
 */
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import type { Child } from '../../start/child-process.ts'
import { postgrestConnection } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgrest } from '../../start/postgrest.ts'
import { connection, execute, passwords } from '../support/database.ts'
import { startEdgeProcess } from '../edge/process.ts'
import { operator } from '../support/operator.ts'
import { person, signedIn, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { run } from './deployment.ts'

const programs = '/usr/lib/postgresql/15/bin'
const patience = { timeout: 30_000, interval: 100 }
const asPostgres = (...command: string[]) => run('runuser', ['-u', 'postgres', '--', ...command])

describe.skipIf(!existsSync(`${programs}/initdb`) || process.getuid?.() !== 0)(
  'a primary and a hot standby',
  () => {
    const resources = new AsyncDisposableStack()
    let stack: Stack
    let replica: Child
    /** The owner's connection to the standby. */
    let standby: pg.Client
    let edge: string
    /** PostgREST on the standby itself, which only this test uses. */
    let replicaUrl: string
    let ann: Person
    let token: string

    const ask = async (
      path: string,
      init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
      bearer = token,
      url = `${edge}/data`,
    ) => {
      const response = await fetch(url + path, {
        ...init,
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          ...init.headers,
        },
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? null : JSON.parse(text) }
    }
    const store = async (name: string) => {
      const { status, body } = await ask('/transactions', {
        method: 'POST',
        headers: { prefer: 'return=representation' },
        body: JSON.stringify({ name, amount: -1 }),
      })
      expect(status).toBe(201)
      return body[0].id as string
    }
    const latest = { headers: { 'cache-control': 'no-cache' } }
    /** Pauses replay on the standby while the function runs, so that the standby lags. */
    const lagging = async (work: () => Promise<void>) => {
      await standby.query('select pg_wal_replay_pause()')
      await expect.poll(
        async () =>
          (await standby.query('select pg_get_wal_replay_pause_state() as state')).rows[0].state,
        patience,
      ).toBe('paused')
      try {
        await work()
      } finally {
        await standby.query('select pg_wal_replay_resume()')
      }
    }

    beforeAll(async () => {
      const directory = await mkdtemp(join(tmpdir(), 'finance-standby-'))
      resources.defer(() => rm(directory, { recursive: true, force: true }))
      await chmod(directory, 0o755)
      await mkdir(join(directory, 'servers'))
      await run('chown', ['postgres:', join(directory, 'servers')])
      await writeFile(join(directory, 'password'), 'owner-of-the-tests\n', { mode: 0o644 })
      const serve = async (name: string) => {
        const port = await freePort()
        const data = join(directory, 'servers', name)
        const options =
          `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`
        await asPostgres(
          `${programs}/pg_ctl`,
          '-D',
          data,
          '-w',
          '-l',
          `${data}.log`,
          '-o',
          options,
          'start',
        )
        resources.defer(async () =>
          void await asPostgres(`${programs}/pg_ctl`, '-D', data, '-m', 'immediate', 'stop')
        )
        return `postgresql://postgres:owner-of-the-tests@127.0.0.1:${port}/postgres`
      }
      const primary = join(directory, 'servers/primary')
      await asPostgres(
        `${programs}/initdb`,
        '-D',
        primary,
        '--auth=scram-sha-256',
        `--pwfile=${join(directory, 'password')}`,
        '--encoding=UTF8',
        '--locale=C.UTF-8',
      )
      const primaryUrl = await serve('primary')
      await asPostgres(
        `${programs}/pg_basebackup`,
        '-d',
        primaryUrl,
        '-D',
        join(directory, 'servers/standby'),
        '--write-recovery-conf',
        '--checkpoint=fast',
      )
      const standbyUrl = await serve('standby')

      await execute(primaryUrl, 'create database migrated')
      await migrate({
        databaseUrl: connection(primaryUrl, { database: 'migrated' }),
        publicUrl: 'http://localhost:3000',
        authServicePassword: passwords.authService,
        authenticatorPassword: passwords.authenticator,
      })
      const admin = await freePort()
      stack = resources.use(
        await startStack({
          serverUrl: primaryUrl,
          template: 'migrated',
          data: true,
          dataEnv: { PGRST_ADMIN_SERVER_PORT: String(admin) },
          prepare: async (owner) => {
            await owner.query(`
            create function api.on_standby() returns boolean language sql stable return pg_is_in_recovery();
            create function api.slow() returns boolean language sql volatile begin atomic select pg_sleep(1); select true; end;
            grant execute on function api.on_standby(), api.slow() to authenticated`)
          },
        }),
      )
      const database = new URL(stack.ownerUrl).pathname.slice(1)
      standby = new pg.Client({ connectionString: connection(standbyUrl, { database }) })
      await vi.waitFor(
        () => execute(connection(standbyUrl, { database }), 'select from api.transactions'),
        patience,
      )
      await standby.connect()
      // Stopping the server also stops this process.
      standby.on('error', () => undefined)
      resources.defer(() => standby.end().catch(() => undefined))

      const [port, replicaAdmin] = [await freePort(), await freePort()]
      replicaUrl = `http://127.0.0.1:${port}`
      replica = await startPostgrest({
        host: '127.0.0.1',
        port,
        env: {
          ...postgrestConnection(connection(standbyUrl, { database }), passwords.authenticator),
          PGRST_DB_CHANNEL_ENABLED: 'false',
          PGRST_ADMIN_SERVER_PORT: String(replicaAdmin),
        },
        log: () => undefined,
      })
      resources.defer(() => replica.stop().then(() => undefined))

      edge = resources.use(
        await startEdgeProcess({
          AUTH_UPSTREAM: stack.url,
          POSTGREST_UPSTREAM: stack.dataUrl,
          POSTGREST_READY_PORT: String(admin),
          DATA_REPLICAS: replicaUrl,
          DATA_REPLICAS_READY_PORT: String(replicaAdmin),
        }),
      ).url
      ann = await signedIn(stack, 'Ann')
      token = await ann.token()
      await vi.waitFor(async () => expect((await ask('/rpc/on_standby')).body).toBe(true), patience)
    })
    afterAll(() => resources.disposeAsync())

    test('the standby serves reads, and the primary serves all else', async () => {
      expect((await ask('/rpc/on_standby')).body).toBe(true)
      expect(
        (await fetch(`${edge}/data/rpc/on_standby`, {
          method: 'HEAD',
          headers: { authorization: `Bearer ${token}` },
        })).status,
      ).toBe(200)
      expect((await ask('/rpc/on_standby', { method: 'POST', body: '{}' })).body).toBe(false)
      const id = await store('Bread')
      const started = performance.now()
      await expect.poll(
        async () => (await ask(`/transactions?id=eq.${id}`, {}, token, replicaUrl)).body,
        { ...patience, interval: 2 },
      ).toHaveLength(1)
      process.stdout.write(
        `  a row was on the standby ${
          Math.round(performance.now() - started)
        } ms after it was acknowledged\n`,
      )
      expect((await ask(`/transactions?id=eq.${id}`, { method: 'DELETE' })).status).toBe(204)
    })

    test('sixteen slow reads of a user at once wait for the share of the connections at the standby, and all are served', async () => {
      const statuses = await Promise.all(
        Array.from({ length: 16 }, () => ask('/rpc/slow').then(({ status }) => status)),
      )
      expect(new Set(statuses)).toEqual(new Set([200]))
    })

    describe('while the standby lags', () => {
      test('a list is old, and current with Cache-Control: no-cache, and a single new row is found', () =>
        lagging(async () => {
          const id = await store('Written a moment ago')
          expect((await ask(`/transactions?id=eq.${id}`)).body).toEqual([])
          expect((await ask(`/transactions?id=eq.${id}`, latest)).body).toHaveLength(1)
          expect(
            (await ask(`/transactions?id=eq.${id}`, {
              headers: { 'cache-control': 'max-age=0, No-Cache' },
            })).body,
          ).toHaveLength(1)
          const one = await ask(`/transactions?id=eq.${id}`, {
            headers: { accept: 'application/vnd.pgrst.object+json' },
          })
          expect(one).toMatchObject({ status: 200, body: { id } })
        }))

      test('a user who signs in has access at once', () =>
        lagging(async () => {
          const again = person(stack, 'Ann', ann.email)
          await again.signIn()
          const fresh = await again.token()
          expect((await ask('/transactions', {}, fresh, replicaUrl)).status).toBe(401)
          expect((await ask('/transactions', {}, fresh)).status).toBe(200)
        }))

      test('a user who signs out is refused writes at once, and reads as soon as the standby has caught up', async () => {
        const other = person(stack, 'Ann', ann.email)
        await other.signIn()
        const othersToken = await other.token()
        await expect.poll(
          async () => (await ask('/transactions', {}, othersToken, replicaUrl)).status,
          patience,
        ).toBe(200)
        await lagging(async () => {
          await other.post('/sign-out')
          expect(
            (await ask('/tags', { method: 'POST', body: '{"name":"late"}' }, othersToken)).status,
          ).toBe(401)
          expect((await ask('/transactions', {}, othersToken)).status).toBe(200)
        })
        await expect.poll(
          async () => (await ask('/transactions', {}, othersToken)).status,
          patience,
        ).toBe(401)
      })

      test('for more than twenty seconds, it serves no reads, and the primary serves them instead', async () => {
        const other = person(stack, 'Ann', ann.email)
        await other.signIn()
        const othersToken = await other.token()
        await lagging(async () => {
          await other.post('/sign-out')
          await expect.poll(
            async () => (await ask('/transactions', {}, othersToken, replicaUrl)).status,
            { ...patience, timeout: 60_000 },
          ).toBe(503)
          expect((await ask('/transactions', {}, othersToken)).status).toBe(401)
          expect((await ask('/rpc/on_standby')).body).toBe(false)
        })
        await expect.poll(async () => (await ask('/rpc/on_standby')).body, patience).toBe(true)
        // No other writes happen, and the heartbeats continue.
        const position = async () =>
          (await stack.sql.query('select pg_current_wal_insert_lsn() as position')).rows[0].position
        const before = await position()
        await expect.poll(position, patience).not.toBe(before)
      })

      test('and has caught up, the primary refuses a token that the standby refuses', async () => {
        expect((await ask('/transactions', {}, `${token}x`)).status).toBe(401)
      })
    })

    test('a key is rotated without a wait for PostgREST on the standby, and no request is refused', async () => {
      // The setup of PostgREST from 12.2: its pool is on the standby and its listener on the
      // primary.
      const listener = new pg.Client({
        connectionString: connection(stack.ownerUrl, {
          user: 'authenticator',
          password: passwords.authenticator,
        }),
        application_name: 'postgrest-standby',
      })
      await listener.connect()
      await listener.query('listen "pgrst"')
      let notifications = 0
      listener.on('notification', () => {
        notifications++
      })
      const load = { running: true }
      const statuses: number[] = []
      const reading = (async () => {
        while (load.running) {
          statuses.push((await ask('/transactions?limit=1', {}, await ann.token())).status)
          await sleep(20)
        }
      })()
      const started = performance.now()
      expect(await operator(stack.ownerUrl, 'keys', 'rotate')).toMatchObject({
        code: 0,
        text: expect.stringContaining('signs now'),
      })
      process.stdout.write(`  rotated in ${Math.round(performance.now() - started)} ms\n`)
      const byNewKey = await ann.token()
      // This one has no listener, so the primary serves reads with tokens of the new key.
      expect((await ask('/transactions', {}, byNewKey, replicaUrl)).status).toBe(401)
      expect(await ask('/rpc/on_standby', {}, byNewKey)).toEqual({ status: 200, body: false })
      // Listeners are notified again, because the standby may not have had the change at the first
      // notification.
      const before = notifications
      await expect.poll(() => notifications, patience).toBeGreaterThan(before + 1)
      load.running = false
      await reading
      await listener.end()
      process.stdout.write(`  ${statuses.length} reads meanwhile\n`)
      expect(new Set(statuses)).toEqual(new Set([200]))
      replica.process.kill('SIGUSR2')
      await expect.poll(async () => (await ask('/rpc/on_standby', {}, byNewKey)).body, patience)
        .toBe(true)
    })

    test('without a standby, the primary serves reads', async () => {
      await replica.stop()
      const answers = await Promise.all(Array.from({ length: 6 }, () => ask('/rpc/on_standby')))
      expect(answers).toEqual(answers.map(() => ({ status: 200, body: false })))
      expect(await ask('/rpc/on_standby', {}, `${token}x`)).toMatchObject({ status: 401 })
    })
  },
)
