/** CSV of any bank: where its lines begin, what parts them, and which column is what. */
import Papa from 'papaparse'
import { writtenAmount } from './amounts.ts'
import { looksLikeDay } from './dates.ts'
import type { Column, Columns, Preset, Status } from './layout.ts'
import { type PresetName, PRESETS } from './presets.ts'
import { clean, currencyIn, type Entry, type Found } from './entries.ts'
import { type Problem, type ReadOptions, StatementError } from './types.ts'
import { plainName, usualColumns } from './usual-columns.ts'

/** Banks write at most some twenty lines before the header. */
const LINES_BEFORE = 60

/** When, how much and what. */
const FEWEST_COLUMNS = 3

/** A line that has more names no columns. */
const MOST_COLUMNS = 200

/** Of a file whose columns have to be said: the names, and some examples. */
const LINES_SHOWN = 4

const DELIMITERS = [',', ';', '\t', '|']

/** Whether money went, in the words of banks. */
const DIRECTIONS = new Map<string, boolean>([
  ...['debit', 'dbit', 'dr', 'd', 'out', 's', 'soll', 'af', 'withdrawal'].map((word) => [word, true] as const),
  ...['credit', 'crdt', 'cr', 'c', 'in', 'h', 'haben', 'bij', 'deposit'].map((word) => [word, false] as const),
])

/** What banks without a preset call what is not simply booked. */
const STATUSES: Record<string, Status> = {
  'pending': 'pending',
  'vorgemerkt': 'pending',
  'authorised': 'pending',
  'authorized': 'pending',
  'processing': 'pending',
  'failed': 'failed',
  'declined': 'failed',
  'reverted': 'failed',
  'rejected': 'failed',
  'cancelled': 'failed',
  'canceled': 'failed',
}

/** A record is a line, or several where a quoted cell has line ends in it. */
type Line = { line: number, cells: string[] }

/** Which cells are what: the first record of data, and the place of each column. */
type Layout = { start: number, columns: Columns, header: string[], score: number, preset?: PresetName }

function parse(text: string, delimiter: string, preview = 0): { lines: Line[], unclosed?: number } {
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, newline: '\n', preview, skipEmptyLines: false })
  let line = 1
  const lines = data.map((cells) => {
    const own = { line, cells }
    line += 1 + cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0)
    return own
  })
  const unclosed = errors.find(({ code }) => code === 'MissingQuotes')?.row
  return unclosed === undefined ? { lines } : { lines, unclosed: lines[unclosed]?.line ?? 1 }
}

const namesOf = (columns: Columns): Column[] =>
  [...Object.values(columns).filter((column) => typeof column !== 'object' || Array.isArray(column)), ...Object.values(columns.metadata ?? {})].flat()

const isEmpty = (cells: string[]) => cells.every((cell) => cell.trim() === '')

const placeIn = (header: string[]) => {
  const plain = header.map(plainName)
  return (column: Column) => typeof column === 'number' ? column : plain.indexOf(plainName(column))
}

const presetOf = (name: PresetName): Preset => PRESETS[name]

/** The bank whose header line this is; of several the one that has most of it. */
function presetFor(cells: string[]): PresetName | undefined {
  const place = placeIn(cells)
  let found: PresetName | undefined
  for (const name of Object.keys(PRESETS) as PresetName[]) {
    const { header } = presetOf(name)
    const longer = header.length > (found === undefined ? 0 : presetOf(found).header.length)
    if (longer && header.every((column) => place(column) !== -1)) found = name
  }
  return found
}

