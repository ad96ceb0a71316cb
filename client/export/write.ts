/** Pages of rows become one ZIP, written as fast as it is read. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
// without its web workers and WebAssembly: the runtime's own streams compress
import { ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js'
import { csvHead, csvLine } from './csv.ts'
import { type About, csvPathOf, type Folder, FORMAT, MANIFEST, type Manifest, pathOf, VERSION } from './format.ts'
import { members } from './json.ts'

/** Rows as the lines that the file has of them, some at a time. */
export type Pages = AsyncIterable<readonly string[]> | Iterable<readonly string[]>

/** A table's rows, which are read when it is their turn; of transactions twice. */
export type Source = { folder: Folder, name: string, pages: () => Pages }

/** Text as a stream that asks for the next part when that is wanted. */
function streamOf(parts: AsyncGenerator<string>, written: (part: Uint8Array) => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await parts.next()
      if (done === true) return controller.close()
      const part = encoder.encode(value)
      written(part)
      controller.enqueue(part)
    },
    cancel: async () => {
      await parts.return(undefined)
    },
  }, { highWaterMark: 0 })
}

/**
 * One ZIP. Whatever fails makes the stream fail, before the list of the archive's files is written: what is there of it opens
 * nowhere.
 * @param confirm is asked when all is read, whether it was the same person's all the while
 * @param end is called when nothing is read any more, whether it went well or not
 */
export function archive(
  { user, organization }: About,
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
    // after the names that it has
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
  // whoever reads is told; whoever has stopped reading does not want to know
  write().catch((error: unknown) => writable.abort(error).catch(() => undefined)).finally(end)
  return readable
}
