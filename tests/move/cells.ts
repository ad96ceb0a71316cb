/** Databases on servers of their own, each with PostgREST and realtime, and a team to move. */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { symmetricEncrypt } from 'better-auth/crypto'
import pg from 'pg'
import { expect, vi } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import { authDatabaseUrl, postgrestConnection } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgres } from '../../start/postgres.ts'
import { startPostgrest } from '../../start/postgrest.ts'
import { caller } from '../support/data.ts'
import { connection, execute, passwords, publicUrl, secret } from '../support/database.ts'
import { program } from '../support/postgrest-versions.ts'
import { models } from '../support/tables.ts'

export type Cell = AsyncDisposable & {
  /** The owner's URL. */
  url: string
  /** Connections of the owner. */
  sql: pg.Pool
  dataUrl: string
  realtimeUrl: string
}

/** Starts realtime as a process. @returns its URL */
async function startRealtime(url: string, stops: AsyncDisposableStack): Promise<string> {
  const port = await freePort()
  const child = spawn(process.execPath, [
    fileURLToPath(new URL('../support/realtime-worker.ts', import.meta.url)),
  ], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      PUBLIC_URL: publicUrl,
      PORT: String(port),
      AUTH_DATABASE_URL: authDatabaseUrl(url, passwords.authService),
      BETTER_AUTH_SECRET: secret,
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  stops.defer(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return `http://127.0.0.1:${port}`
}

/** Starts a server with a migrated database, and the services. */
export async function startCell(settings: Record<string, string> = {}): Promise<Cell> {
  await using starting = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'finance-cell-'))
  starting.defer(() => rm(directory, { recursive: true, force: true }))
  const server = await startPostgres({
    directory,
    password: 'owner-of-the-tests',
    settings: { fsync: 'off', full_page_writes: 'off', ...settings },
  })
  starting.defer(() => server.stop())
  await execute(server.url, 'create database finance')
  const url = connection(server.url, { database: 'finance' })
  await migrate({
    databaseUrl: url,
    publicUrl,
    authServicePassword: passwords.authService,
    authenticatorPassword: passwords.authenticator,
  })
  const sql = new pg.Pool({ connectionString: url, max: 5 })
  // the end of the server closes these connections
  sql.on('error', () => undefined)
  sql.on('connect', (client) => client.on('error', () => undefined))
  starting.defer(() => sql.end())
  const port = await freePort()
  const postgrest = await startPostgrest({
    program,
    host: '127.0.0.1',
    port,
    env: postgrestConnection(url, passwords.authenticator),
    log: () => undefined,
  })
  starting.defer(() => postgrest.stop().then(() => undefined))
  const realtimeUrl = await startRealtime(url, starting)
  await vi.waitFor(async () => {
    expect((await fetch(`${realtimeUrl}/livez`)).status).toBe(200)
  }, { timeout: 120_000, interval: 100 })
  const all = starting.move()
  return {
    url,
    sql,
    dataUrl: `http://127.0.0.1:${port}`,
    realtimeUrl,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Gives both cells the signing keys of the source, as an operator who prepares a cell. */
export async function shareKeys(source: Cell, target: Cell): Promise<void> {
  const sealed = await symmetricEncrypt({ key: secret, data: 'a key of the tests' })
  await source.sql.query('update auth.jwks set private_key = $1', [JSON.stringify(sealed)])
  const { rows } = await source.sql.query('select * from auth.jwks')
  await target.sql.query(
    'insert into auth.jwks select * from json_populate_recordset(null::auth.jwks, $1)',
    [JSON.stringify(rows)],
  )
}

/** A response of the data surface. */
export type Answer = { status: number, code: string | undefined, body: any }

/** Sends a request to the data surface of a cell. */
export async function send(
  { dataUrl }: Cell,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${dataUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const parsed = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, code: parsed?.code, body: parsed }
}

/** Stores a row in every table that a team can write, 500 transactions, an import and a file. */
export async function furnish(cell: Cell, token: string, organization: string): Promise<void> {
  const team = caller(cell.dataUrl, () => Promise.resolve(token))
  for (const [table, { sample }] of Object.entries(models)) {
    if (sample === undefined) continue
    const row = await team.create(table, await sample.row(team, {}))
    if (table !== 'transaction_tags')
      await team.patch(`/${table}?${sample.where(row)}`, await sample.change(team, {}))
  }
  const bought = await team.create(
    'transactions',
    Array.from({ length: 500 }, (_, n) => ({ name: `Bought ${n}`, amount: -n - 1 })),
  )
  const account = await team.create('accounts', { name: 'Giro', type: 'checking' })
  for (const name of ['Salary', 'Salary of January']) {
    const imported = await team.post('/rpc/import_transactions', {
      p_source: 'bank',
      p_account_id: account.id,
      p_dry_run: false,
      p_balance: '100',
      p_balance_on: '2026-01-31',
      p_rows: ['1', '2', '3'].map((day) => ({
        external_id: day,
        name,
        amount: `${day}00`,
        transaction_date: `2026-01-0${day}`,
      })),
    })
    expect(imported.status, imported.text).toBe(200)
  }
  // the import's private tables: a user's edit, and a deleted row
  expect(await team.patch('/transactions?external_id=eq.1', { name: 'Wages' })).toMatchObject({
    status: 204,
  })
  expect(await team.delete('/transactions?external_id=eq.2')).toMatchObject({ status: 204 })
  await cell.sql.query(
    `with a as (
      insert into api.attachments (transaction_id, organization_id, tenant, name, size, sha256, status, content_type)
        values ($1, $2, 'o:' || $2::text, 'receipt.txt', 5, repeat('a', 64), 'ready', 'text/plain') returning id, tenant
    ), f as (
      insert into private.files (attachment_id, organization_id, tenant, size, stored_at)
        select id, $2, tenant, 5, now() from a returning id, tenant
    ) insert into private.file_chunks (file_id, number, bytes, tenant) select id, 0, 'hello', tenant from f`,
    [bought[2].id, organization],
  )
}

/** A request of a writer, which it repeats at the other cell after a refusal. */
type Write = {
  method: string
  path: string
  body?: object
  apply: (rows: Map<string, number>) => void
}

/** The writes of a team, and what must be stored after them. */
export type Writer = {
  /** The amounts of the rows that must be there, by id. */
  rows: Map<string, number>
  /** The ids of all rows that an acknowledged write has touched. */
  touched: Set<string>
  acknowledged: number
  /** Times of acknowledgements, in milliseconds. */
  times: number[]
  refusals: Answer[]
  /** The cell that takes the writes now. */
  cell: Cell
  /** The time from the last acknowledgement of one cell to the first of the other, in milliseconds. */
  switchedMs: number
  stop: () => Promise<void>
}

/** Returns the next write: mostly a creation, sometimes a change or a deletion of an earlier row. */
function nextWrite(number: number, rows: Map<string, number>): [id: string, write: Write] {
  const amount = -(number % 97) - 1
  const ids = [...rows.keys()]
  const old = ids[number * 7 % Math.max(1, ids.length)]
  if (old === undefined || number % 4 !== 3) {
    const id = randomUUID()
    return [id, {
      method: 'POST',
      path: '/transactions',
      body: { id, name: `Row ${number}`, amount, currency: 'eur' },
      apply: (all) => all.set(id, amount),
    }]
  }
  const path = `/transactions?id=eq.${old}`
  return [
    old,
    number % 8 === 3
      ? { method: 'DELETE', path, apply: (all) => all.delete(old) }
      : { method: 'PATCH', path, body: { amount }, apply: (all) => all.set(old, amount) },
  ]
}

/**
 * Writes again and again. @param pauseMs the time from one write to the next
 * @param other the cell that it uses after a refusal
 */
export function startWriter(cell: Cell, token: string, pauseMs: number, other?: Cell): Writer {
  const writer: Writer = {
    rows: new Map(),
    touched: new Set(),
    acknowledged: 0,
    times: [],
    refusals: [],
    cell,
    switchedMs: 0,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
  const stopping = new AbortController()
  let last = cell
  const write = async (number: number) => {
    const [id, { method, path, body, apply }] = nextWrite(number, writer.rows)
    while (true) {
      const answer = await send(writer.cell, token, method, path, body)
      if (answer.status < 300) {
        // an update that changes no row would be lost
        if (answer.body.length !== 1) writer.refusals.push(answer)
        apply(writer.rows)
        writer.touched.add(id)
        writer.acknowledged += 1
        if (writer.cell !== last) writer.switchedMs = Date.now() - writer.times.at(-1)!
        last = writer.cell
        writer.times.push(Date.now())
        return
      }
      writer.refusals.push(answer)
      if (other !== undefined) writer.cell = writer.cell === cell ? other : cell
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const running = (async () => {
    for (let number = 0; !stopping.signal.aborted; number++) {
      const next = Date.now() + pauseMs
      await write(number)
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())))
    }
  })()
  return writer
}

/** The longest time between two acknowledged writes, in milliseconds. */
export const longestGap = ({ times }: Writer): number =>
  Math.max(...times.slice(1).map((time, at) => time - times[at]!))

/** Starts the operator's command as a process. */
export function startMove(
  source: Cell,
  target: Cell,
  tenant: string,
  command = 'move',
): { child: ChildProcess, ended: Promise<{ code: number | null, text: string }> } {
  const child = spawn(process.execPath, [
    fileURLToPath(new URL('../../admin/main.ts', import.meta.url)),
    'tenant',
    command,
    tenant,
    '--to',
    target.url,
  ], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: source.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, text }))
  return { child, ended }
}