/** The layout that one record begins, if it begins one. */
function layoutAt(lines: Line[], index: number, options: ReadOptions): Layout | undefined {
  const { cells } = lines[index]!
  if (cells.length > MOST_COLUMNS) return undefined
  const chosen = options.columns ?? (options.preset === undefined ? undefined : presetOf(options.preset).columns)
  const preset = options.columns === undefined ? options.preset : undefined
  if (chosen !== undefined && namesOf(chosen).every((column) => typeof column === 'number')) {
    // no header line: data begins where a day and an amount are
    const some = (columns: Array<Column | Column[] | undefined>, test: (text: string) => boolean) =>
      columns.flat().some((column) => column !== undefined && test(cells[column as number] ?? ''))
    const begins = some([chosen.date], looksLikeDay) && some([chosen.amount, chosen.debit, chosen.credit], (text) => writtenAmount(text) !== undefined)
    return begins ? { start: index, columns: chosen, header: [], score: namesOf(chosen).length, ...preset === undefined ? {} : { preset } } : undefined
  }
  const place = placeIn(cells)
  const begins = (columns: Columns, required: Column[], own?: PresetName): Layout | undefined =>
    required.every((column) => place(column) !== -1)
      ? { start: index + 1, columns, header: cells, score: 1000 + required.length, ...own === undefined ? {} : { preset: own } }
      : undefined
  if (chosen !== undefined) return begins(chosen, preset === undefined ? namesOf(chosen) : presetOf(preset).header, preset)
  const found = presetFor(cells)
  if (found !== undefined) return begins(presetOf(found).columns, presetOf(found).header, found)
  const usual = usualColumns(cells)
  return usual === undefined ? undefined : { start: index + 1, columns: usual, header: cells, score: Object.keys(usual).length }
}

/** The delimiter and the layout that explain most of the file's beginning. */
function layoutOf(text: string, options: ReadOptions): Layout & { delimiter: string } {
  const says = options.delimiter ?? /^sep=(.)\n/i.exec(text)?.[1]
  let best: Layout & { delimiter: string } | undefined
  let widest: string[] = []
  let shown: string[][] = []
  for (const delimiter of says === undefined ? DELIMITERS : [says]) {
    const { lines } = parse(text, delimiter, LINES_BEFORE)
    for (const index of lines.keys()) {
      const layout = layoutAt(lines, index, options)
      if (layout !== undefined && layout.score > (best?.score ?? 0)) best = { ...layout, delimiter }
      if ((lines[index]?.cells.length ?? 0) <= widest.length) continue
      widest = lines[index]!.cells
      shown = lines.slice(index, index + LINES_SHOWN).map(({ cells }) => cells.slice(0, MOST_COLUMNS).map((cell) => clean(cell)))
    }
  }
  if (best !== undefined) return best
  const has = widest.length < FEWEST_COLUMNS ? '' : ` Its widest line has: ${widest.slice(0, 20).map((cell) => clean(cell, 40)).join(', ')}.`
  if (options.preset !== undefined && options.columns === undefined) throw new StatementError(`This is not the layout of "${options.preset}".${has}`)
  if (options.columns !== undefined)
    throw new StatementError(`No line of the file has all of these columns: ${namesOf(options.columns).join(', ')}.${has}`, shown)
  throw new StatementError(
    widest.length < FEWEST_COLUMNS
      ? 'This is no bank statement that can be read: neither CSV nor OFX, QIF or CAMT.053.'
      : `No line names the columns of a statement (a date, an amount and a name). Say which is which with \`columns\`.${has}`,
    widest.length < FEWEST_COLUMNS ? [] : shown,
  )
}

/** What one record says of each field: the places of the columns are found once for all records. */
function fieldsOf({ columns, header }: Layout) {
  const place = placeIn(header)
  const placesOf = (column: Column | Column[] | undefined) => column === undefined ? [] : [column].flat().map(place)
  const first = (column: Column | Column[] | undefined) => {
    const places = placesOf(column)
    return (cells: string[]): string => {
      for (const at of places) {
        const text = (cells[at] ?? '').trim()
        if (text !== '') return text
      }
      return ''
    }
  }
  const all = (column: Column | Column[] | undefined) => {
    const places = placesOf(column)
    return (cells: string[]): string => [...new Set(places.map((at) => (cells[at] ?? '').trim()))].filter((text) => text !== '').join(' ')
  }
  const { date, amount, debit, credit, direction, fee, name, payer, description, reference_no, external_id, currency, status, account } = columns
  return {
    date: first(date),
    amount: first(amount),
    debit: first(debit),
    credit: first(credit),
    direction: first(direction),
    fee: first(fee),
    name: first(name),
    payer: first(payer),
    description: all(description),
    reference_no: first(reference_no),
    external_id: first(external_id),
    currency: first(currency),
    status: first(status),
    account: first(account),
    metadata: Object.entries(columns.metadata ?? {}).map(([key, column]) => [key, first(column)] as const),
    /** `eur` of a column "Betrag (€)". */
    unit: placesOf(amount).map((at) => currencyIn(/\(([^()]{1,3})\)\s*$/.exec(header[at] ?? '')?.[1])).find((unit) => unit !== undefined),
  }
}

