/**
 * What strangers typed, as people read it in our mails and on our pages. No I/O.
 *
 * A name is whatever a stranger typed, and a mail or a page lends it our good name. So a name is cut to one short line,
 * and what programs turn into a link is taken apart: sign-up must not be a way to send people elsewhere.
 */

/** So many characters of a name are shown. */
export const nameLength = 60
/** RFC 5321 allows no longer address. */
const addressLength = 254

/** The text, or its beginning with a mark that it goes on. */
export function shorten(line: string, length: number): string {
  const characters = Array.from(line)
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('').trimEnd()}…`
}

/** Without what cannot be seen or turns text around. Names may be megabytes long; no more is read than can be shown. */
const visible = (value: string): string => value.slice(0, 5_000).replace(/[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu, '')

/** A line break in a subject would begin a header of the writer's own. */
function oneLine(value: string, length: number): string {
  const line = value
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/(\p{M}{4})\p{M}+/gu, '$1') // stacked accents paint over the lines around them
    .trim()
  return shorten(line, length)
}

/**
 * A name that stays text in every mail program. Programs link `evil.example`, `http://…`, `\\server` and `1.2.3.4`, so
 * the character that makes it a link becomes a space. "J.R.R. Tolkien" and "Team: Finance" come through unchanged.
 */
export function plainName(value: string): string {
  const unlinked = visible(value)
    .replace(/[.․。．｡](?=[\p{L}\p{M}]{2}|\p{N}+\.\p{N})/gu, ' ')
    .replace(/:(?=\S)|\\/g, ' ')
  return oneLine(unlinked, nameLength)
}

/** An address to be read. It keeps its dots and loses what no mail address needs and every URL has. */
export const plainAddress = (value: string): string => oneLine(visible(value).replace(/[:/\\]/g, ''), addressLength)
