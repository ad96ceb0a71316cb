/**
 * Recognizes columns of a CSV file by their values: directions, statuses, accounts and balances.
 * Asks the user if unsure.
 */
import { writtenAmount } from './amounts.ts'
import { type Layout, columnIndexIn, presetOf, testsOf } from './csv-layout.ts'
import type { Line } from './csv-lines.ts'
import { clean } from './entries.ts'
import type { Column, Direction, Status } from './layout.ts'
import { wordsQuestion } from './questions.ts'
import { type Problem, type ReadOptions, StatementError } from './types.ts'
import { plainName, withoutUnit } from './usual-columns.ts'
import { DIRECTIONS, STATUSES } from './vocabulary.ts'

/** A column with more different words contains no directions. */
const MAX_DIRECTION_WORDS = 12

const answeredWords = (answers: Record<string, unknown> | undefined) =>
  new Set(Object.keys(answers ?? {}).map(plainName))

/** Returns the indexes of columns that already have a meaning. */
export function usedColumns({ columns, header }: Layout): Set<number> {
  const {
    direction: _direction,
    status: _status,
    account: _account,
    metadata: _metadata,
    ...used
  } = columns
  return new Set(Object.values(used).flat().map(columnIndexIn(header)))
}

/** A cell of one column, with the sign of its row's amount. */
type Cell = { line: number, word: string, text: string, isNegative: boolean }

function cellsAt(lines: Line[], layout: Layout, at: number): Cell[] {
  const columnIndex = columnIndexIn(layout.header)
  const amounts = [layout.columns.amount].flat().flatMap((column) =>
    column === undefined ? [] : [columnIndex(column)]
  )
  return lines.flatMap(({ line, cells }) => {
    const amount = writtenAmount(
      amounts.map((one) => cells[one] ?? '').find((text) => text.trim() !== '') ?? '',
    )
    const text = cells[at] ?? ''
    return amount === undefined || !/[1-9]/.test(amount.digits)
      ? []
      : [{ line, word: plainName(text), text: clean(text, 40), isNegative: amount.negative }]
  })
}

/**
 * The direction column with the meaning of its words. With the role `signs` they replace the signs
 * of the amounts. With the role `proof` they say which sign expenses have. With the role `doubt`
 * they contradict the signs, but all of them have one direction.
 */
export type Directions = {
  at: number
  meanings: Map<string, Direction>
  role: 'signs' | 'proof' | 'doubt'
}

/** Compares the direction words with the signs: all the same, all opposite, or mixed. */
const agreement = (cells: Cell[]) => {
  const directions = cells.filter(({ word }) => DIRECTIONS.has(word))
  const isSame = ({ word, isNegative }: Cell) => (DIRECTIONS.get(word) === 'out') === isNegative
  return directions.every(isSame) ? 'same' : directions.some(isSame) ? 'mixed' : 'other'
}

/** Names of columns where direction words have another meaning: "credit" can be a credit card. */
const OTHER_MEANING = /card|karte|fund|method|brand|product|category|kategorie|account|konto/

/**
 * Parts of names of direction columns. In other columns words of only one direction lead to a
 * question.
 */
const DIRECTION_NAME =
  /type|typ|tipo|kind|art$|sens|sign|direction|richtung|debit|credit|debet|kredit|soll|haben|d\/c|c\/d|cr|dr|indicator|code|kennzeichen|movim|mutatie|natur|op[eé]ra|[+-]/

/** Finds a column of direction words by its values. */
function directionColumn(
  lines: Line[],
  layout: Layout,
): { at: number, isSure: boolean, role: Directions['role'] } | undefined {
  if (layout.columns.amount === undefined || layout.preset !== undefined) return undefined
  const used = usedColumns(layout)
  const status = layout.columns.status === undefined
    ? -1
    : columnIndexIn(layout.header)(layout.columns.status)
  const width = Math.max(
    layout.header.length,
    ...lines.slice(0, 50).map(({ cells }) => cells.length),
  )
  for (let at = 0; at < width; at += 1) {
    if (used.has(at) || at === status) continue
    const cells = cellsAt(lines, layout, at)
    const distinct = new Set(cells.map(({ word }) => word))
    const filled = cells.filter(({ word }) => word !== '')
    const directions = filled.filter(({ word }) => DIRECTIONS.has(word))
    if (
      directions.length === 0 || distinct.size > MAX_DIRECTION_WORDS ||
      directions.length * 2 < filled.length
    ) continue
    const name = plainName(layout.header[at] ?? '')
    const isBoth = new Set(directions.map(({ word }) => DIRECTIONS.get(word))).size === 2
    if (OTHER_MEANING.test(name)) continue
    const isSure = isBoth || DIRECTION_NAME.test(name)
    if (cells.every(({ isNegative }) => !isNegative)) return { at, isSure, role: 'signs' }
    const agrees = agreement(cells)
    if (isBoth && agrees !== 'mixed') return { at, isSure, role: 'proof' }
    if (agrees === 'other') return { at, isSure, role: 'doubt' }
  }
  return undefined
}

