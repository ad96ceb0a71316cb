/**
 * Files in an object storage: a fake that verifies each signature. Uploads pass through the
 * service, downloads come from the storage.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startHousekeeping } from '../../auth/housekeeping.ts'
import { sweepsOf } from '../../auth/rooms.ts'
import { deleteNotedObjects } from '../../common/deleted-objects.ts'
import { createLog } from '../../common/log.ts'
import type { ObjectStorage } from '../../common/object-storage.ts'
import { openObjects } from '../../common/open-objects.ts'
import { objectOptionsOf, readSettings } from '../../common/settings.ts'
import { operatorWith } from '../support/operator.ts'
import { signedIn, type Person } from '../support/person.ts'
import { newPdf, receiptsOf, sha256Of } from '../support/receipts.ts'
import { fakeS3, type FakeS3 } from '../support/s3.ts'
import { startStack, type Stack } from '../support/stack.ts'

let skewMs = 0
let s3: FakeS3
let stack: Stack
let ann: Person
let mine: ReturnType<typeof receiptsOf>
let objects: ObjectStorage
beforeAll(async () => {
  s3 = await fakeS3(() => Date.now() + skewMs)
  stack = await startStack({ data: true, env: s3.env })
  ann = await signedIn(stack, 'Ann')
  mine = receiptsOf(stack, ann)
  const options = objectOptionsOf(readSettings(s3.env))
  if (options === undefined) throw new Error('The settings name no storage.')
  objects = await openObjects(options)
})
afterEach(() => {
  s3.intercept = undefined
  skewMs = 0
})
afterAll(async () => {
  await stack.close()
  await s3.close()
})

/** Returns the row of an attachment's file, with the key of its object. */
async function fileOf(attachmentId: string) {
  const { rows: [file] } = await stack.sql.query<
    { id: string, is_external: boolean, is_stored: boolean, chunks: number }
  >(
    'select id, is_external, stored_at is not null as is_stored, (select count(*)::int from private.file_chunks where file_id = f.id) as chunks from private.files f where attachment_id = $1',
    [attachmentId],
  )
  return file && { ...file, key: `of/tests/${file.id}` }
}
const attached = async (file = newPdf(600_000)) => {
  const id = await mine.attach(await mine.transaction(), file)
  return { id, file, key: (await fileOf(id))!.key }
}
const objectOf = async (id: string) => s3.objects.get((await fileOf(id))!.key)
async function* bytesOf(file: Buffer) {
  yield file
}
/** Requests the file of a ticket, without following the redirect. */
const redirect = (ticket: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(`${stack.url}/api/auth/files/${ticket}`, { method, headers, redirect: 'manual' })
const addressOf = async (id: string) =>
  (await redirect(await mine.open(id))).headers.get('location') ?? ''
const noted = async () =>
  (await stack.sql.query<{ id: string }>('select file_id as id from private.deleted_objects')).rows
    .map(({ id }) => id)
const files = (...argv: string[]) =>
  operatorWith(
    {
      databaseUrl: stack.ownerUrl,
      openFiles: () => Promise.resolve(objects),
      graceSeconds: 0,
    },
    'files',
    ...argv,
  )
const deleteObjects = async () => {
  const client = await stack.sql.connect()
  await deleteNotedObjects(client, objects, 1_000, 0).finally(() => client.release())
}
const refusal = async (response: Response) => ({
  status: response.status,
  error: (await response.json() as { error: string }).error,
  retryAfter: response.headers.get('retry-after') !== null,
})
const busy = { status: 503, error: 'SERVICE_BUSY', retryAfter: true }

describe('an upload', () => {
  test('an upload stores one object with the prefix and the id of the file as key, and no chunk', async () => {
    const { id, file, key } = await attached()
    expect(s3.objects.get(key)?.equals(file)).toBe(true)
    expect(await fileOf(id)).toMatchObject({ is_external: true, is_stored: true, chunks: 0 })
    expect(s3.requests.filter((sent) => sent.key === key)).toEqual([{
      method: 'PUT',
      key,
      status: 200,
    }])
  })

  test('an upload of other bytes is 400 and leaves neither object nor file; the right bytes are accepted afterwards', async () => {
    const file = newPdf(700_000)
    const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), file)
    const other = Buffer.from(file)
    other[699_999]! ^= 1
    const before = s3.objects.size
    expect((await mine.put(ticket, other)).status).toBe(400)
    expect([s3.objects.size, await fileOf(id)]).toEqual([before, undefined])
    expect((await mine.put(ticket, file)).status).toBe(200)
    expect((await objectOf(id))?.equals(file)).toBe(true)
  })

  test('an upload of a type that is not allowed sends nothing to the storage', async () => {
    const page = Buffer.from('<html><script>alert(1)</script></html>')
    const { ticket } = await mine.began(await mine.transaction(), page)
    const before = s3.requests.length
    expect((await mine.put(ticket, page)).status).toBe(415)
    expect(s3.requests.slice(before).filter(({ status }) => status !== 0)).toEqual([])
  })

  test('an upload that the client breaks off is noted, and housekeeping deletes its object', async () => {
    const file = newPdf(2_000_000)
    const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), file)
    const [reached, arrived] = [Promise.withResolvers<void>(), await noted()]
    s3.intercept = () => reached.resolve()
    const sent = request(`${stack.url}/api/auth/files/${ticket}`, {
      method: 'PUT',
      headers: { 'content-length': file.length },
    })
    sent.on('error', () => undefined).write(file.subarray(0, 1_000_000))
    await reached.promise
    sent.destroy()
    await expect.poll(async () => (await noted()).length).toBe(arrived.length + 1)
    expect(await fileOf(id)).toBeUndefined()
    await deleteObjects()
    expect(await noted()).toEqual([])
  })

  test('whose service is killed leaves a file that is not ready; housekeeping deletes it with its object after an hour', async () => {
    const file = newPdf()
    const { attachment_id: id } = await mine.began(await mine.transaction(), file)
    const { rows: [row] } = await stack.sql.query<{ id: string }>(
      `insert into private.files (attachment_id, user_id, tenant, size, is_external, begun_at)
       select id, user_id, tenant, size, true, now() - interval '61 minutes' from api.attachments where id = $1 returning id`,
      [id],
    )
    await objects.put(row!.id, file.length, sha256Of(file), bytesOf(file))
    expect(s3.objects.has(`of/tests/${row!.id}`)).toBe(true)
    await stack.sql.query('select private.forget_files(400, 20)')
    await deleteObjects()
    expect([s3.objects.has(`of/tests/${row!.id}`), await fileOf(id)]).toEqual([false, undefined])
  })

  test.each([
    [
      'refuses',
      (_: unknown, response: { writeHead: (status: number) => { end: () => void } }) =>
        response.writeHead(500).end(),
    ],
    ['breaks the connection', (sent: { socket: { destroy: () => void } }) => sent.socket.destroy()],
  ])(
    'an upload during an outage, in which the storage %s, is 503 with Retry-After, and can be repeated',
    async (_, intercept) => {
      const file = newPdf(1_500_000)
      const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), file)
      s3.intercept = intercept as FakeS3['intercept']
      expect(await refusal(await mine.put(ticket, file))).toEqual(busy)
      expect(await mine.list(`&id=eq.${id}`)).toMatchObject([{ status: 'pending' }])
      expect(await fileOf(id)).toBeUndefined()
      expect(stack.logged.findLast((line) => line.includes('"level":"warn"'))).toContain(
        'the object storage failed',
      )
      s3.intercept = undefined
      expect((await mine.put(ticket, file)).status).toBe(200)
      expect((await objectOf(id))?.equals(file)).toBe(true)
    },
  )
})

