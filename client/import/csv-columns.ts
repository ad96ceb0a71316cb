/** Recognizes columns of a CSV file by their values: directions, states, accounts and balances. */
import { amountIn, decimalOf, writtenAmount } from './amounts.ts'
import { type Layout, placeIn, presetOf, testsOf } from './csv-layout.ts'
import type { Line } from './csv-lines.ts'
import { clean } from './entries.ts'
import type { Column, Direction, Status } from './layout.ts'
import { type Problem, type ReadOptions, StatementError } from './types.ts'
import { plainName, withoutUnit } from './usual-columns.ts'
import { DIRECTIONS, FEE_NAMES, STATUSES } from './words.ts'

/** A column of more different words says something else than a direction. */
const MOST_WORDS = 12

const asked = (words: Record<string, unknown> | undefined) => new Set(Object.keys(words ?? {}).map(plainName))

/** The places of columns that already mean something else. */
function takenBy({ columns, header }: Layout): Set<number> {
  const { date, amount, debit, credit, fee, name, payer, description, reference_no, external_id, currency } = columns
  const place = placeIn(header)
  return new Set(
    [date, amount, debit, credit, fee, name, payer, description, reference_no, external_id, currency].flat().flatMap((column) =>
      column === undefined ? [] : [place(column)]
    ),
  )
}

/** Some lines' cells at one place, and the sign of their amounts. */
type Cell = { line: number, word: string, text: string, isNegative: boolean }

function cellsAt(lines: Line[], layout: Layout, at: number): Cell[] {
  const place = placeIn(layout.header)
  const amounts = [layout.columns.amount].flat().flatMap((column) => column === undefined ? [] : [place(column)])
  return lines.flatMap(({ line, cells }) => {
    const amount = writtenAmount(amounts.map((one) => cells[one] ?? '').find((text) => text.trim() !== '') ?? '')
    const text = cells[at] ?? ''
    return amount === undefined || !/[1-9]/.test(amount.digits) ? [] : [{ line, word: plainName(text), text: clean(text, 40), isNegative: amount.negative }]
  })
}

const wordsQuestion = (option: 'directions' | 'statuses', open: Cell[], says: string): Problem[] => {
  const words = [...new Map(open.map(({ word, text }) => [word, text])).values()].slice(0, 20)
  return words.length === 0 ? [] : [{
    line: open[0]!.line,
    field: option === 'directions' ? 'amount' : 'status',
    option,
    unclear: words,
    message: `"${words.join('", "')}" ${words.length === 1 ? 'does' : 'do'} not say ${says}`,
  }]
}

export type Directions = { at: number, words: Map<string, Direction> }

/** Whether the words of a column go with the signs: the same way everywhere, the other way everywhere, or neither. */
const agreement = (cells: Cell[]) => {
  const known = cells.filter(({ word }) => DIRECTIONS.has(word))
  const isSame = ({ word, isNegative }: Cell) => (DIRECTIONS.get(word) === 'out') === isNegative
  return known.every(isSame) ? 'same' : known.some(isSame) ? 'mixed' : 'other'
}

/** Names of columns with direction words in another meaning: a credit card is no money that came in. */
const OTHER_MEANING = /card|karte|fund|method|brand|product|category|kategorie/

/** Parts of names of such columns. Words of one direction in another column are asked for. */
const KIND =
  /type|typ|tipo|kind|art$|sens|sign|direction|richtung|debit|credit|debet|kredit|soll|haben|d\/c|c\/d|cr|dr|indicator|code|kennzeichen|movim|mutatie|natur|op[eé]ra|[+-]/

