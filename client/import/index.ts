/** Bank files become rows for `import_transactions`: `readStatement`, and what its parts are called. */
import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import type { Reading } from './code-pages.ts'
import { decode } from './decode.ts'
import { currencyIn } from './entries.ts'
import { readOfx } from './ofx.ts'
import { readQif } from './qif.ts'
import { finish } from './rows.ts'
import { type Format, type ReadOptions, type Statement, StatementError, type StatementRow } from './types.ts'

export { type PresetName, PRESETS } from './presets.ts'
export * from './types.ts'

/** What a file is by how it begins. */
function formatOf(text: string): Format {
  const start = text.slice(0, 4096).trimStart()
  if (/^(?:OFXHEADER|<\?OFX)|<OFX[\s>]/i.test(start)) return 'ofx'
  if (/^<!doctype html|^<html/i.test(start)) throw new StatementError('This is a web page, not the file that it offers. Download the statement itself.')
  if (start.startsWith('<')) return 'camt'
  if (/^!(?:type|account|option|clear)\b/i.test(start)) return 'qif'
  if (/^(?:\{1:|:20:)/.test(start)) throw new StatementError('This is MT940. Ask the bank for CAMT.053, which has taken its place.')
  return 'csv'
}

/**
 * Reads a file of a bank: CSV, OFX or QFX, QIF, CAMT.053.
 *
 * Format, encoding, decimal sign and order of dates are found out. Where the file does not prove one of the last two there are
 * no rows, and a problem names the option that decides.
 *
 * @param file its bytes, or its text where that is already known
 * @param options what somebody knows of the file; wins over what it seems to say
 * @throws StatementError if the file is no statement
 *
 * @example
 * const { rows, problems } = readStatement(await file.arrayBuffer())
 */
export function readStatement(file: Uint8Array | ArrayBuffer | string, options: ReadOptions = {}): Statement {
  if (options.currency !== undefined && currencyIn(options.currency) === undefined) throw new StatementError(`"${options.currency}" is no currency's code.`)
  const { text, encoding, open = [] } = decode(file, options.encoding)
  const format = options.format ?? (options.preset === undefined && options.columns === undefined ? formatOf(text) : 'csv')
  const head = { format, ...encoding === undefined ? {} : { encoding } }
  return open.length > 0 ? { ...head, ...asked(text, format, options, open) } : { ...head, ...read(text, format, options) }
}

function read(text: string, format: Format, options: ReadOptions): Omit<Statement, 'format' | 'encoding'> {
  switch (format) {
    case 'csv': {
      const { preset, header, options: known, ...found } = readCsv(text, options)
      return { header, ...preset === undefined ? {} : { preset }, ...finish(found, known) }
    }
    case 'ofx':
      return finish(readOfx(text), options)
    case 'qif':
      return finish(readQif(text), options)
    case 'camt':
      return finish(readCamt(text), { ...options, dateOrder: 'ymd', decimal: '.' })
    default:
      throw new StatementError(`There is no format "${format as string}".`)
  }
}

/** The question in which code page a file is written, with the header that the best guess finds. */
function asked(text: string, format: Format, options: ReadOptions, open: Reading[]): Omit<Statement, 'format' | 'encoding'> {
  let header: string[] | undefined
  try {
    header = read(text, format, options).header
  } catch (error) {
    if (!(error instanceof StatementError)) throw error
    header = error.lines[0]?.slice()
  }
  const readings = open.map(({ value, sample }) => `${value} ("${sample}")`)
  return {
    ...header === undefined ? {} : { header },
    rows: [],
    problems: [{
      line: 1,
      option: 'encoding',
      unclear: open.map(({ sample }) => sample),
      choices: open,
      message: `The letters of this file can be read in several ways. Say which encoding is right: ${readings.join(', ')}.`,
    }],
    accounts: [],
  }
}

/** As many rows as `import_transactions` takes at once. */
const AT_ONCE = 5000

/**
 * Parts that `import_transactions` takes. Rows of one day stay together: the same purchase twice on one day is told apart by
 * being twice in one request.
 *
 * @throws StatementError if one day has more rows than a request
 */
export function inParts(rows: StatementRow[], most = AT_ONCE): StatementRow[][] {
  const days = new Map<string, StatementRow[]>()
  for (const row of rows) days.set(row.transaction_date, [])
  for (const row of rows) days.get(row.transaction_date)?.push(row)
  const parts: StatementRow[][] = []
  for (const [day, own] of days) {
    if (own.length > most) throw new StatementError(`${day} has more than ${most} transactions.`)
    const last = parts.at(-1)
    if (last === undefined || last.length + own.length > most) parts.push([...own])
    else last.push(...own)
  }
  return parts
}
