/**
 * Sanitizes names and addresses for our mails and pages, and escapes text in their HTML. A user can
 * choose any name, and our mails lend it credibility. So a name is cut to one short line, and
 * characters that mail programs turn into links are replaced. No I/O.
 */

/** Maximum length of a shown name. */
export const nameLength = 60
/** The maximum length in RFC 5321. */
const addressLength = 254

/** Cuts a text and marks the cut. */
export function shorten(line: string, length: number): string {
  const characters = Array.from(line)
  return characters.length <= length
    ? line
    : `${characters.slice(0, length - 1).join('').trimEnd()}…`
}

/**
 * Removes invisible and direction-changing characters. Reads only as much of a long name as can be
 * shown.
 */
const visible = (value: string): string =>
  value.slice(0, 5_000).replace(/[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu, '')

/** Joins lines. A line break in a subject would begin another header. */
function oneLine(value: string, length: number): string {
  const line = value
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/(\p{M}{4})\p{M}+/gu, '$1') // stacked accents paint over the lines around them
    .trim()
  return shorten(line, length)
}

/**
 * Returns a name that no mail program links. In `evil.example`, `http://…`, `\\server` and
 * `1.2.3.4` a space replaces the character that makes the link. "J.R.R. Tolkien" and "Team:
 * Finance" stay the same.
 */
export function plainName(value: string): string {
  const unlinked = visible(value)
    .replace(/[.․。．｡](?=[\p{L}\p{M}]{2}|\p{N}+\.\p{N})/gu, ' ')
    .replace(/:(?=\S)|\\/g, ' ')
  return oneLine(unlinked, nameLength)
}

/** Returns a readable address. It keeps dots and loses characters that only URLs need. */
export const plainAddress = (value: string): string =>
  oneLine(visible(value).replace(/[:/\\]/g, ''), addressLength)

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML, between tags and in a quoted attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