/** Finds a column of direction words that no name gives away. */
function directionColumn(lines: Line[], layout: Layout): { at: number, isSure: boolean } | undefined {
  if (layout.columns.amount === undefined || layout.preset !== undefined) return undefined
  const taken = takenBy(layout)
  const status = layout.columns.status === undefined ? -1 : placeIn(layout.header)(layout.columns.status)
  const width = Math.max(layout.header.length, ...lines.slice(0, 50).map(({ cells }) => cells.length))
  for (let at = 0; at < width; at += 1) {
    if (taken.has(at) || at === status) continue
    const cells = cellsAt(lines, layout, at)
    const words = new Set(cells.map(({ word }) => word))
    const filled = cells.filter(({ word }) => word !== '')
    const known = filled.filter(({ word }) => DIRECTIONS.has(word))
    if (known.length === 0 || words.size > MOST_WORDS || known.length * 2 < filled.length) continue
    const name = plainName(layout.header[at] ?? '')
    const isBoth = new Set(known.map(({ word }) => DIRECTIONS.get(word))).size === 2
    if (OTHER_MEANING.test(name)) continue
    if (cells.every(({ isNegative }) => !isNegative) || agreement(cells) === 'other') return { at, isSure: isBoth || KIND.test(name) }
  }
  return undefined
}

/** Returns the column that says in or out with the meaning of its words, or the question what they mean. */
export function directionsOf(lines: Line[], layout: Layout, { directions }: ReadOptions): Directions | undefined | Problem[] {
  const named = layout.columns.direction
  const place = named === undefined ? undefined : placeIn(layout.header)(named)
  const { at, isSure } = place === undefined ? directionColumn(lines, layout) ?? { at: -1, isSure: false } : { at: place, isSure: true }
  if (at === -1) return undefined
  const cells = cellsAt(lines, layout, at)
  if (cells.every(({ word }) => word === '')) return undefined
  const said = Object.entries(directions ?? {}).map(([word, direction]): [string, Direction] => [plainName(word), direction])
  const words = new Map<string, Direction>([...DIRECTIONS, ...said])
  const isAnswered = asked(directions)
  const negative = new Set(cells.flatMap(({ word, isNegative }) => isNegative ? [word] : []))
  const positive = new Set(cells.flatMap(({ word, isNegative }) => isNegative ? [] : [word]))
  // a word that stands beside both signs does not say which way by itself
  const open = cells.filter(({ word }) => !words.has(word) || (!isAnswered.has(word) && (!isSure || (negative.has(word) && positive.has(word)))))
  return open.length === 0 ? { at, words } : wordsQuestion(
    'directions',
    open,
    'whether money came or went. Say for each word: directions "in", "out" or "sign" (the sign of the amount).',
  )
}

export type Statuses = { at: number, words: Map<string, Status> }

/** Returns the status column with the meaning of its words, or the question what they mean. */
export function statusesOf(lines: Line[], layout: Layout, { statuses }: ReadOptions): Statuses | undefined | Problem[] {
  const { status } = layout.columns
  const at = status === undefined ? -1 : placeIn(layout.header)(status)
  if (at === -1) return undefined
  const entriesOf = (words: Record<string, Status> = {}) => Object.entries(words).map(([word, own]): [string, Status] => [plainName(word), own])
  const preset = layout.preset === undefined ? undefined : presetOf(layout.preset)
  const words = new Map<string, Status>([...STATUSES, ...entriesOf(preset?.statuses), ...entriesOf(statuses)])
  const cells = lines.map(({ line, cells: all }): Cell => ({ line, word: plainName(all[at] ?? ''), text: clean(all[at], 40), isNegative: false }))
    .filter(({ word }) => word !== '')
  // the state of a country is another column
  if (cells.length > 0 && cells.every(({ text, word }) => /^[A-Z]{2}$/.test(text) && !words.has(word))) return undefined
  const open = cells.filter(({ word }) => !words.has(word))
  return open.length === 0 ? { at, words } : wordsQuestion(
    'statuses',
    open,
    'whether a row is booked. Say for each word: statuses "paid", "pending" or "failed".',
  )
}

