/** Where the lines of a CSV file begin, what parts them, and which column is what. */
import { writtenAmount } from './amounts.ts'
import { isEmpty, type Line, parse } from './csv-lines.ts'
import { looksLikeDay } from './dates.ts'
import { clean } from './entries.ts'
import type { Column, Columns, Preset } from './layout.ts'
import { type PresetName, PRESETS } from './presets.ts'
import { type ReadOptions, StatementError } from './types.ts'
import { plainName, usualColumns } from './usual-columns.ts'

/** Banks write at most some twenty lines before the header. */
const LINES_BEFORE = 60

/** So many lines tell one delimiter from another. */
const LINES_COMPARED = 500

/** When, how much and what. */
const FEWEST_COLUMNS = 3

/** A line that has more names no columns. */
const MOST_COLUMNS = 200

/** Of a file whose columns have to be said: the names, and some examples. */
const LINES_SHOWN = 4

const DELIMITERS = [',', ';', '\t', '|']

/** Which cells are what: the first record of data, and the place of each column. */
export type Layout = { delimiter: string, start: number, columns: Columns, header: string[], preset?: PresetName }

/** A layout with the lines that it explains, and the names of its header that it knows. */
type Candidate = Layout & { explained: number, known: number }

export const presetOf = (name: PresetName): Preset => PRESETS[name]

export const placeIn = (header: string[]): (column: Column) => number => {
  const plain = header.map(plainName)
  return (column) => typeof column === 'number' ? column : plain.indexOf(plainName(column))
}

const namesOf = (columns: Columns): Column[] =>
  [...Object.values(columns).filter((column) => typeof column !== 'object' || Array.isArray(column)), ...Object.values(columns.metadata ?? {})].flat()

/** Returns tests of a record: whether it has a day, and whether it has an amount, in the columns for them. */
export function testsOf(
  { columns, header }: Pick<Layout, 'columns' | 'header'>,
): { hasDay: (cells: string[]) => boolean, hasAmount: (cells: string[]) => boolean } {
  const place = placeIn(header)
  const places = (all: Array<Column | Column[] | undefined>) => all.flat().filter((column) => column !== undefined).map(place)
  const [days, amounts] = [places([columns.date]), places([columns.amount, columns.debit, columns.credit])]
  return {
    hasDay: (cells) => days.some((at) => looksLikeDay(cells[at] ?? '')),
    hasAmount: (cells) => amounts.some((at) => writtenAmount(cells[at] ?? '') !== undefined),
  }
}

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
function layoutAt(lines: Line[], index: number, delimiter: string, options: ReadOptions): Omit<Candidate, 'explained'> | undefined {
  const { cells } = lines[index]!
  if (cells.length > MOST_COLUMNS) return undefined
  const chosen = options.columns ?? (options.preset === undefined ? undefined : presetOf(options.preset).columns)
  const preset = options.columns === undefined ? options.preset : undefined
  const own = preset === undefined ? {} : { preset }
  if (chosen !== undefined && namesOf(chosen).every((column) => typeof column === 'number')) {
    // no header line: data begins where a day and an amount are
    const { hasDay, hasAmount } = testsOf({ columns: chosen, header: [] })
    return hasDay(cells) && hasAmount(cells) ? { delimiter, start: index, columns: chosen, header: [], known: 0, ...own } : undefined
  }
  const place = placeIn(cells)
  const begins = (columns: Columns, required: Column[], name: { preset?: PresetName }) =>
    required.every((column) => place(column) !== -1)
      ? { delimiter, start: index + 1, columns, header: cells, known: 1000 + required.length, ...name }
      : undefined
  if (chosen !== undefined) return begins(chosen, preset === undefined ? namesOf(chosen) : presetOf(preset).header, own)
  const found = presetFor(cells)
  if (found !== undefined) return begins(presetOf(found).columns, presetOf(found).header, { preset: found })
  const usual = usualColumns(cells)
  return usual === undefined ? undefined : { delimiter, start: index + 1, columns: usual, header: cells, known: Object.keys(usual).length }
}

/** The layout of a text with this delimiter that explains most lines. */
function bestOf(lines: Line[], delimiter: string, options: ReadOptions): Candidate | undefined {
  let best: Candidate | undefined
  for (const index of lines.slice(0, LINES_BEFORE).keys()) {
    const layout = layoutAt(lines, index, delimiter, options)
    if (layout === undefined) continue
    // lines after a later start are fewer
    if (layout.header.length === 0 && best !== undefined) break
    const { hasDay, hasAmount } = testsOf(layout)
    const explained = lines.slice(layout.start).filter(({ cells }) => hasDay(cells) && hasAmount(cells)).length
    if (best === undefined || explained > best.explained || (explained === best.explained && layout.known > best.known)) best = { ...layout, explained }
  }
  return best
}

/** The first lines of a file with unknown columns, from the widest line on. */
function shownOf(lines: Line[]): { regular: number, shown: string[][] } {
  const near = lines.slice(0, LINES_BEFORE)
  const width = Math.max(0, ...near.map(({ cells }) => cells.length))
  const counts = new Map<number, number>()
  for (const { cells } of lines) if (cells.length >= FEWEST_COLUMNS) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  const from = near.findIndex(({ cells }) => cells.length === width)
  const shown = near.slice(from, from + LINES_SHOWN).map(({ cells }) => cells.slice(0, MOST_COLUMNS).map((cell) => clean(cell)))
  return { regular: Math.max(0, ...counts.values()), shown }
}

/**
 * Returns the delimiter and the layout that explain most of the file.
 *
 * @throws StatementError if no line says what the columns are
 */
export function layoutOf(text: string, options: ReadOptions): Layout {
  const says = options.delimiter ?? /^sep=(.)\n/i.exec(text)?.[1]
  let best: Candidate | undefined
  let shown: string[][] = []
  let regular = -1
  for (const delimiter of says === undefined ? DELIMITERS : [says]) {
    const { lines } = parse(text, delimiter, LINES_COMPARED)
    const layout = bestOf(lines, delimiter, options)
    if (layout !== undefined && (best === undefined || layout.explained > best.explained || (layout.explained === best.explained && layout.known > best.known)))
      best = layout
    const own = shownOf(lines)
    if (own.regular < regular || (own.regular === regular && (own.shown[0]?.length ?? 0) <= (shown[0]?.length ?? 0))) continue
    regular = own.regular
    shown = own.shown
  }
  if (best !== undefined) return best
  const widest = shown[0] ?? []
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

/** Lines before the first one of data that look as if they were data too. */
export function skippedData(lines: Line[], layout: Layout): Line[] {
  const { hasDay, hasAmount } = testsOf(layout)
  const { start, header } = layout
  const before = lines.slice(0, header.length === 0 ? start : start - 1).filter(({ cells }) => !isEmpty(cells))
  return before.filter(({ cells }) =>
    header.length === 0
      ? hasDay(cells) || (hasAmount(cells) && cells.length >= (lines[start]?.cells.length ?? 0))
      : cells.length >= FEWEST_COLUMNS && cells.some(looksLikeDay) && cells.some((cell) => !looksLikeDay(cell) && writtenAmount(cell) !== undefined)
  )
}
