/**
 * Detects the layout of a CSV file: its delimiter, its first line of data and the meaning of its
 * columns.
 */
import { writtenAmount } from './amounts.ts'
import { isEmpty, type Line, parse } from './csv-lines.ts'
import { looksLikeDay } from './dates.ts'
import { clean } from './entries.ts'
import type { Column, Columns, Preset } from './layout.ts'
import { type PresetName, PRESETS } from './presets.ts'
import { type ReadOptions, StatementError } from './types.ts'
import { plainName, usualColumns } from './usual-columns.ts'

/** Number of lines to search for the header. Banks write up to some twenty lines before it. */
const HEADER_SEARCH_LINES = 60

/** Number of lines to compare the delimiters by. */
const SAMPLE_LINES = 500

/** A date, an amount and a name. */
const MIN_COLUMNS = 3

/** A longer line is no header. */
const MAX_COLUMNS = 200

/** Number of lines in the question for the columns: the header and some examples. */
const EXAMPLE_LINES = 4

const DELIMITERS = [',', ';', '\t', '|']

/** The layout of a file. `start` is the index of the first record of data. */
export type Layout = {
  delimiter: string
  start: number
  columns: Columns
  header: string[]
  preset?: PresetName
}

/**
 * A possible layout: `explained` counts the records that match it, `recognized` the recognized
 * names of its header.
 */
type Candidate = Layout & { explained: number, recognized: number }

export const presetOf = (name: PresetName): Preset => PRESETS[name]

/** Returns a function that finds the index of a column in the header; -1 if the header lacks it. */
export const columnIndexIn = (header: string[]): (column: Column) => number => {
  const plain = header.map(plainName)
  return (column) => typeof column === 'number' ? column : plain.indexOf(plainName(column))
}

const namesOf = (columns: Columns): Column[] =>
  [
    ...Object.values(columns).filter((column) =>
      typeof column !== 'object' || Array.isArray(column)
    ),
    ...Object.values(columns.metadata ?? {}),
  ].flat()

/** Returns two tests of a record: for a date and for an amount in their columns. */
export function testsOf(
  { columns, header }: Pick<Layout, 'columns' | 'header'>,
): { hasDay: (cells: string[]) => boolean, hasAmount: (cells: string[]) => boolean } {
  const columnIndex = columnIndexIn(header)
  const indexesOf = (all: Array<Column | Column[] | undefined>) =>
    all.flat().filter((column) => column !== undefined).map(columnIndex)
  const [days, amounts] = [
    indexesOf([columns.date]),
    indexesOf([columns.amount, columns.debit, columns.credit]),
  ]
  return {
    hasDay: (cells) => days.some((at) => looksLikeDay(cells[at] ?? '')),
    hasAmount: (cells) => amounts.some((at) => writtenAmount(cells[at] ?? '') !== undefined),
  }
}

/**
 * Returns the preset that matches a header line. If several match, the one with the most columns
 * wins.
 */
function presetFor(cells: string[]): PresetName | undefined {
  const columnIndex = columnIndexIn(cells)
  let found: PresetName | undefined
  for (const name of Object.keys(PRESETS) as PresetName[]) {
    const { header } = presetOf(name)
    const longer = header.length > (found === undefined ? 0 : presetOf(found).header.length)
    if (longer && header.every((column) => columnIndex(column) !== -1)) found = name
  }
  return found
}

/** Returns the preset without a header line whose shape all records have. */
function presetByShape(lines: Line[]): PresetName | undefined {
  const filled = lines.filter(({ cells }) => !isEmpty(cells))
  return filled.length === 0 ? undefined : (Object.keys(PRESETS) as PresetName[]).find((name) => {
    const { shape } = presetOf(name)
    return shape !== undefined &&
      filled.every(({ cells }) =>
        shape.every((pattern, at) => pattern.test(cells[at]?.trim() ?? '\0'))
      )
  })
}

/** Returns the layout that begins at a record, if any. */
function layoutAt(
  lines: Line[],
  index: number,
  delimiter: string,
  options: ReadOptions,
): Omit<Candidate, 'explained'> | undefined {
  const { cells } = lines[index]!
  if (cells.length > MAX_COLUMNS) return undefined
  const chosen = options.columns ??
    (options.preset === undefined ? undefined : presetOf(options.preset).columns)
  const preset = options.columns === undefined ? options.preset : undefined
  const named = preset === undefined ? {} : { preset }
  if (chosen !== undefined && namesOf(chosen).every((column) => typeof column === 'number')) {
    // without a header line the data begins at the first record with a date and an amount
    const { hasDay, hasAmount } = testsOf({ columns: chosen, header: [] })
    return hasDay(cells) && hasAmount(cells)
      ? { delimiter, start: index, columns: chosen, header: [], recognized: 0, ...named }
      : undefined
  }
  const columnIndex = columnIndexIn(cells)
  const begins = (columns: Columns, required: Column[], name: { preset?: PresetName }) =>
    required.every((column) => columnIndex(column) !== -1)
      ? {
        delimiter,
        start: index + 1,
        columns,
        header: cells,
        recognized: 1000 + required.length,
        ...name,
      }
      : undefined
  if (chosen !== undefined)
    return begins(chosen, preset === undefined ? namesOf(chosen) : presetOf(preset).header, named)
  const found = presetFor(cells)
  if (found !== undefined)
    return begins(presetOf(found).columns, presetOf(found).header, { preset: found })
  const usual = usualColumns(cells)
  return usual === undefined
    ? undefined
    : {
      delimiter,
      start: index + 1,
      columns: usual,
      header: cells,
      recognized: Object.keys(usual).length,
    }
}

