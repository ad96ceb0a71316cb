/** Files of transactions: upload and download by tickets, through the edge. */
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { signedIn, type Person } from '../support/person.ts'
import { newPdf, receiptsOf, sha256Of } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
let ann: Person
let mine: ReturnType<typeof receiptsOf>
beforeAll(async () => {
  stack = await startStack({ data: true })
  ann = await signedIn(stack, 'Ann')
  mine = receiptsOf(stack, ann)
})
afterAll(() => stack.close())

test('an upload makes the attachment ready with exactly the bytes that were announced', async () => {
  const file = newPdf(700_000)
  const transaction = await mine.transaction()
  const { attachment_id: id, ticket, ...rest } = await mine.began(transaction, file, {
    name: 'Rechnung März.pdf',
    note: 'tax',
  })
  expect(rest).toEqual({ expires_in: 600, status: 'pending', bytes_left: 1_073_741_824 - 700_000 })
  expect(await mine.list()).toMatchObject([{ id, status: 'pending', content_type: null }])
  const response = await mine.put(ticket, file)
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: {
      id,
      name: 'Rechnung März.pdf',
      content_type: 'application/pdf',
      size: 700_000,
      sha256: sha256Of(file),
      status: 'ready',
    },
  })
  expect(await mine.list()).toEqual([{
    id,
    transaction_id: transaction,
    user_id: (await ann.get('/get-session')).body.user.id,
    organization_id: null,
    tenant: `u:${(await ann.get('/get-session')).body.user.id}`,
    name: 'Rechnung März.pdf',
    content_type: 'application/pdf',
    size: 700_000,
    sha256: sha256Of(file),
    note: 'tax',
    status: 'ready',
    created_at: expect.any(String),
  }])
  expect((await mine.read(id)).equals(file)).toBe(true)
})

test('an upload with other bytes or another length is 400 and leaves nothing, and the ticket takes the right bytes afterwards', async () => {
  const file = newPdf(300_000)
  const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), file)
  const other = Buffer.from(file)
  other[299_999]! ^= 1
  expect((await mine.put(ticket, other)).status).toBe(400)
  expect((await mine.put(ticket, file.subarray(1))).status).toBe(400)
  expect((await mine.put(ticket, Buffer.concat([file, file]))).status).toBe(400)
  expect((await stack.sql.query('select from private.files where attachment_id = $1', [id])).rows)
    .toEqual([])
  expect(await mine.list(`&id=eq.${id}`)).toMatchObject([{ status: 'pending' }])
  expect((await mine.put(ticket, file)).status).toBe(200)
  expect((await mine.read(id)).equals(file)).toBe(true)
})

test('an upload that is repeated or sent twice at once is stored once', async () => {
  const file = newPdf(600_000)
  const transaction = await mine.transaction()
  const [first, second] = [
    await mine.began(transaction, file),
    await mine.began(transaction, file, { name: 'again.pdf' }),
  ]
  expect(second.attachment_id).toBe(first.attachment_id)
  const answers = await Promise.all([
    mine.put(first.ticket, file),
    mine.put(first.ticket, file),
    mine.put(second.ticket, file),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await mine.put(first.ticket, file)).status).toBe(200)
  expect(await mine.list(`&transaction_id=eq.${transaction}`)).toMatchObject([{
    id: first.attachment_id,
    name: 'receipt.pdf',
    status: 'ready',
  }])
  const { rows } = await stack.sql.query(
    'select stored_at is not null as stored from private.files where attachment_id = $1',
    [first.attachment_id],
  )
  expect(rows).toEqual([{ stored: true }])
  expect(await mine.began(transaction, file)).toMatchObject({
    attachment_id: first.attachment_id,
    status: 'ready',
  })
})

test('an upload can be undone with the X-Change-Id that both steps return, and the undo too', async () => {
  const file = newPdf()
  const transaction = await mine.transaction()
  const begun = await mine.begin(transaction, file)
  const change = begun.headers.get('x-change-id')
  const response = await mine.put(begun.body.ticket, file)
  expect(response.headers.get('x-change-id')).toBe(change)
  const { body: [created] } = await mine.call(
    'GET',
    `/activity?change_id=eq.${change}&action=eq.create`,
  )
  const undone = await mine.call('POST', '/rpc/undo', { p_activity_id: created.id })
  expect(undone).toMatchObject({ status: 200, body: { delete: 1 } })
  expect(await mine.list(`&transaction_id=eq.${transaction}`)).toEqual([])
  const { body: [deleted] } = await mine.call(
    'GET',
    `/activity?change_id=eq.${undone.body.change_id}`,
  )
  expect(await mine.call('POST', '/rpc/undo', { p_activity_id: deleted.id })).toMatchObject({
    status: 200,
    body: { create: 1 },
  })
  expect((await mine.read(begun.body.attachment_id)).equals(file)).toBe(true)
})

