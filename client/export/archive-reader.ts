/** Opens an export for a restore. The file is untrusted, so `openExport` checks all of it before the caller stores a row. */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { entryBytes } from '../import/zip.ts'
import { ExportFileError, FORMAT, MANIFEST, type Manifest, paths, VERSION } from './format.ts'

/** In characters. The database refuses rows of half this length. */
const LONGEST_LINE = 1_000_000

/** Maximum compression ratio: the random ids of real rows compress less. A higher ratio can be a ZIP bomb. */
const MAX_RATIO = 100
/** Files that unpack to less than this, in bytes, need not keep to the ratio. */
const RATIO_FREE_BYTES = 10_000_000

export type ExportFile = {
  manifest: Manifest
  /** Returns the lines of a file; no lines if the archive has no such file. @throws ExportFileError */
  lines: (path: string) => AsyncGenerator<string>
}

/** Decodes a stream of bytes to lines. */
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

/** Unpacks an entry. @throws ExportFileError above `maxBytes` */
const bytesOf = (entry: FileEntry, maxBytes: number) =>
  entryBytes(entry, maxBytes, () => new ExportFileError('This file unpacks to more data than an export of its size can contain.'))

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
    // the check below throws
  }
  if (typeof value !== 'object' || value === null || (value as Manifest).format !== FORMAT) throw new ExportFileError('This ZIP archive is no export.')
  const { version } = value as { version: unknown }
  if (version !== VERSION)
    throw new ExportFileError(`This is an export of version ${String(version).slice(0, 20)}, and only version ${VERSION} can be read here.`)
  if (!isManifest(value)) throw new ExportFileError(`${MANIFEST} is invalid.`)
  return value
}

/** @throws ExportFileError if the line is not one JSON object */
function checkRow(path: string, line: string, number: number): void {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    // the check below throws
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new ExportFileError(`Line ${number} of ${path} is no row.`)
}

/**
 * Opens an export and checks all of it. Memory holds one line at a time.
 * @throws ExportFileError if the file is no export, is incomplete or was changed
 */
export async function openExport(file: Blob): Promise<ExportFile> {
  const maxBytes = Math.max(RATIO_FREE_BYTES, file.size * MAX_RATIO)
  // strict refuses paths out of the archive, duplicate names, overlapping files and names that differ between the two directories
  const reader = new ZipReader(new BlobReader(file), { useWebWorkers: false, strictness: 'strict' })
  const exportError = (error: unknown) =>
    error instanceof ExportFileError ? error : new ExportFileError('This is no ZIP archive, or a part of it is missing or was changed.', { cause: error })
  const entries = new Map<string, FileEntry>()
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      const { filename } = entry
      if (entry.directory || entry.encrypted || !paths.has(filename)) throw new ExportFileError(`"${filename.slice(0, 100)}" does not belong in an export.`)
      if (entries.has(filename)) throw new ExportFileError(`${filename} occurs twice.`)
      entries.set(filename, entry)
    }
    const lines = async function*(path: string) {
      const entry = entries.get(path)
      if (entry !== undefined) yield* linesOf(path, bytesOf(entry, maxBytes))
    }

    if (!entries.has(MANIFEST)) throw new ExportFileError('This ZIP archive is no export.')
    let text = ''
    for await (const line of lines(MANIFEST)) {
      text += line
      if (text.length > LONGEST_LINE) throw new ExportFileError(`${MANIFEST} is invalid.`)
    }
    const manifest = manifestIn(text)
    if (manifest.files.length !== entries.size - 1 || manifest.files.some(({ path }) => !entries.has(path))) {
      throw new ExportFileError(`The files are not those of ${MANIFEST}.`)
    }
    for (const { path, rows, sha256: sum } of manifest.files) {
      const digest = sha256.create()
      const entry = entries.get(path)!
      const summed = async function*() {
        for await (const part of bytesOf(entry, maxBytes)) {
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
    throw exportError(error)
  }
}
