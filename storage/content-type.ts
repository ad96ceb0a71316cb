/**
 * Recognizes the type of a file by its first bytes. Neither its name nor a header counts, because
 * the sender chooses both. The service never parses a file: a parser of untrusted files can be
 * attacked.
 */

/**
 * The types that a file may have. Active content, such as HTML, SVG and office documents, is not
 * among them.
 */
export type ContentType =
  | 'application/pdf'
  | 'image/jpeg'
  | 'image/png'
  | 'image/webp'
  | 'image/heic'
  | 'text/plain'
  | 'message/rfc822'
  | 'application/xml'

/** The types that a browser may show in a page. It downloads the others. */
export const inlineTypes: ReadonlySet<string> = new Set<ContentType>([
  'application/pdf',
  'image/jpeg',
  'image/png',
  'image/webp',
])

/** The number of bytes at the beginning of a file that decide about its type. */
export const headBytes = 16_384

const heicBrands = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1'])

const startsWith = (head: Buffer, text: string, at = 0): boolean =>
  head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))

/** The elements and instructions that a browser runs, in a text that it might take for a page. */
const activeText =
  /<(?:(?:!doctype\s+)?html|(?:\w+:)?script|(?:\w+:)?svg|iframe|\?xml-stylesheet|!entity)[\s>/]|www\.w3\.org\/(?:1999\/(?:xhtml|xsl)|2000\/svg)/i

/** The first header of a mail. */
const mailHeader =
  /^(?:from|to|cc|subject|date|received|return-path|delivered-to|message-id|mime-version|x-[\w-]+|arc-[\w-]+|dkim-signature|authentication-results):/im

function typeOfText(text: string): ContentType | undefined {
  if (/^[\w-]+:[ \t]/.test(text) && mailHeader.test(text.split(/\r?\n\r?\n/, 1)[0] ?? ''))
    return 'message/rfc822'
  if (activeText.test(text)) return undefined
  return /^<(?:\?xml|[A-Za-z_])/.test(text) ? 'application/xml' : 'text/plain'
}

/** Whether bytes are of a text: no control character but tab, line ends, form feed and escape. */
export const isText = (bytes: Buffer): boolean =>
  bytes.every((byte) =>
    byte >= 0x20 && byte !== 0x7f || byte >= 0x09 && byte <= 0x0d || byte === 0x1b
  )

/** Whether the type is a text, whose later bytes must be text too. */
export const isTextType = (type: ContentType): boolean =>
  ['text/plain', 'message/rfc822', 'application/xml'].includes(type)

/**
 * Returns the type of a file. @param head its first bytes @returns undefined if the type is not
 * allowed
 */
export function contentTypeOf(head: Buffer): ContentType | undefined {
  if (startsWith(head, '%PDF-')) return 'application/pdf'
  if (startsWith(head, '\xff\xd8\xff')) return 'image/jpeg'
  if (startsWith(head, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (startsWith(head, 'RIFF') && startsWith(head, 'WEBP', 8)) return 'image/webp'
  if (startsWith(head, 'ftyp', 4) && heicBrands.has(head.subarray(8, 12).toString('latin1')))
    return 'image/heic'
  if (!isText(head)) return undefined
  return typeOfText(head.toString('utf8').replace(/^\ufeff?\s*/, ''))
}
