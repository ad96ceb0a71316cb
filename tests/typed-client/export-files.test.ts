/** The files of attachments in an export and its restore. */
import { BlobReader, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportMine, restoreMine } from '../../client/export/index.ts'
import { type Client, type FinanceError, unwrap } from '../../client/index.ts'
import { type Person, signedIn, team } from '../support/person.ts'
import { newPdf, sha256Of } from '../support/receipts.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { blobOf, filesOf, rowsIn } from './archives.ts'
import { clientOf, type PersonClient } from './person-client.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const failed = (work: Promise<unknown>): Promise<FinanceError> =>
  work.then(() => {
    throw new Error('It did not fail.')
  }, (error: FinanceError) => error)

const signedInClient = async (name: string, on: Stack = stack): Promise<PersonClient> =>
  clientOf(on, await signedIn(on, name))

/** Adds a transaction with a file. @returns the id of the transaction */
async function shopping(
  { data, attach }: Client,
  file: Uint8Array,
  row: object = {},
): Promise<string> {
  const { id } = await unwrap(
    data.from('transactions').insert({ name: 'Shopping', amount: -20, ...row }).select('id')
      .single(),
  )
  await attach(id, new Blob([new Uint8Array(file)]), { name: 'Rechnung März.pdf', note: 'tax' })
  return id
}

const exportOf = async (client: Client) => blobOf(await exportMine(client))

const attachmentsOf = ({ data }: Client) =>
  unwrap(data.from('attachments').select().order('created_at'))

const isFile = (path: string) => path.startsWith('/api/auth/files/')

test('an export has each file once, also if a personal and a team transaction have it, without compression', async () => {
  const { owner } = await team(stack, [])
  const client = clientOf(stack, owner)
  const [shared, other] = [newPdf(600_000), newPdf()]
  await shopping(client, shared)
  await shopping(client, shared, { organization_id: null })
  await shopping(client, other, { organization_id: null })
  const archive = await exportOf(client)
  const entries =
    (await new ZipReader(new BlobReader(archive), { useWebWorkers: false }).getEntries())
      .filter(({ filename }) => filename.startsWith('files/'))
  expect(
    entries.map(({ filename, compressionMethod, uncompressedSize }) => ({
      filename,
      compressionMethod,
      uncompressedSize,
    })),
  ).toEqual(
    expect.arrayContaining([
      { filename: `files/${sha256Of(shared)}`, compressionMethod: 0, uncompressedSize: 600_000 },
      { filename: `files/${sha256Of(other)}`, compressionMethod: 0, uncompressedSize: 40_000 },
    ]),
  )
  expect(entries).toHaveLength(2)
  const files = await filesOf(archive)
  expect(JSON.parse(files.get('manifest.json')!).files).toContainEqual({
    path: `files/${sha256Of(shared)}`,
    size: 600_000,
    sha256: sha256Of(shared),
  })
  expect(rowsIn(files, 'organization/attachments.jsonl')).toMatchObject([{
    name: 'Rechnung März.pdf',
    note: 'tax',
    sha256: sha256Of(shared),
  }])
  expect(
    rowsIn(files, 'personal/attachments.jsonl').map(({ sha256 }) => sha256 as string).toSorted(),
  ).toEqual([shared, other].map(sha256Of).toSorted())
})

test('an export requests one file at a time, and only as fast as it is read', async () => {
  const client = await signedInClient('Ann')
  for (let count = 0; count < 6; count += 1) await shopping(client, newPdf(1_000_000))
  const before = client.count('/api/auth/files/')
  const reader = (await exportMine(client)).getReader()
  const ahead: number[] = []
  for (let bytes = 0;;) {
    const { done, value } = await reader.read()
    if (done) break
    bytes += value.length
    ahead.push(client.count('/api/auth/files/') - before - bytes / 1_000_000)
  }
  expect(client.count('/api/auth/files/') - before).toBe(6)
  expect(Math.max(...ahead)).toBeLessThan(2)
})

test.each([
  [
    'a file cannot be read',
    () => Response.json({ message: 'Broken.' }, { status: 500 }),
    'HTTP_500',
  ],
  ['a file has other bytes', () => new Response('other bytes'), 'FILE_DAMAGED'],
])('an export stops if %s', async (_, answer, code) => {
  const ann = await signedIn(stack, 'Ann')
  await shopping(clientOf(stack, ann), newPdf())
  expect(
    await failed(exportOf(clientOf(stack, ann, (path) => (isFile(path) ? answer() : undefined)))),
  ).toMatchObject({ code })
})