test('a download is a redirect to an address of the storage, which sends the file with its type and name', async () => {
  const file = newPdf(600_000)
  const id = await mine.attach(await mine.transaction(), file, { name: 'Rechnung März.pdf' })
  const response = await redirect(await mine.open(id))
  expect([response.status, response.headers.get('cache-control')]).toEqual([
    302,
    'private, no-store',
  ])
  const sent = await fetch(response.headers.get('location') ?? '')
  expect(Object.fromEntries(sent.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition':
      `inline; filename="Rechnung M_rz.pdf"; filename*=UTF-8''Rechnung%20M%C3%A4rz.pdf`,
    'cache-control': 'private, no-store',
  })
  expect(Buffer.from(await sent.arrayBuffer()).equals(file)).toBe(true)
  expect((await mine.read(id)).equals(file)).toBe(true)
})

test('a download of a range gets exactly these bytes through the redirect', async () => {
  const { id, file } = await attached()
  const response = await mine.get(await mine.open(id), { range: 'bytes=262143-262144' })
  expect([response.status, response.headers.get('content-range')]).toEqual([
    206,
    'bytes 262143-262144/600000',
  ])
  expect(Buffer.from(await response.arrayBuffer()).equals(file.subarray(262_143, 262_145))).toBe(
    true,
  )
})

