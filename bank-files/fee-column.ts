/** Finds the column of fees of a CSV file, and whether the amounts include them. */
import { amountIn, decimalOf, writtenAmount } from './amounts.ts'
import { usedColumns } from './csv-columns.ts'
import { columnIndexIn, type Layout } from './csv-layout.ts'
import type { Line } from './csv-lines.ts'
import { clean } from './entries.ts'
import type { Problem, ReadOptions } from './types.ts'
import { withoutUnit } from './usual-columns.ts'
import { FEE_NAMES } from './vocabulary.ts'

/** The indexes of a file's columns of fees, amounts and possible running balances. */
type Columns = { fee: number, amounts: number[], balances: number[] }

const isAmount = (text = '') => /[1-9]/.test(writtenAmount(text)?.digits ?? '')

/**
 * Compares the amounts with each running balance. The set has true if one proves that they exclude
 * the fees, false if one proves the opposite.
 */
function proofsOf(
  lines: Line[],
  { fee: feeIndex, amounts, balances }: Columns,
  options: ReadOptions,
): Set<boolean> {
  const decimal = options.decimal ??
    decimalOf(
      lines.flatMap(({ cells }) => [...amounts, feeIndex, ...balances].map((at) => cells[at] ?? ''))
        .filter((text) => writtenAmount(text) !== undefined),
    )
  const centsAt = (index: number, where: number): number => {
    const cents = typeof decimal === 'string'
      ? amountIn(lines[index]?.cells[where] ?? '', decimal)
      : ''
    return typeof cents === 'number' ? cents : Number.NaN
  }
  return new Set(balances.flatMap((balance) =>
    // the first row is the oldest or the newest
    [-1, 1].flatMap((before) => {
      const steps = lines.map((line, index) => ({
        step: centsAt(index, balance) - centsAt(index + before, balance),
        amount: centsAt(index, amounts.find((at) => isAmount(line.cells[at])) ?? -1),
        fee: Math.abs(centsAt(index, feeIndex)) || 0,
      })).filter(({ step, amount }) => !Number.isNaN(step) && !Number.isNaN(amount))
      const fits = (isExcluded: boolean) =>
        steps.every(({ step, amount, fee }) =>
          Math.abs(step + (isExcluded ? fee : 0)) === Math.abs(amount)
        )
      return steps.some(({ fee }) => fee > 0) ? [true, false].filter(fits) : []
    })
  ))
}

/**
 * Returns the column of fees to subtract from the amounts, undefined if the amounts include them,
 * or a question. A running balance decides.
 *
 * @param balances the indexes of possible running balances
 */
export function feeAt(
  lines: Line[],
  layout: Layout,
  options: ReadOptions,
  balances: number[],
): number | undefined | Problem[] {
  if (layout.preset !== undefined || options.columns !== undefined) return undefined
  const used = usedColumns(layout)
  const at = layout.header.findIndex((name, index) =>
    FEE_NAMES.has(withoutUnit(name)) && !used.has(index)
  )
  const columnIndex = columnIndexIn(layout.header)
  const amounts = [layout.columns.amount, layout.columns.debit, layout.columns.credit].flat()
    .flatMap((column) => column === undefined ? [] : [columnIndex(column)])
  const charged = at === -1 ?
    undefined :
    lines.find(({ cells }) => isAmount(cells[at]) && amounts.some((one) => isAmount(cells[one])))
  if (charged === undefined || options.fee === false) return undefined
  if (options.fee === true) return at
  const proofs = proofsOf(lines, { fee: at, amounts, balances }, options)
  if (proofs.size === 1) return proofs.has(true) ? at : undefined
  const { line, cells } = charged
  const texts = [amounts.map((one) => cells[one] ?? '').find(isAmount), cells[at]].map((text) =>
    clean(text, 40)
  )
  return [{
    line,
    field: 'amount',
    option: 'fee',
    unclear: [texts.join(' and ')],
    message: `The column "${clean(layout.header[at], 60)}" has ${texts[1]} next to ${
      texts[0]
    }. Specify whether to subtract the fee from the amount: fee true or false.`,
  }]
}
