/** `readStatement`: converts bank files to rows for `import_transactions`. */
import type { NamedFile } from './archive.ts'
import { readCamt } from './camt.ts'
import { readCsv } from './csv.ts'
import type { Reading } from './code-pages.ts'
import { decode } from './decode.ts'
import { currencyIn, joined, type ParsedFile } from './entries.ts'
import { grouped } from './grouped.ts'
import { readMt940 } from './swift.ts'
import { readOfx } from './ofx.ts'
import { readQif } from './qif.ts'
import { toRows } from './rows.ts'
import {
  type Format,
  type ReadOptions,
  type Statement,
  StatementError,
  type StatementRow,
} from './types.ts'

/** Returns the format of a file by its first characters. */
function formatOf(text: string): Format {
  const start = text.slice(0, 4096).trimStart()
  if (/^(?:OFXHEADER|<\?OFX)|<(?:OFX|BANKTRANLIST|STMTTRN)[\s>]/i.test(start)) return 'ofx'
  if (/^<!doctype html|^<html/i.test(start))
    throw new StatementError(
      'This is a web page, not a statement. Download the statement itself.',
    )
  if (start.startsWith('<')) return 'camt'
  // comments may stand before the first list
  if (/^!(?:type:|account\b|option:|clear:)/im.test(start)) return 'qif'
  if (
    /^(?:\{1:|:(?:20|940):)/.test(start) ||
    (/^:25P?:/m.test(start) && /^:(?:60[FM]|61|28C?):/m.test(start))
  ) return 'mt940'
  return 'csv'
}

/** The bytes of a file, its decoded text, or the files of an archive. */
type StatementFile = Uint8Array | ArrayBuffer | string | NamedFile[]

/**
 * Reads a file of a bank: CSV, OFX or QFX, QIF, MT940 or MT942, CAMT.052, .053 or .054.
 *
 * Detects the format, the encoding, the decimal sign, the order of dates and the signs. If the file
 * does not decide one of them, it returns no rows but a problem with the name of the option to set.
 * Signs need no full proof: most amounts with a minus are enough, because people spend more often
 * than they earn.
 *
 * @param file the bytes, the decoded text, or the files of an archive as `unpack` returns them. The
 * files together become one statement
 * @param options answers of the user. They override the detection.
 * @throws StatementError if the file is no statement
 *
 * @example const { rows, problems } = readStatement(await unpack(await file.arrayBuffer()))
 */
export const readStatement = (file: StatementFile, options: ReadOptions = {}): Statement =>
  readFile(file, options, false)

/**
 * Reads a file like `readStatement`, but keeps the starting balances in the export of an app as
 * rows.
 */
export const readWithOpenings = (file: StatementFile, options: ReadOptions): Statement =>
  readFile(file, options, true)

function readFile(file: StatementFile, options: ReadOptions, keepsOpenings: boolean): Statement {
  if (options.currency !== undefined && currencyIn(options.currency) === undefined)
    throw new StatementError(`"${options.currency}" is not a currency code.`)
  if (Array.isArray(file)) {
    // the archive of YNAB has the register and the plan, which has no transactions
    const files = file.length === 2
      ? file.filter(({ name }) => !/ (?:Plan|Budget)\.csv$/.test(name))
      : file
    return files.length === 1
      ? readFile(files[0]!.bytes, options, keepsOpenings)
      : readTogether(files, options)
  }
  const { text, encoding, open = [] } = decode(file, options.encoding)
  const format = options.format ??
    (options.preset === undefined && options.columns === undefined ? formatOf(text) : 'csv')
  const head = { format, ...encoding === undefined ? {} : { encoding } }
  return open.length > 0
    ? { ...head, ...encodingQuestion(text, format, options, open) }
    : { ...head, ...read(text, format, options, keepsOpenings) }
}

/** Formats that name the account of each row, so that several files can become one statement. */
const PARSERS: Record<
  'camt' | 'mt940' | 'ofx',
  (text: string, options: ReadOptions) => ParsedFile
> = { camt: readCamt, mt940: readMt940, ofx: readOfx }

/**
 * Options of formats with fixed notations. Programs that write OFX differ in the order of dates.
 */
const FIXED = {
  camt: { dateOrder: 'ymd', decimal: '.' },
  mt940: { dateOrder: 'ymd', decimal: '.' },
  ofx: { decimal: '.' },
} as const

/**
 * Reads the files of an archive as one statement. Rows that several files repeat under one id of
 * the bank are read once.
 */
function readTogether(files: NamedFile[], options: ReadOptions): Statement {
  const all = files.map(({ name, bytes }) => {
    const { text, encoding, open = [] } = decode(bytes, options.encoding)
    const format = formatOf(text)
    if (format === 'csv' || format === 'qif' || open.length > 0) {
      const names = files.slice(0, 5).map((one) => one.name).join('", "')
      throw new StatementError(
        `This archive has several files: "${names}". Only CAMT, MT940 and OFX are read together, so unzip it and import each file.`,
      )
    }
    try {
      return { name, encoding, format, parsed: PARSERS[format](text, options) }
    } catch (error) {
      if (error instanceof StatementError) throw new StatementError(`${name}: ${error.message}`)
      throw error
    }
  })
  const [{ format, encoding }] = all as [typeof all[number]]
  const other = all.find((one) => one.format !== format)
  if (other !== undefined)
    throw new StatementError(
      `This archive has files of several formats, such as "${other.name}". Import each file separately.`,
    )
  const statement = toRows(joined(all.map(({ name, parsed }) => ({ name, parsed }))), {
    ...options,
    ...FIXED[format],
  })
  return { format, ...encoding === undefined ? {} : { encoding }, ...statement }
}

function read(
  text: string,
  format: Format,
  options: ReadOptions,
  keepsOpenings = false,
): Omit<Statement, 'format' | 'encoding'> {
  switch (format) {
    case 'csv': {
      const { preset, header, options: completed, ...parsed } = readCsv(text, options)
      return {
        header,
        ...preset === undefined ? {} : { preset },
        ...toRows(
          { ...parsed, keepsOpenings: keepsOpenings && parsed.keepsOpenings === true },
          completed,
        ),
      }
    }
    case 'qif':
      return toRows(readQif(text), options)
    case 'ofx':
    case 'camt':
    case 'mt940':
      return toRows(PARSERS[format](text, options), { ...options, ...FIXED[format] })
    default:
      throw new StatementError(`Unknown format "${format as string}".`)
  }
}

/** Returns the question for the encoding, with the header line according to the best guess. */
function encodingQuestion(
  text: string,
  format: Format,
  options: ReadOptions,
  open: Reading[],
): Omit<Statement, 'format' | 'encoding'> {
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
      message: `The characters in this file can be read in several ways. Specify the encoding: ${
        readings.join(', ')
      }.`,
    }],
    accounts: [],
  }
}

/** Maximum number of rows in one call of `import_transactions`. */
export const MAX_ROWS = 5000

/**
 * Splits rows into parts for `import_transactions`. Rows of one day stay in one part: the database
 * recognizes two equal purchases on one day only if one request contains both. A statement without
 * rows has one empty part, with which its balance is sent.
 *
 * @throws StatementError if one day has more than `max` rows
 */
export function inParts(rows: StatementRow[], max = MAX_ROWS): StatementRow[][] {
  let part: StatementRow[] = []
  const parts = [part]
  for (const [day, ofDay] of grouped(rows, ({ transaction_date }) => transaction_date)) {
    if (ofDay.length > max) throw new StatementError(`${day} has more than ${max} transactions.`)
    if (part.length > 0 && part.length + ofDay.length > max) {
      part = []
      parts.push(part)
    }
    part.push(...ofDay)
  }
  return parts
}
