/** An export that somebody brings back. It may be broken, changed or made to harm: everything is looked at before anything is stored. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { ExportFileError, FORMAT, MANIFEST, type Manifest, paths, VERSION } from './format.ts'

/** In characters: the database takes no row that is half as long. */
const LONGEST_LINE = 1_000_000

/** The ids that every row has shrink less. What shrinks further is no export, and may be made to fill a memory or a disk. */
const MOST_SHRUNK = 100
const SMALL = 10_000_000

export type ExportFile = {
  manifest: Manifest
  /** The lines of one of its files; none of one that it has not. @throws ExportFileError */
  lines: (path: string) => AsyncGenerator<string>
}

/** What a stream of bytes says, as a stream of lines. */
async function* linesOf(path: string, parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if ([rest, ...lines].some(({ length }) => length > LONGEST_LINE)) throw new ExportFileError(`${path} has a line that is too long for a row.`)
    yield* lines
  }
  if (rest + decoder.decode() !== '') throw new ExportFileError(`${path} breaks off in the middle of a line.`)
}

/** The bytes of an entry, as many as they may be. */
async function* bytesOf(entry: FileEntry, most: number): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const reader = readable.getReader()
  let failed: unknown
  const copied = entry.getData(writable, { useWebWorkers: false, checkCrc32: true }).catch(async (error: unknown) => {
    failed = error
    await writable.abort(error).catch(() => undefined)
  })
  let count = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      count += value.length
      if (count > most) throw new ExportFileError('This file unpacks to more than any export of its size does.')
      yield value
    }
    await copied
    if (failed !== undefined) throw failed as Error
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const isManifest = (value: unknown): value is Manifest => {
  const { format, version, user, organization, files } = value as Manifest
  return format === FORMAT && version === VERSION && typeof user?.id === 'string' && (organization === null || typeof organization?.id === 'string')
    && Array.isArray(files) && files.every(({ path, rows, sha256: sum }) => paths.has(path) && Number.isInteger(rows) && typeof sum === 'string')
}

function manifestIn(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // told below
  }
  if (typeof value !== 'object' || value === null || (value as Manifest).format !== FORMAT) throw new ExportFileError('This ZIP archive is no export.')
  const { version } = value as { version: unknown }
  if (version !== VERSION)
    throw new ExportFileError(`This is an export of version ${String(version).slice(0, 20)}, and only version ${VERSION} can be read here.`)
  if (!isManifest(value)) throw new ExportFileError(`${MANIFEST} is not as an export has it.`)
  return value
}

/** A row is one object of JSON. */
function checkRow(path: string, line: string, number: number): void {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    // told below
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ExportFileError(`Line ${number} of ${path} is no row.`)
}

/**
 * Opens an export and reads all of it once, holding a line at a time.
 * @throws ExportFileError if it is none, is not whole, or is not as it was written
 */
export async function openExport(file: Blob): Promise<ExportFile> {
  const most = Math.max(SMALL, file.size * MOST_SHRUNK)
  // names that leave a folder, are there twice or differ from place to place, and files that overlap
  const reader = new ZipReader(new BlobReader(file), { useWebWorkers: false, strictness: 'strict' })
  const refused = (error: unknown) =>
    error instanceof ExportFileError ? error : new ExportFileError('This is no ZIP archive, or a part of it is missing or was changed.', { cause: error })
  const entries = new Map<string, FileEntry>()
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      const { filename } = entry
      if (entry.directory || entry.encrypted || !paths.has(filename)) throw new ExportFileError(`"${filename.slice(0, 100)}" is nothing that an export has.`)
      if (entries.has(filename)) throw new ExportFileError(`${filename} is there twice.`)
      entries.set(filename, entry)
    }
    const lines = async function*(path: string) {
      const entry = entries.get(path)
      if (entry !== undefined) yield* linesOf(path, bytesOf(entry, most))
    }

    if (!entries.has(MANIFEST)) throw new ExportFileError('This ZIP archive is no export.')
    let text = ''
    for await (const line of lines(MANIFEST)) {
      text += line
      if (text.length > LONGEST_LINE) throw new ExportFileError(`${MANIFEST} is not as an export has it.`)
    }
    const manifest = manifestIn(text)
    if (manifest.files.length !== entries.size - 1 || manifest.files.some(({ path }) => !entries.has(path))) {
      throw new ExportFileError(`The files are not those of ${MANIFEST}.`)
    }
    for (const { path, rows, sha256: sum } of manifest.files) {
      const digest = sha256.create()
      const entry = entries.get(path)!
      const summed = async function*() {
        for await (const part of bytesOf(entry, most)) {
          digest.update(part)
          yield part
        }
      }
      let count = 0
      for await (const line of linesOf(path, summed())) {
        count += 1
        if (path.endsWith('.jsonl')) checkRow(path, line, count)
      }
      if (bytesToHex(digest.digest()) !== sum || (path.endsWith('.jsonl') && count !== rows)) throw new ExportFileError(`${path} was changed.`)
    }
    return { manifest, lines }
  } catch (error) {
    throw refused(error)
  }
}