/** A line of data in the bank's words, or what is wrong with it; undefined for a sum of the bank's. */
function entryOf(
  { line, cells }: Line,
  fields: ReturnType<typeof fieldsOf>,
  statuses: Map<string, Status>,
  layout: Layout,
): Entry | Problem | undefined {
  const name = fields.name(cells)
  const preset = layout.preset === undefined ? undefined : presetOf(layout.preset)
  if (preset?.sums?.some((sum) => name.startsWith(sum)) === true) return undefined
  const [date, amount, debit, credit] = [fields.date(cells), fields.amount(cells), fields.debit(cells), fields.credit(cells)]
  if (!looksLikeDay(date) && amount + debit + credit === '') return { line, message: 'This line has neither a date nor an amount and was left out.' }
  const way = plainName(fields.direction(cells))
  const out = DIRECTIONS.get(way)
  if (layout.columns.direction !== undefined && out === undefined) {
    return { line, field: 'amount', message: `"${clean(way, 40)}" does not say whether money came or went.` }
  }
  const account = fields.account(cells)
  const status = statuses.get(plainName(fields.status(cells)))
  return {
    line,
    ...account === '' ? {} : { account },
    date,
    amount,
    debit,
    credit,
    fee: fields.fee(cells),
    ...out === undefined ? {} : { out },
    name,
    payer: fields.payer(cells),
    description: fields.description(cells),
    reference_no: fields.reference_no(cells),
    external_id: fields.external_id(cells),
    currency: fields.currency(cells),
    ...status === undefined ? {} : { status },
    metadata: Object.fromEntries(fields.metadata.map(([key, text]) => [key, clean(text(cells))])),
  }
}

/**
 * @returns what was found, with what the layout says of dates, decimals and the currency
 * @throws StatementError if no line says what the columns are
 */
export function readCsv(text: string, options: ReadOptions): Found & { preset?: PresetName, header: string[], options: ReadOptions } {
  if (options.preset !== undefined && !Object.hasOwn(PRESETS, options.preset)) {
    throw new StatementError(`There is no preset "${options.preset}". There are: ${Object.keys(PRESETS).join(', ')}.`)
  }
  const layout = layoutOf(text, options)
  const { lines, unclosed } = parse(text, layout.delimiter)
  const preset = layout.preset === undefined ? undefined : presetOf(layout.preset)
  const statuses = new Map(Object.entries(preset?.statuses ?? STATUSES).map(([name, status]) => [plainName(name), status]))
  const fields = fieldsOf(layout)
  const entries: Entry[] = []
  const problems: Problem[] = []
  if (unclosed !== undefined) problems.push({ line: unclosed, message: 'A quotation mark of this line is never closed, so everything after it is missing.' })
  for (const line of lines.slice(layout.start)) {
    if (isEmpty(line.cells)) continue
    const found = entryOf(line, fields, statuses, layout)
    if (found === undefined) continue
    if ('message' in found) problems.push(found)
    else entries.push(found)
  }
  const accounts = new Set(entries.flatMap(({ account }) => account === undefined ? [] : [account]))
  const currency = fields.unit ?? options.currency ?? preset?.currency
  return {
    entries,
    problems,
    accounts: [...accounts].map((id) => ({ id })),
    ...layout.preset === undefined ? {} : { preset: layout.preset },
    header: layout.header,
    options: {
      ...preset === undefined ? {} : { dateOrder: preset.dateOrder, decimal: preset.decimal },
      ...options,
      ...currency === undefined ? {} : { currency },
    },
  }
}
