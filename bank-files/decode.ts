/** Decodes a bank file to text and detects its encoding. */
import { codePageOf, decoderOf, type Reading } from './code-pages.ts'
import { StatementError } from './types.ts'

/**
 * No real statement is larger, and a browser reads files of this size without a noticeable pause.
 */
export const MAX_BYTES = 16 * 1024 * 1024

/** Wrong files that users choose, by their first bytes. */
const WRONG_FILES: Array<[start: string, message: string]> = [
  [
    'PK\x03\x04',
    'This is a ZIP archive or an Excel workbook. Unzip it first, or save the sheet as CSV.',
  ],
  ['\xd0\xcf\x11\xe0', 'This is an Excel workbook. Save the sheet as CSV.'],
  ['%PDF', 'This is a PDF. Download CSV, OFX, QIF, MT940 or CAMT.053 from your bank instead.'],
  ['\x1f\x8b', 'This file is compressed. Unzip it first.'],
]

const ascii = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, 1024))

/** Returns the encoding that an XML or OFX header declares. */
function declaredEncoding(start: string): string | undefined {
  const xml = /^\s*<\?xml[^>]{0,200}encoding=["']([\w.:-]{1,40})["']/.exec(start)?.[1]
  const charset = /^CHARSET:\s*([\w-]{1,40})\s*$/m.exec(start)?.[1]
  const label = xml ??
    (charset !== undefined && /^\d{3,4}$/.test(charset) ? `windows-${charset}` : charset)
  try {
    const encoding = label === undefined ? undefined : new TextDecoder(label).encoding
    // a header that is readable in single bytes is not UTF-16
    return encoding?.startsWith('utf-16') === true ? undefined : encoding
  } catch {
    // the label is unknown, such as CHARSET:NONE
    return undefined
  }
}

/** Detects UTF-16 without a byte order mark: in mostly Latin text every other byte is zero. */
function utf16Of(bytes: Uint8Array): string | undefined {
  const start = bytes.subarray(0, 400)
  const zeros = [0, 0]
  start.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2]! += 1
  })
  const most = start.length / 4
  return start.length < 4
    ? undefined
    : zeros[1]! > most && zeros[0] === 0
    ? 'utf-16le'
    : zeros[0]! > most && zeros[1] === 0
    ? 'utf-16be'
    : undefined
}

/**
 * Detects the encoding. Valid UTF-8 with letters beyond ASCII is UTF-8 regardless of its header:
 * headers of banks are often wrong, and text in another encoding is hardly ever valid UTF-8. `open`
 * lists the candidates if the bytes do not prove one encoding.
 */
function encodingOf(bytes: Uint8Array): { encoding: string, open: Reading[] } {
  const certain = (encoding: string) => ({ encoding, open: [] })
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return certain('utf-8')
  if (a === 0xff && b === 0xfe) return certain('utf-16le')
  if (a === 0xfe && b === 0xff) return certain('utf-16be')
  const utf16 = utf16Of(bytes)
  if (utf16 !== undefined) return certain(utf16)
  const header = declaredEncoding(ascii(bytes))
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return certain(header !== undefined && bytes.every((byte) => byte < 0x80) ? header : 'utf-8')
  } catch {
    // a truncated file ends with a broken character
    const text = new TextDecoder().decode(bytes)
    if (
      Array.from(text.matchAll(/\uFFFD/g)).length * 10 <
        Array.from(text.matchAll(/[^\0-\x7f]/g)).length
    ) return certain('utf-8')
    return header === undefined || header === 'utf-8' ? codePageOf(bytes) : certain(header)
  }
}

/**
 * Returns the text of a file in NFC, with `\n` as line ends and without control characters, which
 * no table can store.
 *
 * @param label overrides the detection of the encoding
 * @returns also the candidates of the code page in `open`, if the bytes do not prove one
 * @throws StatementError for an archive, a workbook, a PDF, and a file that is empty or too large
 */
export function decode(
  input: Uint8Array | ArrayBuffer | string,
  label?: string,
): { text: string, encoding?: string, open?: Reading[] } {
  const normalize = (text: string) =>
    text.replace(/^\uFEFF/, '').normalize('NFC').replace(/\r\n?/g, '\n').replace(
      /(?![\t\n])\p{Cc}/gu,
      '',
    )
  const notEmpty = (text: string) => {
    if (text.trim() === '') throw new StatementError('The file is empty.')
    return text
  }
  const bytes = typeof input === 'string'
    ? undefined
    : input instanceof Uint8Array
    ? input
    : new Uint8Array(input)
  if ((bytes ?? input as string).length > MAX_BYTES)
    throw new StatementError('The file is larger than 16 MB. Export a shorter period.')
  if (bytes === undefined) return { text: notEmpty(normalize(input as string)) }
  const wrong = WRONG_FILES.find(([start]) => ascii(bytes).startsWith(start))
  if (wrong !== undefined) throw new StatementError(wrong[1])
  const { encoding, open } = label === undefined ? encodingOf(bytes) : { encoding: label, open: [] }
  const decoder = decoderOf(encoding)
  if (decoder === undefined) throw new StatementError(`The encoding "${encoding}" is unknown.`)
  const text = decoder(bytes)
  // a text can have stray NUL bytes, but no other control characters with them
  if (label === undefined && text.includes('\0') && /(?![\0\t\n\f\r])\p{Cc}/u.test(text))
    throw new StatementError(
      'This is not a text file. Download CSV, OFX, QIF, MT940 or CAMT.053 from your bank instead.',
    )
  return { text: notEmpty(normalize(text)), encoding, open }
}