/** Names of a column for one's own account. */
const OWN =
  'account name|account nickname|auftragskonto|iban auftragskonto|eigenes konto|iban/bban|own account|my account|kontoname|rekeningnaam|nom du compte|nombre de la cuenta'
const PERHAPS = 'account|account id|konto|rekening|compte|cuenta|conto|conta|rachunek|konto/karte|účet|счет|счёт|számla|hesap|wallet|from account'
const UNSURE =
  'iban|account number|account no|account no.|account #|account num|acct|acct.|kontonummer|konto-nr.|kontonr|kontonr.|bankkonto|rekeningnummer|numéro de compte|n° de compte|número de cuenta|numero conto|numero di conto'
  + '|número da conta|numer rachunku|nr rachunku|číslo účtu|cislo uctu|номер счета|számlaszám|hesap no|card|card number|card no|card no.|card last 4 digits|last 4 digits|kartennummer|karte|kaartnummer|product'

const namesOf = (list: string) => new Set(list.split('|').map(plainName))
const ranks = [namesOf(OWN), namesOf(PERHAPS), namesOf(UNSURE)]

/** Names of a column for the other side's account. */
const OTHER_SIDE =
  /gegen|tegen|partner|payee|counter|contra|beneficiary|beneficiario|bénéficiaire|benefici|empfänger|zahlungsbeteiligt|zahlungspflicht|recipient|remitter|destin|other|kontrahen|nadawc|odbiorc|protiúč|protiuc|partner|motpart|mottaker|\bto account|alıcı|source|\bto\b|payer/

/** Returns the column that names the account of each row, nothing for a file of one account, or the question which it is. */
export function accountsAt(lines: Line[], layout: Layout, { account }: ReadOptions): number | undefined | Problem[] {
  const place = placeIn(layout.header)
  if (account === false) return undefined
  if (account !== undefined) {
    const at = place(account)
    if (at === -1) throw new StatementError(`No column is called "${account}".`)
    return at
  }
  if (layout.columns.account !== undefined) return place(layout.columns.account)
  if (layout.preset !== undefined) return undefined
  const taken = takenBy(layout)
  const names = layout.header.map(withoutUnit)
  const { hasDay, hasAmount } = testsOf(layout)
  const data = lines.filter(({ cells }) => hasDay(cells) && hasAmount(cells))
  const unsure: Array<{ name: string, values: string[] }> = []
  for (const [rank, own] of ranks.entries()) {
    for (const [at, name] of names.entries()) {
      if (!own.has(name) || taken.has(at)) continue
      const texts = data.map(({ cells }) => clean(cells[at], 60))
      const values = [...new Set(texts)].filter((text) => text !== '')
      if (values.length < 2) continue
      const isFull = texts.every((text) => text !== '')
      if (rank === 0 && isFull) return at
      const hasOtherSide = names.some((other, where) =>
        where !== at && OTHER_SIDE.test(other) && /iban|account|konto|rek|compte|cuenta|conto|rachun|účet/.test(other)
      )
      if (isFull && (rank === 1 ? values.length <= Math.max(2, data.length / 2) : hasOtherSide)) return at
      // a gap means the other side's account: cash has none
      if (isFull || rank < 2) unsure.push({ name: clean(layout.header[at], 60), values })
    }
  }
  const [first] = unsure
  return first === undefined ? undefined : [{
    line: data[0]?.line ?? 1,
    option: 'account',
    unclear: unsure.map(({ name }) => name),
    choices: unsure.map(({ name, values }) => ({ value: name, sample: values.slice(0, 3).join(', ') })),
    message: `The column "${first.name}" has ${first.values.length} values, such as "${
      first.values.slice(0, 2).join('" and "')
    }". Say whether they are accounts of yours: account "${first.name}", or false if all rows are of one account.`,
  }]
}

/**
 * Returns the column of fees that are taken off the amounts, nothing where the amounts have them in them, or the question. A running balance
 * decides it.
 *
 * @param balances the places of columns that may be running balances
 */
