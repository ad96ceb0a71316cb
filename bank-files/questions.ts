/**
 * Questions for the user. A file gets no rows until they are answered, because its rows could be
 * wrong.
 */
import { amountIn } from './amounts.ts'
import { clean, type Entry } from './entries.ts'
import type { DateOrder, Decimal } from './layout.ts'
import type { Problem } from './types.ts'

const either = (choices: string[]) =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(choices)

const ORDER_NAMES = { dmy: 'day first', mdy: 'month first', ymd: 'year first' }

const question = (
  line: number,
  option: 'dateOrder' | 'decimal',
  unclear: string[],
  choices: string,
): Problem => ({
  line,
  field: option === 'decimal' ? 'amount' : 'transaction_date',
  option,
  unclear,
  message: unclear.length > 1
    ? `"${
      unclear.join('" and "')
    }" have different formats. Specify the one that the file uses: ${choices}.`
    : `"${
      unclear[0]
    }" can be read in several ways, and nothing in the file decides which is right. Specify one: ${choices}.`,
})

/** Returns the question for the option `decimal`. */
export const decimalQuestion = (line: number, unclear: string[]): Problem =>
  question(line, 'decimal', unclear, 'decimal "." or ","')

/**
 * Returns the question for the option `dateOrder`.
 *
 * @param sample returns the date that an order gives
 */
export const orderQuestion = (
  line: number,
  unclear: string[],
  orders: DateOrder[],
  sample: (order: DateOrder) => string,
): Problem => ({
  ...question(
    line,
    'dateOrder',
    unclear,
    `dateOrder ${either(orders.map((value) => `"${value}" (${ORDER_NAMES[value]})`))}`,
  ),
  choices: orders.map((value) => ({ value, sample: sample(value) })),
})

/** Returns the question for the option `negate`, with one or two entries as examples. */
export function signQuestion([first, other]: Entry[], decimal: Decimal): Problem {
  const textOf = (entry: Entry) =>
    [entry.amount, entry.debit, entry.credit].find((text) =>
      text !== undefined && text.trim() !== ''
    )?.trim() ?? ''
  const samples = [first!, ...other === undefined ? [] : [other]].map((entry) =>
    `${textOf(entry)} ${clean(entry.name || entry.fallbackName, 60)}`.trim()
  )
  const isNegative = typeof amountIn(textOf(first!), decimal) === 'number' &&
    Number(amountIn(textOf(first!), decimal)) < 0
  return {
    line: first!.line,
    field: 'amount',
    option: 'negate',
    unclear: samples,
    message: `"${samples.join('" and "')}": nothing in the file shows whether ${
      isNegative ? 'a minus' : 'an amount without a minus'
    } means money ${
      isNegative ? 'out' : 'in'
    }. Specify it: negate true (amounts without a minus are expenses) or false (they are income).`,
  }
}

const MEANINGS = {
  directions:
    'whether it is money in or out. Specify for each word: directions "in", "out" or "sign" (the sign of the amount).',
  statuses:
    'whether a row is booked. Specify for each word: statuses "paid", "pending" or "failed".',
}

/**
 * Returns the question for words of a column, or no question without words.
 *
 * @param open words with the text of the file. Equal words are one
 */
export function wordsQuestion(
  option: 'directions' | 'statuses',
  open: Array<{ line: number, word: string, text: string }>,
): Problem[] {
  const unclear = [...new Map(open.map(({ word, text }) => [word, text])).values()].slice(0, 20)
  return unclear.length === 0 ? [] : [{
    line: open[0]!.line,
    field: option === 'directions' ? 'amount' : 'status',
    option,
    unclear,
    message: `"${unclear.join('", "')}" ${unclear.length === 1 ? 'does' : 'do'} not say ${
      MEANINGS[option]
    }`,
  }]
}
