/** Files of transactions with the client in Node. */
import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient, type FinanceError, unwrap } from '../../client/index.ts'
import { password, type Person, signedIn, team } from '../support/person.ts'
import { newPdf, sha256Of } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { clientOf } from './person-client.ts'

const MiB = 1024 * 1024

let stack: Stack
let ann: Person
beforeAll(async () => {
  stack = await startStack({ data: true })
  await stack.sql.query('update private.settings set file_max_bytes = $1', [20 * MiB])
  ann = await signedIn(stack, 'Ann')
})
afterAll(() => stack.close())

const failed = (work: Promise<unknown>): Promise<FinanceError> =>
  work.then(() => {
    throw new Error('It did not fail.')
  }, (error: FinanceError) => error)

const newTransaction = async ({ data }: Pick<Client, 'data'>): Promise<string> =>
  (await unwrap(
    data.from('transactions').insert({ name: 'Shopping', amount: -20 }).select('id').single(),
  )).id

const pdfFile = (bytes: Uint8Array, name = 'Rechnung März.pdf') =>
  new File([new Uint8Array(bytes)], name, { type: 'application/pdf' })

const attachmentsOf = ({ data }: Pick<Client, 'data'>, transaction: string) =>
  unwrap(data.from('attachments').select().eq('transaction_id', transaction))

const isUpload = (path: string) => path.startsWith('/api/auth/files/')
const isBegin = (path: string) => path.endsWith('/rpc/begin_upload')

