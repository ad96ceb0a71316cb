/** Apostrophes in front of texts that a spreadsheet would run as a formula. */

/**
 * The beginning of a formula. Spreadsheets ignore quotation marks and blanks before it. Tabs and
 * line breaks are not among these blanks, because a formula after them begins there.
 */
const FORMULA = String.raw`(?:['"]|[^\S\t\n\r])*[=+\-@＝＋－＠]`

/**
 * A cell begins with the text, on each of its lines, and after `;` in a spreadsheet with this list
 * separator.
 */
const CELL = String.raw`(?<=^|[;\t\n]|\r(?!\n))`

const start = new RegExp(`${CELL}(?=${FORMULA})`, 'g')
const guardedStart = new RegExp(`${CELL}'(?=${FORMULA})`, 'g')

/** Returns the CSV cell of a text, with an apostrophe in front of each formula. */
export const csvText = (text: string): string =>
  `"${text.replace(start, `'`).replaceAll('"', '""')}"`

/** Returns the text of a cell without the apostrophes of `csvText`. */
export const unguarded = (text: string): string => text.replace(guardedStart, '')
