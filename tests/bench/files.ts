/**
 * Measures files of attachments: the speed of uploads and downloads beside a bare Node server on
 * the same PostgreSQL, the memory of the auth service during 200 uploads at once, and lists of
 * transactions that have files.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { authDatabaseUrl } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { medians, type Figure } from './figures.ts'
import { runProgram } from './programs.ts'
import { benchStack, people, person, quantile, type BenchStack } from './stack.ts'

const fileBytes = 10 * 1024 * 1024
const rounds = 15
const atOnce = 200
const users = 210
/** The limits of the auth service in compose.yaml, in MB. */
const heapMegabytes = 192
const limitMegabytes = 384

const file = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(fileBytes - 9)])
const sha256 = createHash('sha256').update(file).digest('hex')

/**
 * Stores an attachment of a user and a ticket for it, as the functions of the data surface do.
 * @returns the ticket
 */
async function ticketOf(
  { owner, publicUrl }: BenchStack,
  user: number,
  isUpload: boolean,
  attachmentId?: string,
): Promise<{ ticket: string, id: string }> {
  const { user: userId, session } = person(user)
  const id = attachmentId ?? randomUUID()
  if (attachmentId === undefined) {
    await owner.query(
      `with t as (insert into api.transactions (name, amount, user_id) values ('Shopping', -20, $2) returning id)
       insert into api.attachments (id, transaction_id, name, size, sha256) select $1, t.id, 'receipt.pdf', $3, $4 from t`,
      [id, userId, fileBytes, sha256],
    )
  }
  const ticket = `file_${randomUUID()}`
  const claims = {
    sub: userId,
    user_id: userId,
    sid: session,
    aud: publicUrl,
    iat: Math.floor(Date.now() / 1_000),
  }
  await owner.query(
    `insert into private.file_tickets (token_hash, attachment_id, is_upload, claims, expires_at) values ($1, $2, $3, $4, now() + interval '1 hour')`,
    [
      createHash('sha256').update(ticket).digest(),
      id,
      isUpload,
      claims,
    ],
  )
  return { ticket, id }
}

async function put(url: string): Promise<Response> {
  const response = await fetch(url, { method: 'PUT', body: file })
  if (response.status !== 200)
    throw new Error(`PUT answered ${response.status} ${await response.text()}`)
  return response
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

const peakMegabytes = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** Compares a list of transactions before and after each of them has a file. */
async function listFigure(stack: BenchStack): Promise<Figure> {
  const { owner } = stack
  const [without, withFiles] = [person(users - 1), person(users)]
  for (const { user } of [without, withFiles])
    await owner.query(
      `insert into api.transactions (name, amount, user_id, transaction_date) select 'Bread', -3, $1, now() - i * interval '1 hour' from generate_series(1, 5000) i`,
      [user],
    )
  await owner.query(
    `insert into api.attachments (transaction_id, name, size, sha256, status, content_type)
     select id, 'receipt.pdf', 100000, encode(sha256(id::text::bytea), 'hex'), 'ready', 'application/pdf' from api.transactions where user_id = $1`,
    [withFiles.user],
  )
  await owner.query('analyze')
  const as = await stack.postgrest()
  const [one, other] = [await as(withFiles), await as(without)]
  const list = '/transactions?select=*&order=transaction_date.desc,id&limit=50'
  const [ours, theirs] = await medians(
    async () => (await one(list)).ms,
    async () => (await other(list)).ms,
    200,
  )
  return {
    work: 'newest 50 of 5,000 transactions that have files',
    against: 'transactions without files',
    ratio: ours / theirs,
    aim: 1.1,
    unit: 'times',
    note: `${ours.toFixed(2)} ms`,
  }
}

/** Runs all measurements of this file, in about two minutes. */
export async function fileFigures(): Promise<Figure[]> {
  if (process.platform !== 'linux') return []
  await using stack = await benchStack(people(users))
  const { owner } = stack
  await owner.query(`update auth.sessions set expires_at = now() + interval '7 days'`)
  await owner.query('delete from auth.jwks where signs_from is null')
  await owner.query(
    'create table bare_chunks (file_id uuid, number integer, bytes bytea, primary key (file_id, number))',
  )
  await owner.query('alter table bare_chunks alter column bytes set storage external')
  await using resources = new AsyncDisposableStack()
  const [port, barePort] = [await freePort(), await freePort()]
  const { pid } = await runProgram(
    resources,
    [`--max-old-space-size=${heapMegabytes}`, 'auth/main.ts'],
    {
      PUBLIC_URL: stack.publicUrl,
      AUTH_DATABASE_URL: authDatabaseUrl(stack.url, stack.authServicePassword),
      BETTER_AUTH_SECRET: 'a secret of the bench, long enough for it',
      LOG_LEVEL: 'error',
    },
    port,
    '/readyz',
  )
  await runProgram(
    resources,
    ['tests/bench/bare-files.ts'],
    { DATABASE_URL: stack.url },
    barePort,
    `/${randomUUID()}`,
  )
  const addressOf = (ticket: string) => `http://127.0.0.1:${port}/api/auth/files/${ticket}`
  const bare = `http://127.0.0.1:${barePort}/`

  const bareId = await (await put(bare)).text()
  const uploads: number[] = []
  const downloads: number[] = []
  let stored = ''
  for (let round = 0; round < rounds; round++) {
    const { ticket, id } = await ticketOf(stack, 1, true)
    const theirs = await timed(() => put(bare))
    uploads.push(theirs / await timed(() => put(addressOf(ticket))))
    stored = id
  }
  const read = (url: string) => async () => {
    const response = await fetch(url)
    const { byteLength } = await response.arrayBuffer()
    if (byteLength !== fileBytes)
      throw new Error(`GET answered ${response.status} with ${byteLength} bytes`)
  }
  const { ticket: opened } = await ticketOf(stack, 1, false, stored)
  for (let round = 0; round < rounds; round++)
    downloads.push(await timed(read(`${bare}${bareId}`)) / await timed(read(addressOf(opened))))

  const tickets = await Promise.all(
    Array.from({ length: atOnce }, (_, at) => ticketOf(stack, 2 + at, true)),
  )
  const tookMs = await timed(() => Promise.all(tickets.map(({ ticket }) => put(addressOf(ticket)))))
  const peak = peakMegabytes(pid)
  return [
    {
      work: 'upload of 10 MB',
      against: 'a bare Node server, same PostgreSQL',
      ratio: quantile(uploads, 0.5),
      aim: 0.5,
      unit: 'throughputs',
    },
    {
      work: 'download of 10 MB',
      against: 'a bare Node server, same PostgreSQL',
      ratio: quantile(downloads, 0.5),
      aim: 0.5,
      unit: 'throughputs',
    },
    {
      work: `${atOnce} uploads of 10 MB at once: most memory of the auth service`,
      against: `${limitMegabytes} MB`,
      ratio: peak / limitMegabytes,
      aim: 1,
      unit: 'times',
      note: `${peak.toFixed(0)} MB; ${(tookMs / 1_000).toFixed(0)} s`,
    },
    await listFigure(stack),
  ]
}
