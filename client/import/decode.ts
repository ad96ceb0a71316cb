/** Bytes become text: which encoding a bank used, as far as its file shows. */
import { codePageOf, decoderOf, type Reading } from './code-pages.ts'
import { StatementError } from './types.ts'

/** No statement of a person is larger, and a browser reads as much without a pause that anybody minds. */
const MAX_BYTES = 16 * 1024 * 1024

/** What people choose by mistake, by its first bytes. */
const OTHERS: Array<[start: string, message: string]> = [
  ['PK\x03\x04', 'This is a ZIP archive or an Excel workbook. Unpack it, or save the sheet as CSV.'],
  ['\xd0\xcf\x11\xe0', 'This is an Excel workbook. Save the sheet as CSV.'],
  ['%PDF', 'This is a PDF. Ask the bank for CSV, OFX, QIF or CAMT.053.'],
  ['\x1f\x8b', 'This file is compressed. Unpack it first.'],
]

const ascii = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, 1024))

/** What the file's own header says it is written in. */
function declared(start: string): string | undefined {
  const xml = /^\s*<\?xml[^>]{0,200}encoding=["']([\w.:-]{1,40})["']/.exec(start)?.[1]
  const charset = /^CHARSET:\s*([\w-]{1,40})\s*$/m.exec(start)?.[1]
  const label = xml ?? (charset !== undefined && /^\d{3,4}$/.test(charset) ? `windows-${charset}` : charset)
  try {
    const encoding = label === undefined ? undefined : new TextDecoder(label).encoding
    // a header of single bytes is not of two
    return encoding?.startsWith('utf-16') === true ? undefined : encoding
  } catch {
    // such as CHARSET:NONE
    return undefined
  }
}

/** UTF-16 without a mark: every other byte of what is mostly Latin is zero. */
function wide(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, 400)
  const zeros = [0, 0]
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1
  })
  const most = start.length / 4
  return start.length < 4 ? undefined : zeros[1]! > most && zeros[0] === 0 ? 'utf-16le' : zeros[0]! > most && zeros[1] === 0 ? 'utf-16be' : undefined
}

/**
 * Text that is UTF-8 and has more than ASCII is UTF-8 whatever its header says, because banks' headers lie and no other text
 * comes out so by chance.
 */
function encodingOf(bytes: Uint8Array): { encoding: string, open: Reading[] } {
  const known = (encoding: string) => ({ encoding, open: [] })
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return known('utf-8')
  if (a === 0xff && b === 0xfe) return known('utf-16le')
  if (a === 0xfe && b === 0xff) return known('utf-16be')
  const utf16 = wide(bytes)
  if (utf16 !== undefined) return known(utf16)
  const says = declared(ascii(bytes))
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return known(says !== undefined && bytes.every((byte) => byte < 0x80) ? says : 'utf-8')
  } catch {
    // a file that was cut has a broken character at its end
    const text = new TextDecoder().decode(bytes)
    if (Array.from(text.matchAll(/\uFFFD/g)).length * 10 < Array.from(text.matchAll(/[^\0-\x7f]/g)).length) return known('utf-8')
    return says === undefined || says === 'utf-8' ? codePageOf(bytes) : known(says)
  }
}

/**
 * The text of a file, with `\n` at the end of lines and without control characters, which no table can store.
 *
 * @returns also how each of several possible code pages reads the file, if its bytes do not prove one
 * @param label wins over what the bytes seem to be
 * @throws StatementError for an archive, a workbook, a PDF, and what is empty or too large
 */
export function decode(input: Uint8Array | ArrayBuffer | string, label?: string): { text: string, encoding?: string, open?: Reading[] } {
  const plain = (text: string) => text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n').replace(/(?![\t\n])\p{Cc}/gu, '')
  const known = (text: string) => {
    if (text.trim() === '') throw new StatementError('The file is empty.')
    return text
  }
  const bytes = typeof input === 'string' ? undefined : input instanceof Uint8Array ? input : new Uint8Array(input)
  if ((bytes ?? input as string).length > MAX_BYTES) throw new StatementError('The file is larger than 16 MB. Ask the bank for a shorter time.')
  if (bytes === undefined) return { text: known(plain(input as string)) }
  const other = OTHERS.find(([start]) => ascii(bytes).startsWith(start))
  if (other !== undefined) throw new StatementError(other[1])
  const { encoding, open } = label === undefined ? encodingOf(bytes) : { encoding: label, open: [] }
  const decoder = decoderOf(encoding)
  if (decoder === undefined) throw new StatementError(`The encoding "${encoding}" is not known.`)
  const text = decoder(bytes)
  if (label === undefined && text.includes('\0')) throw new StatementError('This is not a text file. Ask the bank for CSV, OFX, QIF or CAMT.053.')
  return { text: known(plain(text)), encoding, open }
}