describe('Ann', () => {
  test('Ann attaches a file, gets its ready row, and reads the same bytes by the client and by an address', async () => {
    const client = clientOf(stack, ann)
    const bytes = newPdf(700_000)
    const transaction = await newTransaction(client)
    const progress: [number, number][] = []
    const row = await client.attach(transaction, pdfFile(bytes), {
      note: 'tax',
      onProgress: (...now) => progress.push(now),
    })
    expect(row).toMatchObject({
      transaction_id: transaction,
      name: 'Rechnung März.pdf',
      note: 'tax',
      content_type: 'application/pdf',
      size: 700_000,
      sha256: sha256Of(bytes),
      status: 'ready',
    })
    expect(await attachmentsOf(client, transaction)).toEqual([row])
    expect(progress).toEqual([[700_000, 700_000]])
    const file = await client.readFile(row.id)
    expect({ type: file.type, isSame: bytes.equals(Buffer.from(await file.arrayBuffer())) })
      .toEqual({ type: 'application/pdf', isSame: true })
    const { url, expiresAt } = await client.fileUrl(row.id)
    expect(expiresAt).toBeInstanceOf(Date)
    expect(bytes.equals(Buffer.from(await (await fetch(url)).arrayBuffer()))).toBe(true)
  })

  test('Ann attaches a Blob under the name that the app gives, also one that is too large to be hashed at once', async () => {
    const client = clientOf(stack, ann)
    const bytes = newPdf(17 * MiB)
    const transaction = await newTransaction(client)
    expect(
      await client.attach({ id: transaction }, new Blob([new Uint8Array(bytes)]), {
        name: 'scan.pdf',
      }),
    ).toMatchObject({
      name: 'scan.pdf',
      sha256: sha256Of(bytes),
    })
    expect(await client.attach(transaction, new Blob(['A note.']))).toMatchObject({
      name: 'file',
      content_type: 'text/plain',
    })
  })

  test('Ann attaches the same file again, which sends no bytes and returns the same row', async () => {
    const client = clientOf(stack, ann)
    const transaction = await newTransaction(client)
    const file = pdfFile(newPdf())
    const row = await client.attach(transaction, file)
    const progress: [number, number][] = []
    expect(await client.attach(transaction, file, { onProgress: (...now) => progress.push(now) }))
      .toEqual(row)
    expect(progress).toEqual([[40_000, 40_000]])
    expect(client.count('/api/auth/files/')).toBe(1)
  })

  test('Ann attaches five files at once, and the client uploads two at a time in their order', async () => {
    const uploads: PromiseWithResolvers<void>[] = []
    const client = clientOf(stack, ann, undefined, (path) => {
      if (!isUpload(path)) return undefined
      const end = Promise.withResolvers<void>()
      uploads.push(end)
      return end.promise
    })
    const transaction = await newTransaction(client)
    const cancel = new AbortController()
    const work = [1, 2, 3, 4, 5].map((number) =>
      client.attach(
        transaction,
        pdfFile(newPdf(), `${number}.pdf`),
        number === 4 ? { signal: cancel.signal } : {},
      )
    )
    await expect.poll(() => uploads.length).toBe(2)
    cancel.abort()
    expect(await failed(work[3]!)).toMatchObject({ status: 0, code: 'ABORTED' })
    expect(client.count('/rpc/begin_upload')).toBe(2)
    for (const count of [3, 4]) {
      uploads[count - 3]!.resolve()
      await expect.poll(() => uploads.length).toBe(count)
      expect(client.count('/rpc/begin_upload')).toBe(count)
    }
    for (const { resolve } of uploads) resolve()
    await Promise.all(work.filter((_, index) => index !== 3))
    expect((await attachmentsOf(client, transaction)).map(({ name }) => name).toSorted()).toEqual([
      '1.pdf',
      '2.pdf',
      '3.pdf',
      '5.pdf',
    ])
  })

  test('Ann cancels an upload, and its attachment is deleted', async () => {
    const cancel = new AbortController()
    const client = clientOf(stack, ann, (path) => {
      if (isUpload(path)) cancel.abort()
      return undefined
    })
    const transaction = await newTransaction(client)
    expect(await failed(client.attach(transaction, pdfFile(newPdf()), { signal: cancel.signal })))
      .toMatchObject({ status: 0, code: 'ABORTED' })
    expect(await attachmentsOf(client, transaction)).toEqual([])
    expect(client.requests.filter(({ method }) => method === 'DELETE')).toMatchObject([{
      status: 204,
    }])
    const before = client.requests.length
    expect(await failed(client.attach(transaction, pdfFile(newPdf()), { signal: cancel.signal })))
      .toMatchObject({ code: 'ABORTED' })
    expect(client.requests.length).toBe(before)
  })

  test('Ann cancels while a busy service refuses to begin the upload', async () => {
    const cancel = new AbortController()
    const client = clientOf(stack, ann, (path) => {
      if (!isBegin(path)) return undefined
      cancel.abort()
      return Response.json({ message: 'Busy.' }, { status: 503, headers: { 'retry-after': '60' } })
    })
    expect(
      await failed(
        client.attach(await newTransaction(client), pdfFile(newPdf()), { signal: cancel.signal }),
      ),
    ).toMatchObject({ code: 'ABORTED' })
  })

  test('Ann cancels while the client waits for a busy service', async () => {
    const cancel = new AbortController()
    const client = clientOf(stack, ann, (path) => {
      if (!isUpload(path)) return undefined
      setImmediate(() => cancel.abort())
      return Response.json({ error: 'SERVICE_BUSY' }, {
        status: 503,
        headers: { 'retry-after': '60' },
      })
    })
    const transaction = await newTransaction(client)
    expect(await failed(client.attach(transaction, pdfFile(newPdf()), { signal: cancel.signal })))
      .toMatchObject({ code: 'ABORTED' })
    expect(await attachmentsOf(client, transaction)).toEqual([])
  })

  test.each([['begins', isBegin], ['sends', isUpload]])(
    '%s an upload again after 429 and 503',
    async (_, matches) => {
      const busy = [429, 503]
      const client = clientOf(stack, ann, (path) => {
        const status = matches(path) ? busy.shift() : undefined
        return status === undefined
          ? undefined
          : Response.json({ message: 'Busy.' }, { status, headers: { 'retry-after': '0' } })
      })
      expect(await client.attach(await newTransaction(client), pdfFile(newPdf()))).toMatchObject({
        status: 'ready',
      })
      expect(busy).toEqual([])
    },
  )

  test.each([
    ['0', 5],
    ['61', 1],
    [undefined, 1],
  ])(
    'Ann gets the error of a service that stays busy with Retry-After %s after %i requests',
    async (seconds, requests) => {
      const headers = seconds === undefined ? {} : { 'retry-after': seconds }
      const client = clientOf(
        stack,
        ann,
        (path) => (isUpload(path)
          ? Response.json({ error: 'SERVICE_BUSY', message: 'Busy.' }, { status: 503, headers })
          : undefined),
      )
      const transaction = await newTransaction(client)
      expect(await failed(client.attach(transaction, pdfFile(newPdf())))).toMatchObject({
        status: 503,
        code: 'SERVICE_BUSY',
      })
      expect(client.count('/api/auth/files/')).toBe(requests)
      expect(await attachmentsOf(client, transaction)).toEqual([])
    },
  )

  test('Ann gets FILE_UNREADABLE for a file that changed after she chose it', async () => {
    const client = clientOf(stack, ann)
    const transaction = await newTransaction(client)
    const path = join(await mkdtemp(join(tmpdir(), 'receipt-')), 'receipt.txt')
    await writeFile(path, 'A receipt.')
    const chosen = await openAsBlob(path)
    await writeFile(path, 'A longer receipt.')
    expect(await failed(client.attach(transaction, chosen))).toMatchObject({
      status: 0,
      code: 'FILE_UNREADABLE',
    })
    await rm(dirname(path), { recursive: true })
  })

  test.each([
    ['is too large', new Blob([new Uint8Array(20 * MiB + 1)]), {
      status: 413,
      code: 'QUOTA_EXCEEDED',
    }],
    ['is of another type', new Blob(['<!doctype html><script>alert(1)</script>']), {
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    }],
    ['is empty', new Blob([]), { status: 400, code: '22023' }],
  ])(
    'Ann gets the error of the service for a file that %s, and no attachment stays',
    async (_, file, error) => {
      const client = clientOf(stack, ann)
      const transaction = await newTransaction(client)
      const { status, code } = await failed(client.attach(transaction, file))
      expect({ status, code }).toEqual(error)
      expect(await attachmentsOf(client, transaction)).toEqual([])
    },
  )
})

test('a script with a viewer key reads files and adds none, and one with an editor key adds them', async () => {
  const { id, owner } = await team(stack, [])
  await owner.post('/organization/set-active', { organizationId: id })
  const withKey = async (role: string) => {
    const { body } = await owner.post('/api-key/create', {
      name: role,
      expiresInDays: 9,
      role,
      organizationId: id,
      password,
    })
    return createClient({ baseUrl: stack.url, apiKey: body.key as string })
  }
  const [editor, viewer] = [await withKey('editor'), await withKey('viewer')]
  const transaction = await newTransaction(editor)
  const bytes = newPdf()
  const row = await editor.attach(transaction, pdfFile(bytes))
  expect(row).toMatchObject({ organization_id: id, status: 'ready' })
  expect(bytes.equals(Buffer.from(await (await viewer.readFile(row.id)).arrayBuffer()))).toBe(true)
  expect(await failed(viewer.attach(transaction, pdfFile(newPdf())))).toMatchObject({ status: 403 })
  expect(await attachmentsOf(viewer, transaction)).toEqual([row])
})