/** Returns the direction column with the meaning of its words, or a question. */
export function directionsOf(
  lines: Line[],
  layout: Layout,
  { directions }: ReadOptions,
): Directions | undefined | Problem[] {
  const named = layout.columns.direction
  const namedIndex = named === undefined ? undefined : columnIndexIn(layout.header)(named)
  const { at, isSure, role } = namedIndex === undefined
    ? directionColumn(lines, layout) ?? { at: -1, isSure: false, role: 'signs' }
    : { at: namedIndex, isSure: true, role: 'signs' as const }
  if (at === -1) return undefined
  const cells = cellsAt(lines, layout, at)
  if (cells.every(({ word }) => word === '')) return undefined
  const answers = Object.entries(directions ?? {}).map((
    [word, direction],
  ): [string, Direction] => [plainName(word), direction])
  const meanings = new Map<string, Direction>([...DIRECTIONS, ...answers])
  if (role !== 'signs' && directions === undefined) return { at, meanings, role }
  const answered = answeredWords(directions)
  const negative = new Set(cells.flatMap(({ word, isNegative }) => isNegative ? [word] : []))
  const positive = new Set(cells.flatMap(({ word, isNegative }) => isNegative ? [] : [word]))
  // a word with amounts of both signs does not prove a direction
  const open = cells.filter(({ word }) =>
    !meanings.has(word) ||
    (!answered.has(word) && (!isSure || (negative.has(word) && positive.has(word))))
  )
  return open.length === 0 ? { at, meanings, role: 'signs' } : wordsQuestion('directions', open)
}

export type Statuses = { at: number, meanings: Map<string, Status> }

/** Returns the status column with the meaning of its words, or a question. */
export function statusesOf(
  lines: Line[],
  layout: Layout,
  { statuses }: ReadOptions,
): Statuses | undefined | Problem[] {
  const { status } = layout.columns
  const at = status === undefined ? -1 : columnIndexIn(layout.header)(status)
  if (at === -1) return undefined
  const plainWords = (answers: Record<string, Status> = {}) =>
    Object.entries(answers).map(([word, meaning]): [string, Status] => [plainName(word), meaning])
  const preset = layout.preset === undefined ? undefined : presetOf(layout.preset)
  const meanings = new Map<string, Status>([
    ...STATUSES,
    ...plainWords(preset?.statuses),
    ...plainWords(statuses),
  ])
  const cells = lines.map(({ line, cells: all }): Cell => ({
    line,
    word: plainName(all[at] ?? ''),
    text: clean(all[at], 40),
    isNegative: false,
  }))
    .filter(({ word }) => word !== '')
  // two capital letters are states of a country, such as CA
  if (
    cells.length > 0 &&
    cells.every(({ text, word }) => /^[A-Z]{2}$/.test(text) && !meanings.has(word))
  ) return undefined
  const open = cells.filter(({ word }) => !meanings.has(word))
  return open.length === 0 ? { at, meanings } : wordsQuestion('statuses', open)
}

/** Names of a column for the user's own account, from sure to unsure. */
const SURE =
  'account name|account nickname|auftragskonto|iban auftragskonto|eigenes konto|iban/bban|own account|my account|kontoname|rekeningnaam|nom du compte|nombre de la cuenta'
const PERHAPS =
  'account|account id|konto|rekening|compte|cuenta|conto|conta|rachunek|konto/karte|účet|счет|счёт|számla|hesap|wallet|from account'
const UNSURE =
  'iban|account number|account no|account no.|account #|account num|acct|acct.|kontonummer|konto-nr.|kontonr|kontonr.|bankkonto|rekeningnummer|numéro de compte|n° de compte|número de cuenta|numero conto|numero di conto'
  + '|número da conta|numer rachunku|nr rachunku|číslo účtu|cislo uctu|номер счета|számlaszám|hesap no|card|card number|card no|card no.|card last 4 digits|last 4 digits|kartennummer|karte|kaartnummer|product'