export function feeAt(lines: Line[], layout: Layout, options: ReadOptions, balances: number[]): number | undefined | Problem[] {
  if (layout.preset !== undefined || options.columns !== undefined) return undefined
  const taken = takenBy(layout)
  const at = layout.header.findIndex((name, place) => FEE_NAMES.has(withoutUnit(name)) && !taken.has(place))
  const place = placeIn(layout.header)
  const amounts = [layout.columns.amount, layout.columns.debit, layout.columns.credit].flat().flatMap((column) => column === undefined ? [] : [place(column)])
  const isAmount = (text = '') => /[1-9]/.test(writtenAmount(text)?.digits ?? '')
  const charged = at === -1 ? [] : lines.flatMap((line, index) => isAmount(line.cells[at]) && amounts.some((one) => isAmount(line.cells[one])) ? [index] : [])
  if (charged.length === 0 || options.fee === false) return undefined
  if (options.fee === true) return at
  const decimal = options.decimal ??
    decimalOf(lines.flatMap(({ cells }) => [...amounts, at, ...balances].map((one) => cells[one] ?? '')).filter((text) => writtenAmount(text) !== undefined))
  const centsAt = (index: number, where: number): number => {
    const cents = typeof decimal === 'string' ? amountIn(lines[index]?.cells[where] ?? '', decimal) : ''
    return typeof cents === 'number' ? cents : Number.NaN
  }
  const proofs = new Set(balances.flatMap((balance) =>
    // a file begins with its oldest row or with its newest
    [-1, 1].flatMap((before) => {
      const steps = lines.map((line, index) => ({
        step: centsAt(index, balance) - centsAt(index + before, balance),
        amount: centsAt(index, amounts.find((one) => isAmount(line.cells[one])) ?? -1),
        fee: Math.abs(centsAt(index, at)) || 0,
      })).filter(({ step, amount }) => !Number.isNaN(step) && !Number.isNaN(amount))
      const fits = (isBeside: boolean) => steps.every(({ step, amount, fee }) => Math.abs(step + (isBeside ? fee : 0)) === Math.abs(amount))
      return steps.some(({ fee }) => fee > 0) ? [true, false].filter(fits) : []
    })
  ))
  if (proofs.size === 1) return proofs.has(true) ? at : undefined
  const { line, cells } = lines[charged[0]!]!
  const texts = [amounts.map((one) => cells[one] ?? '').find(isAmount), cells[at]].map((text) => clean(text, 40))
  return [{
    line,
    field: 'amount',
    option: 'fee',
    unclear: [texts.join(' and ')],
    message: `The column "${clean(layout.header[at], 60)}" has ${texts[1]} beside ${
      texts[0]
    }. Say whether the amount has the fee in it: fee true takes it off, false does not.`,
  }]
}

/** Returns the places of columns of amounts that may be running balances. */
export function balancesAt(lines: Line[], layout: Layout): number[] {
  const { hasDay, hasAmount } = testsOf(layout)
  const data = lines.filter(({ cells }) => hasDay(cells) && hasAmount(cells))
  const { amount, debit, credit } = layout.columns
  const place = placeIn(layout.header)
  const taken = new Set([amount, debit, credit].flat().flatMap((column: Column | undefined) => column === undefined ? [] : [place(column)]))
  const width = Math.max(0, ...data.slice(0, 50).map(({ cells }) => cells.length))
  const isAmounts = (at: number) => {
    const filled = data.map(({ cells }) => cells[at] ?? '').filter((text) => text.trim() !== '')
    return filled.length * 2 >= data.length && filled.length > 1 && filled.every((text) => writtenAmount(text) !== undefined)
  }
  return data.length < 2 ? [] : Array.from({ length: width }, (_, at) => at).filter((at) => !taken.has(at) && isAmounts(at))
}
