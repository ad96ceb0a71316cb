/** Sentences for users about rows that the service refused. */
import type { FinanceError } from '../errors.ts'

/** Sentences by the end of a constraint's name. Its beginning is the table and the column. */
const BY_CONSTRAINT: ReadonlyArray<
  readonly [RegExp, (row: ReadonlyMap<string, string>) => string]
> = [
  [/_(currency|base|quote)_(known|form)$/, (row) => {
    const codes = ['currency', 'budget_currency', 'base', 'quote'].flatMap((column) =>
      row.get(column) ?? []
    )
    const named = codes.map((code) => String(JSON.parse(code)).toUpperCase()).join('/')
    return `"${named}" is no longer in use as a currency, so this was not saved. Convert the amounts, for example to EUR, and import the file again.`
  }],
  [/_fits_currency$/, () => 'The amount has more decimals than its currency allows.'],
  [/^line_items_fit$/, () => "The splits don't fit the amount of their transaction."],
]

const BY_CODE: Readonly<Record<string, string>> = {
  '23503': 'This belongs to something that was not saved, such as an account or a transaction.',
  '23505': 'The same row already exists with a different ID.',
}

/** @param row the JSON texts of the row's values */
export function problemOf(
  { code, message, hint }: FinanceError,
  row: ReadonlyMap<string, string>,
): string {
  const [, constraint = ''] = /constraint "([^"]+)"/.exec(message) ?? []
  const sentence = BY_CONSTRAINT.find(([end]) => end.test(constraint))?.[1](row) ?? BY_CODE[code]
  if (sentence !== undefined) return sentence
  return constraint === '' ? message : `A value in this row is not allowed. ${hint ?? ''}`.trim()
}