const namesOf = (list: string) => new Set(list.split('|').map(plainName))
const namesByRank = [namesOf(SURE), namesOf(PERHAPS), namesOf(UNSURE)]

/** Names of a column for the counterparty's account. */
const OTHER_SIDE =
  /gegen|tegen|partner|payee|counter|contra|beneficiary|beneficiario|bénéficiaire|benefici|empfänger|zahlungsbeteiligt|zahlungspflicht|recipient|remitter|destin|other|kontrahen|nadawc|odbiorc|protiúč|protiuc|partner|motpart|mottaker|\bto account|alıcı|source|\bto\b|payer/

/**
 * Returns the column with the account of each row, undefined for a file of one account, or a
 * question.
 */
export function accountsAt(
  lines: Line[],
  layout: Layout,
  { account }: ReadOptions,
): number | undefined | Problem[] {
  const columnIndex = columnIndexIn(layout.header)
  if (account === false) return undefined
  if (account !== undefined) {
    const at = columnIndex(account)
    if (at === -1) throw new StatementError(`There is no column named "${account}".`)
    return at
  }
  if (layout.columns.account !== undefined) return columnIndex(layout.columns.account)
  if (layout.preset !== undefined) {
    const { perhapsAccount } = presetOf(layout.preset)
    const at = perhapsAccount === undefined ? -1 : columnIndex(perhapsAccount)
    return new Set(lines.map(({ cells }) => clean(cells[at])).filter((name) => name !== '')).size >
        1
      ? at
      : undefined
  }
  const used = usedColumns(layout)
  const names = layout.header.map(withoutUnit)
  const { hasDay, hasAmount } = testsOf(layout)
  const data = lines.filter(({ cells }) => hasDay(cells) && hasAmount(cells))
  const unsure: Array<{ name: string, values: string[] }> = []
  for (const [rank, accountNames] of namesByRank.entries()) {
    for (const [at, name] of names.entries()) {
      if (!accountNames.has(name) || used.has(at)) continue
      const texts = data.map(({ cells }) => clean(cells[at], 60))
      const values = [...new Set(texts)].filter((text) => text !== '')
      if (values.length < 2) continue
      const isFull = texts.every((text) => text !== '')
      if (rank === 0 && isFull) return at
      const hasOtherSide = names.some((other, where) =>
        where !== at && OTHER_SIDE.test(other) &&
        /iban|account|konto|rek|compte|cuenta|conto|rachun|účet/.test(other)
      )
      if (isFull && (rank === 1 ? values.length <= Math.max(2, data.length / 2) : hasOtherSide))
        return at
      // an empty cell indicates the counterparty's account: cash has none
      if (isFull || rank < 2) unsure.push({ name: clean(layout.header[at], 60), values })
    }
  }
  const [first] = unsure
  return first === undefined ? undefined : [{
    line: data[0]?.line ?? 1,
    option: 'account',
    unclear: unsure.map(({ name }) => name),
    choices: unsure.map(({ name, values }) => ({
      value: name,
      sample: values.slice(0, 3).join(', '),
    })),
    message: `The column "${first.name}" has ${first.values.length} values, such as "${
      first.values.slice(0, 2).join('" and "')
    }". Specify whether these are your accounts: account "${first.name}", or false if all rows belong to one account.`,
  }]
}

/** Returns the indexes of columns with amounts that may be running balances. */
export function balancesAt(lines: Line[], layout: Layout): number[] {
  const { hasDay, hasAmount } = testsOf(layout)
  const data = lines.filter(({ cells }) => hasDay(cells) && hasAmount(cells))
  const { amount, debit, credit } = layout.columns
  const columnIndex = columnIndexIn(layout.header)
  const used = new Set(
    [amount, debit, credit].flat().flatMap((column: Column | undefined) =>
      column === undefined ? [] : [columnIndex(column)]
    ),
  )
  const width = Math.max(0, ...data.slice(0, 50).map(({ cells }) => cells.length))
  const isAmounts = (at: number) => {
    const filled = data.map(({ cells }) => cells[at] ?? '').filter((text) => text.trim() !== '')
    return filled.length * 2 >= data.length && filled.length > 1 &&
      filled.every((text) => writtenAmount(text) !== undefined)
  }
  return data.length < 2
    ? []
    : Array.from({ length: width }, (_, at) => at).filter((at) => !used.has(at) && isAmounts(at))
}