test('a download that the client has already, or only asks about, is answered without the storage', async () => {
  const { id, file } = await attached()
  const ticket = await mine.open(id)
  expect((await redirect(ticket, { 'if-none-match': `"${sha256Of(file)}"` })).status).toBe(304)
  expect((await redirect(ticket, { 'if-match': '"x"' })).status).toBe(412)
  const head = await redirect(ticket, {}, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '600000'])
})

test('a download has an address that ends after 60 seconds and that cannot be changed', async () => {
  const { id } = await attached()
  const { id: other } = await attached()
  const [address, ids] = [
    await addressOf(id),
    [(await fileOf(id))!.id, (await fileOf(other))!.id] as const,
  ]
  expect((await fetch(address)).status).toBe(200)
  expect((await fetch(address, { method: 'DELETE' })).status).toBe(403)
  expect((await fetch(address.replace(...ids))).status).toBe(403)
  expect((await fetch(address.replace('inline', 'attachment'))).status).toBe(403)
  skewMs = 62_000
  expect((await fetch(address)).status).toBe(403)
})

test('the object of a deleted attachment stays for the undo', async () => {
  const { id, file } = await attached()
  const { headers } = await mine.call('DELETE', `/attachments?id=eq.${id}`)
  const { body: [deleted] } = await mine.call(
    'GET',
    `/activity?change_id=eq.${headers.get('x-change-id')}`,
  )
  expect((await mine.call('POST', '/rpc/undo', { p_activity_id: deleted.id })).status).toBe(200)
  expect((await mine.read(id)).equals(file)).toBe(true)
})

test('the object of a deleted attachment is deleted after the retention time; a failure is logged and repeated', async () => {
  const { id, key } = await attached()
  await mine.call('DELETE', `/attachments?id=eq.${id}`)
  await stack.sql.query(
    `update private.files set released_at = now() - interval '500 days' where attachment_id = $1`,
    [id],
  )
  await stack.sql.query('select private.forget_files(400, 20)')
  await stack.sql.query(
    `update private.deleted_objects set deleted_at = deleted_at - interval '10 minutes'`,
  )
  const logged: string[] = []
  s3.intercept = (_, response) => response.writeHead(503).end()
  const log = createLog('warn', {
    write: (line: string) => {
      logged.push(line)
    },
  })
  const stop = await startHousekeeping(
    stack.sql,
    sweepsOf({ pool: stack.sql, objects }, { activityDays: 400, eventsDays: 400 }),
    { status: () => ({ signingKeyAgeSeconds: 7, pendingSeconds: 0 }) },
    log,
    { left: 10, failed: 10, done: 600_000 },
  )
  // the service of the stack may have run the job, and runs it again in ten minutes
  const eventually = <Value>(read: () => Value) =>
    expect.poll(async () => {
      await stack.sql.query(
        `update private.jobs set run_at = now() where leased_until is null and key = 'private.deleted_objects'`,
      )
      return read()
    })
  await eventually(() => [...logged, ...stack.logged].join('')).toContain(
    '"table":"private.deleted_objects"',
  )
  expect([s3.objects.has(key), (await noted()).length > 0]).toEqual([true, true])
  s3.intercept = undefined
  await eventually(noted).toEqual([])
  await stop()
  expect(s3.objects.has(key)).toBe(false)
})

