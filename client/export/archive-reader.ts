/**
 * Opens an export for a restore. The file is untrusted, so `openExport` checks all of it before the
 * caller stores a row.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { BlobReader, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-native.js'
import { entryBytes } from '../../bank-files/zip.ts'
import {
  ExportFileError,
  filePathOf,
  FORMAT,
  isFilePath,
  MANIFEST,
  type Manifest,
  paths,
  VERSION,
} from './format.ts'

/** In characters. The database refuses rows of half this length. */
const LONGEST_LINE = 1_000_000

/** In characters. A manifest has some 200 for each file. */
const LONGEST_MANIFEST = 50_000_000

/**
 * The size of the largest attachment that the database accepts, in bytes. A restore reads each file
 * into memory.
 */
const LARGEST_FILE = 104_857_600

/**
 * Maximum compression ratio: the random ids of real rows compress less. A higher ratio can be a ZIP
 * bomb.
 */
const MAX_RATIO = 100
/** Files that unpack to less than this, in bytes, need not keep to the ratio. */
const RATIO_FREE_BYTES = 10_000_000

export type ExportFile = {
  manifest: Manifest
  /**
   * Returns the lines of a file; no lines if the archive has no such file. @throws ExportFileError
   */
  lines: (path: string) => AsyncGenerator<string>
  /**
   * Reads the file of an attachment into memory. Returns undefined if the archive has no such file.
   * @throws ExportFileError
   */
  file: (sha256: string) => Promise<Blob | undefined>
}

/** Decodes a stream of bytes to lines. */
async function* linesOf(path: string, parts: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = ''
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if ([rest, ...lines].some(({ length }) => length > LONGEST_LINE))
      throw new ExportFileError(`${path} has a line that is too long.`)
    yield* lines
  }
  if (rest + decoder.decode() !== '')
    throw new ExportFileError(`${path} ends in the middle of a line.`)
}

/** Unpacks an entry. @throws ExportFileError above `maxBytes` */
const bytesOf = (entry: FileEntry, maxBytes: number) =>
  entryBytes(
    entry,
    maxBytes,
    () => new ExportFileError('This file contains more data than an export of its size can have.'),
  )

const isListed = (file: Manifest['files'][number]): boolean =>
  typeof file.sha256 === 'string'
  && ('rows' in file
    ? paths.has(file.path) && Number.isInteger(file.rows)
    : isFilePath(file.path) && file.path === filePathOf(file.sha256) && Number.isInteger(file.size)
      && file.size <= LARGEST_FILE)

const isManifest = (value: unknown): value is Manifest => {
  const { format, version, user, organization, files } = value as Manifest
  return format === FORMAT && version === VERSION && typeof user?.id === 'string' &&
    (organization === null || typeof organization?.id === 'string')
    && Array.isArray(files) && files.every(isListed)
}

function manifestIn(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // the check below throws
  }
  if (typeof value !== 'object' || value === null || (value as Manifest).format !== FORMAT)
    throw new ExportFileError('This ZIP archive is not an export.')
  const { version } = value as { version: unknown }
  if (version !== VERSION)
    throw new ExportFileError(
      `This export has version ${
        String(version).slice(0, 20)
      }, but only version ${VERSION} is supported.`,
    )
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
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ExportFileError(`Line ${number} of ${path} is not a row.`)
}

type Entries = ReadonlyMap<string, FileEntry>

/** Returns the entries of an archive by their paths. @throws ExportFileError */
async function entriesOf(file: Blob): Promise<Entries> {
  // strict refuses paths out of the archive, duplicate names, overlapping files and names that
  // differ between the two directories
  const reader = new ZipReader(new BlobReader(file), { useWebWorkers: false, strictness: 'strict' })
  const entries = new Map<string, FileEntry>()
  for await (const entry of reader.getEntriesGenerator()) {
    const { filename } = entry
    if (entry.directory || entry.encrypted || !(paths.has(filename) || isFilePath(filename)))
      throw new ExportFileError(`"${filename.slice(0, 100)}" is not part of an export.`)
    if (entries.has(filename)) throw new ExportFileError(`${filename} is in the archive twice.`)
    entries.set(filename, entry)
  }
  return entries
}

/** Reads the manifest, which must list all other entries. @throws ExportFileError */
async function manifestOf(entries: Entries, lines: ExportFile['lines']): Promise<Manifest> {
  if (!entries.has(MANIFEST)) throw new ExportFileError('This ZIP archive is not an export.')
  let text = ''
  for await (const line of lines(MANIFEST)) {
    text += line
    if (text.length > LONGEST_MANIFEST) throw new ExportFileError(`${MANIFEST} is invalid.`)
  }
  const manifest = manifestIn(text)
  if (
    manifest.files.length !== entries.size - 1 ||
    manifest.files.some(({ path }) => !entries.has(path))
  ) {
    throw new ExportFileError(`The files don't match ${MANIFEST}.`)
  }
  return manifest
}

/** Compares a file with its line in the manifest. @throws ExportFileError if it was changed */
async function checkFile(
  listed: Manifest['files'][number],
  entry: FileEntry,
  maxBytes: number,
): Promise<void> {
  const { path, sha256: sum } = listed
  const digest = sha256.create()
  let size = 0
  const summed = async function*() {
    for await (const part of bytesOf(entry, 'size' in listed ? listed.size : maxBytes)) {
      digest.update(part)
      size += part.length
      yield part
    }
  }
  let count = 0
  if ('size' in listed) {
    for await (const _ of summed()) void _
  } else {
    for await (const line of linesOf(path, summed())) {
      count += 1
      if (path.endsWith('.jsonl')) checkRow(path, line, count)
    }
  }
  const isWhole = 'size' in listed
    ? size === listed.size
    : !path.endsWith('.jsonl') || count === listed.rows
  if (bytesToHex(digest.digest()) !== sum || !isWhole)
    throw new ExportFileError(`${path} was changed.`)
}

const exportError = (error: unknown) =>
  error instanceof ExportFileError
    ? error
    : new ExportFileError('This is not a ZIP archive, or it is incomplete or was modified.', {
      cause: error,
    })

/**
 * Opens an export and checks all of it. Memory holds one line at a time.
 * @throws ExportFileError if the file is no export, is incomplete or was changed
 */
export async function openExport(file: Blob): Promise<ExportFile> {
  const maxBytes = Math.max(RATIO_FREE_BYTES, file.size * MAX_RATIO)
  try {
    const entries = await entriesOf(file)
    const lines = async function*(path: string) {
      const entry = entries.get(path)
      if (entry !== undefined) yield* linesOf(path, bytesOf(entry, maxBytes))
    }
    const manifest = await manifestOf(entries, lines)
    for (const listed of manifest.files)
      await checkFile(listed, entries.get(listed.path)!, maxBytes)
    const readFile: ExportFile['file'] = async (sum) => {
      const entry = entries.get(filePathOf(sum))
      if (entry === undefined) return undefined
      const parts: Uint8Array<ArrayBuffer>[] = []
      for await (const part of bytesOf(entry, maxBytes)) parts.push(part as Uint8Array<ArrayBuffer>)
      return new Blob(parts)
    }
    return { manifest, lines, file: readFile }
  } catch (error) {
    throw exportError(error)
  }
}
