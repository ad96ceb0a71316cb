/** Reads CSV files of any bank: each record becomes an entry or a problem. */
import {
  accountsAt,
  balancesAt,
  type Directions,
  directionsOf,
  type Statuses,
  statusesOf,
} from './csv-columns.ts'
import { type Layout, layoutOf, columnIndexIn, presetOf, skippedData } from './csv-layout.ts'
import { isEmpty, type Line, parse } from './csv-lines.ts'
import { looksLikeDay } from './dates.ts'
import { feeAt } from './fee-column.ts'
import { unguarded } from './formulas.ts'
import { balanceProblem, clean, type Entry, type ParsedFile } from './entries.ts'
import { sidesOf } from './journal.ts'
import { type Column, type Decimal, type Preset, textColumns } from './layout.ts'
import { type PresetName, PRESETS } from './presets.ts'
import { type Problem, type ReadOptions, StatementError } from './types.ts'
import { plainName, unitOf } from './usual-columns.ts'
import { DIRECTIONS, isBalanceName, isOpeningName } from './vocabulary.ts'

/**
 * Returns functions that read each field of a record. They find the indexes of the columns only
 * once.
 */
function fieldReaders(
  { columns, header }: Layout,
  { account, feeColumn }: { account: number | undefined, feeColumn: number | undefined },
) {
  const columnIndex = columnIndexIn(header)
  const indexesOf = (column: Column | Column[] | undefined) =>
    column === undefined ? [] : [column].flat().map(columnIndex)
  const first = (column: Column | Column[] | undefined) => {
    const indexes = indexesOf(column)
    return (cells: string[]): string => {
      for (const at of indexes) {
        const text = (cells[at] ?? '').trim()
        if (text !== '') return text
      }
      return ''
    }
  }
  const all = (column: Column | Column[] | undefined) => {
    const indexes = indexesOf(column)
    return (cells: string[]): string =>
      [...new Set(indexes.map((at) => (cells[at] ?? '').trim()))].filter((text) => text !== '')
        .join(' ')
  }
  const { date, amount, debit, credit, fee, name, payer, external_id, currency } = columns
  return {
    date: first(date),
    amount: first(amount),
    debit: first(debit),
    credit: first(credit),
    fee: first(fee ?? feeColumn),
    name: first(name),
    payer: first(payer),
    texts: textColumns.map((column) =>
      [column, column === 'description' ? all(columns[column]) : first(columns[column])] as const
    ),
    external_id: first(external_id),
    currency: first(currency),
    account: first(account),
    metadata: Object.entries(columns.metadata ?? {}).map(([key, column]) =>
      [key, first(column)] as const
    ),
    /** `eur` of a column "Betrag (€)". */
    unit: [...indexesOf(amount), ...indexesOf(debit)].map((at) => unitOf(header[at] ?? ''))
      .find((unit) => unit !== undefined),
  }
}

/**
 * Removes the apostrophe that marks a text in a spreadsheet, in columns where every text has one.
 * Quoted texts and the Dutch article `'t` have none.
 */