/** Opens a raw connection that sends the beginning of an upload. */
function beginRaw(ticket: string, size: number, part: Buffer): Socket {
  const { hostname, port } = new URL(stack.url)
  const socket = createConnection({ host: hostname, port: Number(port) })
  socket.on('error', () => undefined)
  onTestFinished(() => {
    socket.destroy()
  })
  socket.write(
    `PUT /api/auth/files/${ticket} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${size}\r\n\r\n`,
  )
  socket.write(part)
  return socket
}
const filesOf = async (attachmentId: string) =>
  (await stack.sql.query(
    `select f.stored_at is not null as stored, (select count(*)::integer from private.file_chunks c where c.file_id = f.id) as chunks
     from private.files f where attachment_id = $1`,
    [attachmentId],
  )).rows

test('an interrupted upload leaves nothing, and the ticket takes the file afterwards', async () => {
  const file = newPdf(1_000_000)
  const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), file)
  const socket = beginRaw(ticket, file.length, file.subarray(0, 600_000))
  await expect.poll(() => filesOf(id)).toEqual([{ stored: false, chunks: 2 }])
  socket.destroy()
  await expect.poll(() => filesOf(id)).toEqual([])
  expect((await mine.put(ticket, file)).status).toBe(200)
  expect((await mine.read(id)).equals(file)).toBe(true)
})

test('an interrupted upload of a deleted attachment or an ended session ends with 404 and leaves nothing', async () => {
  const file = newPdf(1_000_000)
  for (
    const end of [
      'delete from api.attachments where id = $1',
      `delete from auth.sessions where user_id = (select user_id from private.files where attachment_id = $1)`,
    ]
  ) {
    const ben = await signedIn(stack, 'Ben')
    const his = receiptsOf(stack, ben)
    const { attachment_id: id, ticket } = await his.began(await his.transaction(), file)
    const socket = beginRaw(ticket, file.length, file.subarray(0, 600_000))
    await expect.poll(() => filesOf(id)).toEqual([{ stored: false, chunks: 2 }])
    await stack.sql.query(end, [id])
    const answer = once(socket, 'data') as Promise<[Buffer]>
    socket.write(file.subarray(600_000))
    expect((await answer)[0].toString()).toMatch(/^HTTP\/1.1 404 /)
    expect(await filesOf(id)).toEqual([])
  }
})

test('a download whose session ends is cut off without further bytes, and the log has one line', async () => {
  const ben = await signedIn(stack, 'Ben')
  const his = receiptsOf(stack, ben)
  const file = newPdf(8_000_000)
  const ticket = await his.open(await his.attach(await his.transaction(), file))
  const reader = (await his.get(ticket)).body!.getReader()
  const received: Uint8Array[] = [(await reader.read()).value ?? new Uint8Array()]
  await ben.post('/sign-out')
  await expect((async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      received.push(part.value)
  })()).rejects.toThrow('terminated')
  const all = Buffer.concat(received)
  expect(all.length).toBeLessThan(file.length)
  expect(all.equals(file.subarray(0, all.length))).toBe(true)
  expect(stack.logged.filter((line) => line.includes('a download was cut off'))).toHaveLength(1)
})

test('a ticket ends with the session behind it, at once', async () => {
  const ben = await signedIn(stack, 'Ben')
  const his = receiptsOf(stack, ben)
  const transaction = await his.transaction()
  const file = newPdf()
  const ticket = await his.open(await his.attach(transaction, file))
  const { ticket: upload } = await his.began(transaction, newPdf())
  expect((await his.get(ticket)).status).toBe(200)
  await ben.post('/sign-out')
  expect((await his.get(ticket)).status).toBe(404)
  expect((await his.put(upload, file)).status).toBe(404)
})

test('a ticket is for one direction only', async () => {
  const file = newPdf()
  const { ticket: upload, attachment_id: id } = await mine.began(await mine.transaction(), file)
  expect((await mine.get(upload)).status).toBe(404)
  expect((await mine.put(upload, file)).status).toBe(200)
  expect((await mine.get(upload)).status).toBe(404)
  expect((await mine.put(await mine.open(id), file)).status).toBe(404)
})

test('a ticket is in no log line and no stored row', async () => {
  const { ticket } = await mine.began(await mine.transaction(), newPdf())
  await mine.put(ticket, newPdf())
  await mine.get(`${ticket}/..`)
  await fetch(`${stack.url}/api/auth/x/${ticket}`)
  expect(stack.logged.filter((line) => line.includes(ticket))).toEqual([])
  expect(stack.logged.filter((line) => line.includes('"/api/auth/files/{ticket}"')).length)
    .toBeGreaterThan(0)
  expect(
    (await stack.sql.query(
      `select from private.file_tickets t where t::text like '%' || $1 || '%'`,
      [ticket],
    )).rows,
  ).toEqual([])
})

