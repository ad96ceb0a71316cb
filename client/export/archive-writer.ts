/** Writes pages of rows as an export: a ZIP stream with its CSV copies and its manifest. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
// this entry point has no web workers and no WebAssembly: the runtime's own streams compress
import { ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js'
import { csvHead, csvLine } from './transactions-csv.ts'
import { csvPathOf, type ExportOwner, type Folder, FORMAT, MANIFEST, type Manifest, pathOf, VERSION } from './format.ts'
import { members } from './raw-json.ts'

/** Pages of rows. A row is a line of JSON. */
export type Pages = AsyncIterable<readonly string[]> | Iterable<readonly string[]>

/** The rows of one file. `pages` is called when the file is written; for transactions twice, because of the CSV copy. */
export type Source = { folder: Folder, name: string, pages: () => Pages }

/** Encodes text as a stream that pulls the next part only on demand. */
function streamOf(parts: AsyncGenerator<string>, onPart: (part: Uint8Array) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done === true) return controller.close()
      const part = encoder.encode(value)
      onPart(part)
      controller.enqueue(part)
    },
    cancel: async () => {
      await parts.return(undefined)
    },
  }, { highWaterMark: 0 })
}

/**
 * Writes an export. The directory of a ZIP archive comes last, so no program opens an archive that failed half-way.
 * @param confirm called after the last row; throws if the user or the context changed during the export
 * @param end called after success and after failure
 */
export function archive(
  { user, organization }: ExportOwner,
  sources: readonly Source[],
  { confirm, end }: { confirm?: () => Promise<void>, end?: () => void } = {},
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const zip = new ZipWriter(writable, { zip64: true, useWebWorkers: false, preventClose: true })
  const files: Manifest['files'] = []

  const add = async (path: string, pages: Pages, line: (row: string) => string, head = '') => {
    const digest = sha256.create()
    let rows = 0
    const text = async function*() {
      if (head !== '') yield head
      for await (const page of pages) {
        rows += page.length
        yield page.map(line).join('')
      }
    }
    await zip.add(path, streamOf(text(), (part) => digest.update(part)))
    files.push({ path, rows, sha256: bytesToHex(digest.digest()) })
  }

  const write = async () => {
    const names = new Map<string, string>()
    for (const { folder, name, pages } of sources) {
      const isNamed = name === 'categories' || name === 'accounts'
      await add(pathOf(folder, name), pages(), (row) => {
        const named = isNamed ? members(row) : undefined
        if (named !== undefined) names.set(named.get('id') ?? '', named.get('name') ?? '')
        return `${row}\n`
      })
    }
    // after the other tables, because the CSV copy contains names of categories and accounts
    for (const { folder, pages } of sources.filter(({ name }) => name === 'transactions')) {
      await add(csvPathOf(folder), pages(), (row) => csvLine(row, names), csvHead)
    }
    await confirm?.()
    const manifest: Manifest = { format: FORMAT, version: VERSION, exported_at: new Date().toISOString(), user, organization, files }
    await zip.add(
      MANIFEST,
      streamOf(
        async function*() {
          yield `${JSON.stringify(manifest, null, 2)}\n`
        }(),
        () => undefined,
      ),
    )
    await zip.close()
    await writable.close()
  }
  // a reader receives the error; after a cancel there is no reader
  write().catch((error: unknown) => writable.abort(error).catch(() => undefined)).finally(end)
  return readable
}