function withoutTextMarks(lines: Line[]): Line[] {
  const width = Math.max(0, ...lines.slice(0, 50).map(({ cells }) => cells.length))
  const marked = new Set(
    Array.from({ length: width }, (_, at) => at).filter((at) => {
      const texts = lines.map(({ cells }) => cells[at] ?? '').filter((text) => text.trim() !== '')
      return texts.length > 0 && texts.every((text) => /^\s*'(?![tsn](?!\p{L}))/iu.test(text)) &&
        !texts.every((text) => /'\s*$/.test(text))
    }),
  )
  const plain = (text: string) => text.replace(/^\s*'/, '')
  return marked.size === 0
    ? lines
    : lines.map((line) => ({
      ...line,
      cells: line.cells.map((text, at) => marked.has(at) ? plain(text) : text),
    }))
}

type FileContext = {
  layout: Layout
  preset: Preset | undefined
  fields: ReturnType<typeof fieldReaders>
  directions?: Directions
  statuses?: Statuses
  balances: number[]
}

/** Returns the problem that excludes a record; undefined if the record has an entry. */
function exclusionOf(
  { line, cells }: Line,
  { layout, preset, fields }: FileContext,
  isOpening: boolean,
): Problem | undefined {
  const name = fields.name(cells)
  if (preset?.sums?.some((sum) => name.startsWith(sum)) === true)
    return {
      line,
      message: 'This line is a balance, not a transaction. It was skipped.',
    }
  if (preset === undefined && !isOpening && isBalanceName(name))
    return balanceProblem({ line, name })
  const amounts = fields.amount(cells) + fields.debit(cells) + fields.credit(cells)
  if (!isOpening && !looksLikeDay(fields.date(cells)) && amounts === '')
    return { line, message: 'This line has neither a date nor an amount and was skipped.' }
  if (layout.header.length > 0 && !isEmpty(cells.slice(layout.header.length))) {
    return {
      line,
      message: 'This line has more cells than the header, so they may be shifted. It was skipped.',
    }
  }
  return undefined
}

/** Returns the direction that the words of a record decide, or that they only check. */
function directionIn(
  cells: string[],
  { layout, preset, directions }: FileContext,
): Pick<Entry, 'out' | 'hint'> {
  const word = directions === undefined
    ? 'sign'
    : directions.meanings.get(plainName(cells[directions.at] ?? '')) ?? 'sign'
  const direction = directions?.role === 'signs' ? word : 'sign'
  const proof = preset?.proof !== undefined
    ? DIRECTIONS.get(plainName(cells[columnIndexIn(layout.header)(preset.proof)] ?? ''))
    : directions?.role === 'proof' && word !== 'sign'
    ? word
    : undefined
  return {
    ...direction === 'sign' ? {} : { out: direction === 'out' },
    ...proof === undefined ? {} : { hint: proof === 'out' },
  }
}

/** Returns the entry of a record, or the problem that excludes it. */
function entryOf(record: Line, context: FileContext): Entry | Problem {
  const { line, cells } = record
  const { preset, fields, statuses, balances } = context
  const name = fields.name(cells)
  const isOpening = preset === undefined && isOpeningName(name)
  const exclusion = exclusionOf(record, context, isOpening)
  if (exclusion !== undefined) return exclusion
  const account = clean(fields.account(cells))
  const status = statuses === undefined
    ? undefined
    : statuses.meanings.get(plainName(cells[statuses.at] ?? '')) ?? 'paid'
  return {
    line,
    ...isOpening ? { isOpening } : {},
    ...account === '' ? {} : { account: { id: account } },
    date: fields.date(cells),
    amount: fields.amount(cells),
    debit: fields.debit(cells),
    credit: fields.credit(cells),
    fee: fields.fee(cells),
    ...directionIn(cells, context),
    name,
    payer: fields.payer(cells),
    ...Object.fromEntries(fields.texts.map(([column, text]) => [column, text(cells)])),
    external_id: fields.external_id(cells),
    currency: fields.currency(cells),
    ...status === undefined ? {} : { status },
    balances: balances.map((at) => cells[at] ?? ''),
    metadata: Object.fromEntries(fields.metadata.map(([key, text]) => [key, clean(text(cells))])),
  }
}

/** Returns a problem for each line that is missing from the records. */
function missingLines(
  lines: Line[],
  unclosed: number | undefined,
  layout: Layout,
): Problem[] {
  const skipped = skippedData(lines, layout).map(({ line }): Problem => ({
    line,
    message:
      'This line is before the first transaction and was skipped, although it has a date or an amount.',
  }))
  return unclosed === undefined ? skipped : [{
    line: unclosed,
    message: 'A quotation mark on this line is never closed, so everything after it is missing.',
  }, ...skipped]
}

/** Returns the entries of the records, and adds the problems of the other records. */
function entriesOf(records: Line[], context: FileContext, problems: Problem[]): Entry[] {
  const { layout, preset } = context
  const columnIndex = columnIndexIn(layout.header)
  const entries: Entry[] = []
  for (const line of records) {
    const found = entryOf(line, context)
    const sides = 'message' in found || preset?.journal === undefined
      ? found
      : sidesOf(found, preset.journal, (column) => line.cells[columnIndex(column)] ?? '')
    if ('message' in sides) problems.push(sides)
    else entries.push(...[sides].flat())
  }
  return entries
}

/** Returns the decimal sign of the preset, or of the language of the header line. */
function decimalIn({ header, columns }: Layout, preset: Preset | undefined): Decimal | undefined {
  if (preset?.decimal !== undefined) return preset.decimal
  const columnIndex = columnIndexIn(header)
  const amounts = [columns.amount, columns.debit, columns.credit].flat()
    .map((column) => column === undefined ? '' : header[columnIndex(column)] ?? '')
  // no language of East Asia has a decimal comma
  return amounts.some((name) => /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Hangul}]/u.test(name))
    ? '.'
    : undefined
}

/** Returns the source of the signs. The user's answer for the directions also decides the signs. */
function signsIn(
  preset: Preset | undefined,
  directions: Directions | Problem[] | undefined,
  options: ReadOptions,
): ParsedFile['signs'] {
  if (preset?.magnitudes === true) return 'columns'
  if (preset?.proof !== undefined) return 'proof'
  if (Array.isArray(directions)) return 'defined'
  if (directions !== undefined && directions.role !== 'signs') return 'proof'
  return preset === undefined && options.directions === undefined ? 'open' : 'defined'
}

/** Returns the options, completed by those of the preset and of the file. */
function completed(
  options: ReadOptions,
  { layout, preset, fields }: FileContext,
): ReadOptions {
  const decimal = decimalIn(layout, preset)
  const currency = fields.unit ?? options.currency ?? preset?.currency
  return {
    ...typeof preset?.dateOrder === 'string' ? { dateOrder: preset.dateOrder } : {},
    ...decimal === undefined ? {} : { decimal },
    ...preset === undefined || preset.proof !== undefined
      ? {}
      : { negate: preset.negate ?? false },
    ...options,
    ...currency === undefined ? {} : { currency },
  }
}

/**
 * @returns the entries, and the options completed by the preset's date order, decimal sign, signs
 * and currency
 * @throws StatementError if no header line is recognized
 */
export function readCsv(
  text: string,
  options: ReadOptions,
): ParsedFile & { preset?: PresetName, header: string[], options: ReadOptions } {
  if (options.preset !== undefined && !Object.hasOwn(PRESETS, options.preset)) {
    throw new StatementError(
      `Unknown preset "${options.preset}". Available: ${Object.keys(PRESETS).join(', ')}.`,
    )
  }
  const layout = layoutOf(text, options)
  const { lines, unclosed } = parse(text, layout.delimiter)
  const preset = layout.preset === undefined ? undefined : presetOf(layout.preset)
  const records = lines.slice(layout.start).filter(({ cells }) => !isEmpty(cells))
  const data = preset?.isGuarded === true
    ? records.map((line) => ({ ...line, cells: line.cells.map(unguarded) }))
    : withoutTextMarks(records)
  const [directions, statuses, account] = [
    directionsOf(data, layout, options),
    statusesOf(data, layout, options),
    accountsAt(data, layout, options),
  ]
  const balances = balancesAt(data, layout)
  // a preset knows its fees
  const feeColumn = feeAt(data, layout, options, preset === undefined ? balances : [])
  const questions = [directions, statuses, account, feeColumn].flatMap((found) =>
    Array.isArray(found) ? found : []
  )
  const problems = [...questions, ...missingLines(lines, unclosed, layout)]
  const context: FileContext = {
    layout,
    preset,
    fields: fieldReaders(layout, {
      account: Array.isArray(account) ? undefined : account,
      feeColumn: Array.isArray(feeColumn) ? undefined : feeColumn,
    }),
    ...directions === undefined || Array.isArray(directions) ? {} : { directions },
    ...statuses === undefined || Array.isArray(statuses) ? {} : { statuses },
    balances,
  }
  const entries = entriesOf(data, context, problems)
  return {
    signs: signsIn(preset, directions, options),
    entries,
    problems,
    statements: [],
    ...layout.preset === undefined ? {} : { preset: layout.preset },
    header: layout.header,
    ...preset?.keepsOpenings === true ? { keepsOpenings: true } : {},
    ...typeof preset?.dateOrder === 'object' ? { dateOrders: preset.dateOrder } : {},
    options: completed(options, context),
  }
}