test('files move into the database and back keeps every byte, and no download fails meanwhile', async () => {
  const all = [await attached(), await attached(newPdf(262_144)), await attached(newPdf(10))]
  const hashes = async () => Promise.all(all.map(async ({ id }) => sha256Of(await mine.read(id))))
  const expected = all.map(({ file }) => sha256Of(file))
  const moving = new AbortController()
  const reading = (async () => {
    let count = 0
    for (; !moving.signal.aborted; count += 1) expect(await hashes()).toEqual(expected)
    return count
  })()
  const total = Number(
    (await stack.sql.query('select count(*) from private.files where stored_at is not null'))
      .rows[0].count,
  )
  expect(await files('move', '--to', 'database')).toMatchObject({
    code: 0,
    text: expect.stringContaining(`Moved ${total} files into the database.`),
  })
  expect([s3.objects.size, await noted()]).toEqual([0, []])
  for (const { id } of all) expect(await fileOf(id)).toMatchObject({ is_external: false })
  expect(await files('check')).toEqual({
    code: 0,
    text: `Read ${total} files in the database and 0 in the object storage.\n`,
  })
  expect(await files('move')).toMatchObject({
    code: 0,
    text: `Moved ${total} files to the object storage.\n`,
  })
  moving.abort()
  expect(await reading).toBeGreaterThan(0)
  expect([s3.objects.size, await hashes(), await noted()]).toEqual([total, expected, []])
  for (const { id } of all) expect(await fileOf(id)).toMatchObject({ is_external: true, chunks: 0 })
  expect(await files('check')).toEqual({
    code: 0,
    text: `Read 0 files in the database and ${total} in the object storage.\n`,
  })
  expect((await files('move')).text).toBe('Moved 0 files to the object storage.\n')
})

test('files move during a download from the database lets the rest of it come from the storage', async () => {
  const { id, file } = await attached()
  await files('move', '--to', 'database')
  const { id: fileId } = (await fileOf(id))!
  const mover = await stack.sql.connect()
  await mover.query('begin; lock table private.file_chunks in access exclusive mode')
  const response = await mine.get(await mine.open(id))
  await objects.put(fileId, file.length, sha256Of(file), bytesOf(file))
  await mover.query(
    `update private.files set is_external = true where id = '${fileId}'; delete from private.file_chunks where file_id = '${fileId}'; commit`,
  )
  mover.release()
  expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true)
  expect(s3.requests.at(-1)).toMatchObject({
    method: 'GET',
    key: `of/tests/${fileId}`,
    status: expect.toBeOneOf([200, 206]),
  })
  await files('move')
})

test('files move that is killed leaves each file whole, and the next run completes it', async () => {
  const { id, file } = await attached()
  for (
    const [argv, method] of [[['move', '--to', 'database'], 'GET'], [['move'], 'PUT'], [[
      'move',
      '--to',
      'database',
    ], 'GET'], [['move'], 'GET']] as const
  ) {
    const reached = Promise.withResolvers<void>()
    s3.intercept = async (sent) => {
      if (sent.method !== method || String(sent.url).includes('X-Amz-Signature')) return
      reached.resolve()
      await once(sent.socket, 'close')
    }
    const child = spawn(process.execPath, ['admin/main.ts', 'files', ...argv], {
      env: { ...s3.env, DATABASE_URL: stack.ownerUrl },
      stdio: 'ignore',
    })
    await reached.promise
    child.kill('SIGKILL')
    await once(child, 'exit')
    s3.intercept = undefined
    expect((await mine.read(id)).equals(file)).toBe(true)
    await expect.poll(async () => (await files(...argv)).code).toBe(0)
    expect((await mine.read(id)).equals(file)).toBe(true)
  }
  expect([s3.objects.size, await noted()]).toEqual([
    Number(
      (await stack.sql.query('select count(*) from private.files where is_external')).rows[0].count,
    ),
    [],
  ])
})