test('a file of another type than its name says, with active content, is 415 and leaves nothing', async () => {
  const page = Buffer.from('<!doctype html><script>alert(1)</script>')
  const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), page, {
    name: 'receipt.pdf',
  })
  const response = await mine.put(ticket, page, { 'content-type': 'application/pdf' })
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 415,
    body: { error: 'UNSUPPORTED_MEDIA_TYPE' },
  })
  expect(await filesOf(id)).toEqual([])
})

test('a file of another type is refused at its first bytes, and the client reads the refusal after it has sent all of them', async () => {
  const program = Buffer.concat([Buffer.from('MZ\x90\0'), Buffer.alloc(9_000_000)])
  const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), program)
  expect((await mine.put(ticket, program)).status).toBe(415)
  expect(await filesOf(id)).toEqual([])
})

test('a file of another type is refused if a text has a control character far behind its beginning', async () => {
  const text = Buffer.from(`${'Coffee 3.50\n'.repeat(50_000)}\0`)
  const { attachment_id: id, ticket } = await mine.began(await mine.transaction(), text)
  expect((await mine.put(ticket, text)).status).toBe(415)
  expect(await filesOf(id)).toEqual([])
})

test('a file of another type is never answered as a page: a PDF that is also a page', async () => {
  const both = Buffer.from('%PDF-1.7\n<!doctype html><script>alert(1)</script>')
  const { headers } = await mine.get(
    await mine.open(await mine.attach(await mine.transaction(), both, { name: 'x.html' })),
  )
  expect([
    headers.get('content-type'),
    headers.get('x-content-type-options'),
    headers.get('content-security-policy'),
  ])
    .toEqual(['application/pdf', 'nosniff', "sandbox; default-src 'none'"])
})

test('a download has the headers that keep a browser from running the file', async () => {
  const id = await mine.attach(await mine.transaction(), newPdf(), {
    name: 'a "quoted" über;%.pdf',
  })
  const { headers } = await mine.get(await mine.open(id))
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition':
      `inline; filename="a _quoted_ _ber;_.pdf"; filename*=UTF-8''a%20%22quoted%22%20%C3%BCber%3B%25.pdf`,
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
    'accept-ranges': 'bytes',
    'content-length': '40000',
  })
})

test('a download of an older attachment with folders in its name is saved in no folder', async () => {
  const id = await mine.attach(await mine.transaction(), newPdf())
  await stack.sql.query('update api.attachments set name = $2 where id = $1', [id, '../..\\x.pdf'])
  const { headers } = await mine.get(await mine.open(id))
  expect(headers.get('content-disposition')).toBe(
    `inline; filename=".._.._x.pdf"; filename*=UTF-8''.._.._x.pdf`,
  )
})

test('a download of a range has exactly these bytes', async () => {
  const file = newPdf(1_000_000)
  const ticket = await mine.open(await mine.attach(await mine.transaction(), file))
  for (
    const [range, first, last] of [
      ['bytes=0-0', 0, 0],
      ['bytes=262143-262144', 262_143, 262_144],
      ['bytes=999999-', 999_999, 999_999],
      ['bytes=-5', 999_995, 999_999],
      ['bytes=100-2000000', 100, 999_999],
      ['bytes=262144-524287', 262_144, 524_287],
    ] as const
  ) {
    const response = await mine.get(ticket, { range })
    expect([range, response.status, response.headers.get('content-range')]).toEqual([
      range,
      206,
      `bytes ${first}-${last}/1000000`,
    ])
    expect(Buffer.from(await response.arrayBuffer()).equals(file.subarray(first, last + 1))).toBe(
      true,
    )
  }
  for (const range of ['bytes=1000000-', 'bytes=-0']) {
    const response = await mine.get(ticket, { range })
    expect([range, response.status, response.headers.get('content-range')]).toEqual([
      range,
      416,
      'bytes */1000000',
    ])
  }
  for (const range of ['bytes=5-1', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-'])
    expect((await mine.get(ticket, { range })).status).toBe(200)
})

test('a download is conditional by its ETag', async () => {
  const file = newPdf()
  const ticket = await mine.open(await mine.attach(await mine.transaction(), file))
  const etag = `"${sha256Of(file)}"`
  const statusOf = async (headers: Record<string, string>) =>
    (await mine.get(ticket, headers)).status
  expect((await mine.get(ticket)).headers.get('etag')).toBe(etag)
  expect(await statusOf({ 'if-none-match': etag })).toBe(304)
  expect(await statusOf({ 'if-none-match': `"x", W/${etag}` })).toBe(304)
  expect(await statusOf({ 'if-none-match': '"x"' })).toBe(200)
  expect(await statusOf({ 'if-match': '"x"' })).toBe(412)
  expect(await statusOf({ 'if-match': `"x", ${etag}` })).toBe(200)
  expect(await statusOf({ 'if-range': etag, range: 'bytes=0-1' })).toBe(206)
  expect(await statusOf({ 'if-range': '"x"', range: 'bytes=0-1' })).toBe(200)
  const head = await mine.get(ticket, {}, 'HEAD')
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '40000'])
})