describe('a restore', () => {
  let ann: Person
  let file: Uint8Array
  let archive: Blob
  beforeAll(async () => {
    ann = await signedIn(stack, 'Ann')
    file = newPdf(600_000)
    const client = clientOf(stack, ann)
    await shopping(client, file)
    await shopping(client, file, { name: 'Again' })
    archive = await exportOf(client)
  })

  test('a restore in another account uploads the files to the restored transactions, and a second one uploads nothing', async () => {
    const bob = await signedInClient('Bob')
    const progress: [number, number][] = []
    const { tables, problems } = await restoreMine(bob, archive, {
      onProgress: (...now) => progress.push(now),
    })
    expect({ attachments: tables.attachments, problems }).toEqual({
      attachments: { stored: 2, present: 0 },
      problems: [],
    })
    expect(progress.at(-1)).toEqual([4, 4])
    const [row] = await unwrap(
      bob.data.from('transactions').select('name, attachments(*)').eq('name', 'Again'),
    )
    expect(row?.attachments).toMatchObject([{
      name: 'Rechnung März.pdf',
      note: 'tax',
      content_type: 'application/pdf',
      sha256: sha256Of(file),
    }])
    expect(
      Buffer.from(file).equals(
        Buffer.from(await (await bob.readFile(row!.attachments[0]!.id)).arrayBuffer()),
      ),
    ).toBe(true)

    const uploads = bob.requests.filter(({ method }) => method === 'PUT').length
    expect((await restoreMine(bob, archive)).tables.attachments).toEqual({ stored: 0, present: 2 })
    expect(bob.requests.filter(({ method }) => method === 'PUT').length).toBe(uploads)
    expect(await attachmentsOf(bob)).toHaveLength(2)
  })

  test('a restore in the same account brings a deleted attachment and a deleted transaction back', async () => {
    const client = clientOf(stack, ann)
    const [first] = await attachmentsOf(client)
    await unwrap(client.data.from('attachments').delete().eq('id', first!.id))
    await unwrap(client.data.from('transactions').delete().eq('name', 'Again'))
    expect((await restoreMine(client, archive)).tables).toMatchObject({
      transactions: { stored: 1, present: 1 },
      attachments: { stored: 2, present: 0 },
    })
    expect(await attachmentsOf(client)).toHaveLength(2)
  })

  test('a restore reports a file that the service refuses, and restores everything else', async () => {
    await using elsewhere = await startStack({ data: true })
    await elsewhere.sql.query('update private.settings set file_max_bytes = 100000')
    const small = await signedInClient('Cleo')
    await shopping(small, newPdf(50_000))
    await shopping(small, file)
    const [, large] = await attachmentsOf(small)
    const bob = await signedInClient('Bob', elsewhere)
    const { tables, problems } = await restoreMine(bob, await exportOf(small))
    expect(tables).toMatchObject({
      transactions: { stored: 2 },
      attachments: { stored: 1, present: 0 },
    })
    expect(problems).toEqual([{
      table: 'attachments',
      id: large!.id,
      message: 'a file can have up to 100000 bytes',
    }])
  })

  test('a restore reports an attachment that was deleted while the export ran, whose file the archive does not contain', async () => {
    const gone = () =>
      Response.json({ code: 'NOT_FOUND', message: 'No attachment.' }, { status: 404 })
    const incomplete = await exportOf(
      clientOf(stack, ann, (path) => (path.endsWith('/rpc/open_attachment') ? gone() : undefined)),
    )
    const bob = await signedInClient('Bob')
    const { tables, problems } = await restoreMine(bob, incomplete)
    expect(tables).toMatchObject({
      transactions: { stored: 2 },
      attachments: { stored: 0, present: 0 },
    })
    expect(problems.map(({ message }) => message)).toEqual([
      'The export does not contain this file.',
      'The export does not contain this file.',
    ])
  })

  test('a restore stops if an upload fails', async () => {
    const bob = clientOf(
      stack,
      await signedIn(stack, 'Bob'),
      (path) => (isFile(path) ? new Response('', { status: 502 }) : undefined),
    )
    expect(await failed(restoreMine(bob, archive))).toMatchObject({ status: 502 })
  })
})