test('files move refuses without FILES_URL, and a second run at once', async () => {
  expect(await operatorWith({ databaseUrl: stack.ownerUrl }, 'files', 'move')).toMatchObject({
    code: 1,
    text: expect.stringContaining('FILES_URL must be set'),
  })
  const other = new pg.Client({ connectionString: stack.ownerUrl, application_name: 'files move' })
  await other.connect()
  expect(await files('move')).toEqual({
    code: 1,
    text: 'Another move of files runs. Wait for its end.\n',
  })
  await other.end()
})

test('files check names the attachments whose bytes are wrong or missing, and fails', async () => {
  const [whole, changed, missing] = [await attached(), await attached(), await attached()]
  const damaged = Buffer.from(changed.file)
  damaged[100]! ^= 1
  s3.objects.set(changed.key, damaged)
  s3.objects.delete(missing.key)
  const { code, text } = await files('check')
  expect(code).toBe(1)
  expect([changed, missing, whole].map(({ id }) => text.includes(id))).toEqual([true, true, false])
  await files('move', '--to', 'database')
  expect([await fileOf(changed.id), await fileOf(whole.id)]).toMatchObject([{
    is_external: true,
    chunks: 0,
  }, { is_external: false }])
  s3.objects.set(changed.key, changed.file).set(missing.key, missing.file)
  expect((await files('check')).code).toBe(0)
  await files('move')
})

test('a service without FILES_URL warns at its start, refuses downloads of objects, and serves what is in the database', async () => {
  const [outside, inside] = [await attached(), newPdf()]
  const url = await stack.startAnotherAuth({ FILES_URL: '' })
  expect(stack.logged.find((line) => line.includes('files are in an object storage'))).toContain(
    '"setting":"FILES_URL"',
  )
  const at = receiptsOf({ url, dataUrl: stack.dataUrl }, ann)
  expect(await refusal(await at.get(await at.open(outside.id)))).toEqual(busy)
  expect(stack.logged.findLast((line) => line.includes(outside.id))).toContain(
    'FILES_URL is not set',
  )
  const id = await at.attach(await at.transaction(), inside)
  expect(await fileOf(id)).toMatchObject({ is_external: false })
  expect([(await at.read(id)).equals(inside), (await mine.read(id)).equals(inside)]).toEqual([
    true,
    true,
  ])
})

test('the settings of the storage are checked at the start, and no message contains a secret', async () => {
  const problem = (env: Record<string, string>) => {
    try {
      objectOptionsOf(readSettings({ ...s3.env, ...env }))
      return undefined
    } catch (error) {
      return String(error)
    }
  }
  expect(problem({})).toBeUndefined()
  for (
    const url of [
      'https://receipts',
      's3://receipts',
      's3://key:hunter2@receipts?region=x',
      's3://receipts?region=x&endpoint=http://storage.example.org',
      's3://receipts?region=x&acl=public',
    ]
  )
    expect(problem({ FILES_URL: url })).toMatch(/FILES_URL must be s3:\/\/bucket(?!.*hunter2)/)
  expect(problem({ AWS_SECRET_ACCESS_KEY: '' })).toContain('AWS_SECRET_ACCESS_KEY must be set')
  await expect(
    openObjects({ location: objectOptionsOf(readSettings(s3.env))!.location, keys: undefined }),
  ).rejects.toThrow('FILES_URL needs AWS_ACCESS_KEY_ID')
})
