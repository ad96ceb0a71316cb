/**
 * Writes pages of rows and files as an export: a ZIP stream with its CSV copies and its manifest.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
// this entry point has no web workers and no WebAssembly: the runtime's own streams compress
import { ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js'
import type { Row } from '../database.ts'
import { FinanceError } from '../errors.ts'
import { csvHead, csvLine } from './transactions-csv.ts'
import {
  csvPathOf,
  type ExportOwner,
  filePathOf,
  type Folder,
  FORMAT,
  MANIFEST,
  type Manifest,
  pathOf,
  VERSION,
} from './format.ts'
import { members } from './raw-json.ts'

/** Pages of rows. A row is a line of JSON. */
export type Pages = AsyncIterable<readonly string[]> | Iterable<readonly string[]>

/**
 * The rows of one file. `pages` is called when the file is written; for transactions twice, because
 * of the CSV copy.
 */
export type Source = { folder: Folder, name: string, pages: () => Pages }

/**
 * Reads the file of an attachment. Returns undefined if the attachment was deleted since its row
 * was read.
 */
export type ReadFile = (attachmentId: string) => Promise<AsyncGenerator<Uint8Array> | undefined>

async function* encoded(texts: AsyncGenerator<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) yield encoder.encode(text)
}

/** Returns a stream that pulls the next part only on demand. */
function streamOf(
  parts: AsyncGenerator<Uint8Array>,
  onPart: (part: Uint8Array) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done === true) return controller.close()
      onPart(value)
      controller.enqueue(value)
    },
    cancel: async () => {
      await parts.return(undefined)
    },
  }, { highWaterMark: 0 })
}

/** An archive in progress, with the files that its manifest lists. */
type Output = { zip: ZipWriter<unknown>, files: Manifest['files'] }

/** Adds a file of rows. */
async function addRows(
  { zip, files }: Output,
  path: string,
  pages: Pages,
  line: (row: string) => string,
  head = '',
): Promise<void> {
  const digest = sha256.create()
  let rows = 0
  const text = async function*() {
    if (head !== '') yield head
    for await (const page of pages) {
      rows += page.length
      yield page.map(line).join('')
    }
  }
  await zip.add(path, streamOf(encoded(text()), (part) => digest.update(part)))
  files.push({ path, rows, sha256: bytesToHex(digest.digest()) })
}

/**
 * Adds a file without compression, because most of them are compressed already. Reads it by any of
 * its attachments.
 */
async function addFile(
  { zip, files }: Output,
  readFile: ReadFile,
  sum: string,
  attachmentIds: readonly string[],
): Promise<void> {
  for (const id of attachmentIds) {
    const parts = await readFile(id)
    if (parts === undefined) continue
    const digest = sha256.create()
    let size = 0
    const count = (part: Uint8Array) => {
      digest.update(part)
      size += part.length
    }
    await zip.add(filePathOf(sum), streamOf(parts, count), { level: 0 })
    if (bytesToHex(digest.digest()) !== sum) {
      throw new FinanceError(0, {
        code: 'FILE_DAMAGED',
        message: `The file of the attachment ${id} does not match its SHA-256.`,
      })
    }
    files.push({ path: filePathOf(sum), size, sha256: sum })
    return
  }
}

/** Adds the rows of all sources, then the CSV copies and the files of attachments. */
async function addSources(
  output: Output,
  sources: readonly Source[],
  readFile: ReadFile,
): Promise<void> {
  const names = new Map<string, string>()
  const attachmentsOfFile = new Map<string, string[]>()
  for (const { folder, name, pages } of sources) {
    const isNamed = name === 'categories' || name === 'accounts'
    await addRows(output, pathOf(folder, name), pages(), (row) => {
      if (name === 'attachments') {
        const { id, sha256: sum, status } = JSON.parse(row) as Row<'attachments'>
        if (status === 'ready')
          attachmentsOfFile.set(sum, [...attachmentsOfFile.get(sum) ?? [], id])
      }
      const named = isNamed ? members(row) : undefined
      if (named !== undefined) names.set(named.get('id') ?? '', named.get('name') ?? '')
      return `${row}\n`
    })
  }
  // after the other tables, because the CSV copy contains names of categories and accounts
  for (const { folder, pages } of sources.filter(({ name }) => name === 'transactions'))
    await addRows(output, csvPathOf(folder), pages(), (row) => csvLine(row, names), csvHead)
  for (const [sum, ids] of attachmentsOfFile) await addFile(output, readFile, sum, ids)
}

/** Adds the list of all files. */
async function addManifest(
  { zip, files }: Output,
  { user, organization }: ExportOwner,
): Promise<void> {
  const manifest: Manifest = {
    format: FORMAT,
    version: VERSION,
    exported_at: new Date().toISOString(),
    signed_line_items: true,
    user,
    organization,
    files,
  }
  const text = async function*() {
    yield `${JSON.stringify(manifest, null, 2)}\n`
  }
  await zip.add(MANIFEST, streamOf(encoded(text()), () => undefined))
}

/**
 * Writes an export. The directory of a ZIP archive comes last, so no program opens an archive that
 * failed half-way.
 * @param readFile reads the files of the attachments in `sources`, one at a time
 * @param confirm called after the last file; throws if the user or the context changed during the
 * export
 * @param end called after success and after failure
 */
export function archive(
  owner: ExportOwner,
  sources: readonly Source[],
  readFile: ReadFile,
  { confirm, end }: { confirm?: () => Promise<void>, end?: () => void } = {},
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const zip = new ZipWriter(writable, { zip64: true, useWebWorkers: false, preventClose: true })
  const output: Output = { zip, files: [] }
  const write = async () => {
    await addSources(output, sources, readFile)
    await confirm?.()
    await addManifest(output, owner)
    await zip.close()
    await writable.close()
  }
  // a reader receives the error; after a cancel there is no reader
  write().catch((error: unknown) => writable.abort(error).catch(() => undefined)).finally(end)
  return readable
}
