/** Unpacks ZIP archives of bank files: many banks deliver one CAMT file per day in an archive. */
import type { FileEntry } from '@zip.js/zip.js/lib/zip-core-native.js'
import { entryBytes } from './zip.ts'
import { MAX_BYTES } from './decode.ts'
import { StatementError } from './types.ts'

/** A file with its name, which messages mention. */
export type NamedFile = { name: string, bytes: Uint8Array }

/** A bank writes at most a file per day and account. */
export const MAX_FILES = 1000

/** Files that systems add to an archive. */
const HIDDEN = /(?:^|\/)(?:__MACOSX\/|\._|\.DS_Store$|Thumbs\.db$)/

const isZip = (bytes: Uint8Array) =>
  bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 0x03 && bytes[3] === 0x04

/** Returns the reason why an archive holds no bank files, by its names. */
function wrongArchive(names: string[]): string | undefined {
  if (names.includes('[Content_Types].xml'))
    return 'This is an Excel workbook. Save the sheet as CSV.'
  if (names.includes('mimetype') && names.includes('content.xml'))
    return 'This is an OpenDocument sheet. Save it as CSV.'
  if (names.includes('manifest.json'))
    return 'This is an export of this service, not a bank file. Restore it in the settings.'
  if (names.some((name) => /(?:^|\/)db\.sqlite$/.test(name)))
    return 'This is a backup of Actual. Export its transactions as CSV.'
  return undefined
}

async function contentOf(entry: FileEntry, left: number): Promise<Uint8Array> {
  const parts: Array<Uint8Array<ArrayBuffer>> = []
  for await (
    const part of entryBytes(
      entry,
      left,
      () =>
        new StatementError(
          'This archive is larger than 16 MB when unzipped. Import its files one at a time.',
        ),
    )
  ) {
    parts.push(part as Uint8Array<ArrayBuffer>)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

/**
 * Returns the files of a ZIP archive in the order of their names. A file that is no archive is
 * returned as it is.
 *
 * The files together have at most 16 MB, so a malicious archive cannot exhaust the memory.
 *
 * @throws StatementError if the archive is damaged, encrypted, too large or a workbook
 */
export async function unpack(file: Uint8Array | ArrayBuffer, name = ''): Promise<NamedFile[]> {
  const bytes = file instanceof Uint8Array ? file : new Uint8Array(file)
  if (!isZip(bytes)) return [{ name, bytes }]
  if (bytes.length > MAX_BYTES)
    throw new StatementError('The archive is larger than 16 MB. Export a shorter period.')
  const files: NamedFile[] = []
  try {
    // only an archive needs this package
    const { BlobReader, ZipReader } = await import('@zip.js/zip.js/lib/zip-core-native.js')
    const reader = new ZipReader(new BlobReader(new Blob([bytes as Uint8Array<ArrayBuffer>])), {
      useWebWorkers: false,
    })
    const entries: FileEntry[] = []
    for await (const entry of reader.getEntriesGenerator()) {
      if (entry.directory || HIDDEN.test(entry.filename)) continue
      if (entries.length === MAX_FILES)
        throw new StatementError(`This archive has more than ${MAX_FILES} files.`)
      if (entry.encrypted)
        throw new StatementError('This archive is password-protected. Unzip it first.')
      entries.push(entry)
    }
    const wrong = wrongArchive(entries.map(({ filename }) => filename))
    if (wrong !== undefined) throw new StatementError(wrong)
    let left = MAX_BYTES
    entries.sort((one, other) => one.filename < other.filename ? -1 : 1)
    for (const entry of entries) {
      const content = await contentOf(entry, left)
      if (isZip(content))
        throw new StatementError(
          `"${entry.filename.slice(0, 100)}" is an archive inside this archive. Unzip it first.`,
        )
      left -= content.length
      files.push({ name: entry.filename, bytes: content })
    }
  } catch (error) {
    if (error instanceof StatementError) throw error
    throw new StatementError('This ZIP archive is damaged or incomplete.')
  }
  if (files.length === 0) throw new StatementError('This archive is empty.')
  return files
}