/** Returns the layout that matches the most records with this delimiter. */
function bestOf(lines: Line[], delimiter: string, options: ReadOptions): Candidate | undefined {
  let best: Candidate | undefined
  for (const index of lines.slice(0, HEADER_SEARCH_LINES).keys()) {
    const layout = layoutAt(lines, index, delimiter, options)
    if (layout === undefined) continue
    // a later start can only match fewer records
    if (layout.header.length === 0 && best !== undefined) break
    const { hasDay, hasAmount } = testsOf(layout)
    const explained = lines.slice(layout.start).filter(({ cells }) =>
      hasDay(cells) && hasAmount(cells)
    ).length
    if (
      best === undefined || explained > best.explained ||
      (explained === best.explained && layout.recognized > best.recognized)
    )
      best = { ...layout, explained }
  }
  if (best !== undefined || options.columns !== undefined || options.preset !== undefined)
    return best
  const preset = presetByShape(lines)
  return preset === undefined
    ? undefined
    : {
      delimiter,
      start: 0,
      columns: presetOf(preset).columns,
      header: [],
      explained: lines.length,
      recognized: 0,
      preset,
    }
}

/**
 * Returns examples for the question for the columns: lines from the widest one on. `regular` counts
 * the lines of the most frequent width.
 */
function examplesOf(lines: Line[]): { regular: number, examples: string[][] } {
  const near = lines.slice(0, HEADER_SEARCH_LINES)
  const width = Math.max(0, ...near.map(({ cells }) => cells.length))
  const counts = new Map<number, number>()
  for (const { cells } of lines)
    if (cells.length >= MIN_COLUMNS) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  const from = near.findIndex(({ cells }) => cells.length === width)
  const examples = near.slice(from, from + EXAMPLE_LINES).map(({ cells }) =>
    cells.slice(0, MAX_COLUMNS).map((cell) => clean(cell))
  )
  return { regular: Math.max(0, ...counts.values()), examples }
}

/**
 * Returns the delimiter and the layout that match the most records.
 *
 * @throws StatementError if no header line is recognized
 */
export function layoutOf(text: string, options: ReadOptions): Layout {
  const delimiterOption = options.delimiter ?? /^sep=(.)\n/i.exec(text)?.[1]
  let best: Candidate | undefined
  let examples: string[][] = []
  let regular = -1
  for (const delimiter of delimiterOption === undefined ? DELIMITERS : [delimiterOption]) {
    const { lines } = parse(text, delimiter, SAMPLE_LINES)
    const layout = bestOf(lines, delimiter, options)
    if (
      layout !== undefined &&
      (best === undefined || layout.explained > best.explained ||
        (layout.explained === best.explained && layout.recognized > best.recognized))
    )
      best = layout
    const found = examplesOf(lines)
    if (
      found.regular < regular ||
      (found.regular === regular && (found.examples[0]?.length ?? 0) <= (examples[0]?.length ?? 0))
    ) continue
    regular = found.regular
    examples = found.examples
  }
  if (best !== undefined) return best
  const widest = examples[0] ?? []
  const has = widest.length < MIN_COLUMNS
    ? ''
    : ` Its widest line has: ${widest.slice(0, 20).map((cell) => clean(cell, 40)).join(', ')}.`
  if (options.preset !== undefined && options.columns === undefined)
    throw new StatementError(`The file doesn't have the layout of "${options.preset}".${has}`)
  if (options.columns !== undefined)
    throw new StatementError(
      `No line of the file has all of these columns: ${namesOf(options.columns).join(', ')}.${has}`,
      examples,
    )
  throw new StatementError(
    widest.length < MIN_COLUMNS
      ? 'This is not a bank statement in CSV, OFX, QIF, MT940 or CAMT.053.'
      : `No line names the columns of a statement (date, amount and name). Specify them with \`columns\`.${has}`,
    widest.length < MIN_COLUMNS ? [] : examples,
  )
}

/** Returns lines before the data that look like data. */
export function skippedData(lines: Line[], layout: Layout): Line[] {
  const { hasDay, hasAmount } = testsOf(layout)
  const { start, header } = layout
  const before = lines.slice(0, header.length === 0 ? start : start - 1).filter(({ cells }) =>
    !isEmpty(cells)
  )
  return before.filter(({ cells }) =>
    header.length === 0
      ? hasDay(cells) || (hasAmount(cells) && cells.length >= (lines[start]?.cells.length ?? 0))
      : cells.length >= MIN_COLUMNS && cells.some(looksLikeDay) &&
        cells.some((cell) => !looksLikeDay(cell) && writtenAmount(cell) !== undefined)
  )
}
