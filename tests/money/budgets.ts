/**
 * A model of the comparison of budgets, written from the sentences of docs/data.md and not from the
 * SQL. Pure: no I/O, no clock, no database.
 */
import { daysBetween, daysOfMonth, monthOf, plusDays, plusMonths } from './days.ts'
import {
  converted,
  counted,
  grouped,
  rounded,
  smallest,
  type Books,
  type Group,
  type Question,
} from './model.ts'

export type Compared = {
  category: string
  currency: string
  budget: bigint
  actual: bigint
  pending: bigint
  leftOut: bigint
}

/**
 * The length of a month in units that any day count divides: the least common multiple of 28, 29,
 * 30 and 31.
 */
const shares = 377_580n

type Term = { amount: bigint, rollover: boolean }
/**
 * "That month's row; else the one for every month; else the category's `monthly_budget`, in its
 * `budget_currency`."
 */
function termOf(
  { budgets, categories }: Books,
  category: string,
  currency: string,
  month: string,
): Term | undefined {
  const rows = budgets.filter((one) => one.category === category && one.currency === currency)
  const row = rows.find((one) => one.month === month) ?? rows.find((one) => one.month === null)
  if (row !== undefined) return row
  const found = categories.find(({ id }) => id === category)
  return found?.budgetCurrency === currency && found.monthlyBudget !== null
    ? { amount: found.monthlyBudget, rollover: false }
    : undefined
}

/**
 * "The budget of a category with subcategories also counts the spending of those that have no
 * budget of their own." Returns the category whose budget counts this one. `budgetedIds` are the
 * categories with a budget.
 */
const countedIn = (
  { categories }: Books,
  category: string | null,
  budgetedIds: string[],
): string | null =>
  category === null || budgetedIds.includes(category)
    ? category
    : categories.find(({ id }) => id === category)?.parent ?? category

const add = (groups: Group[]): bigint => groups.reduce((sum, { amount }) => sum + amount, 0n)

/**
 * "What was left of the month before, or less what was overspent there", and so on as long as the
 * budgets say so.
 */
function carriedInto(
  books: Books,
  zone: string,
  category: string,
  currency: string,
  month: string,
  earliest: string,
): bigint {
  const before = plusMonths(month, -1)
  if (before < earliest || termOf(books, category, currency, month)?.rollover !== true) return 0n
  const term = termOf(books, category, currency, before)
  // A month without a budget has no remainder.
  if (term === undefined) return 0n
  const budgetedIds = books.categories.map(({ id }) => id).filter((id) =>
    currenciesOf(books).some((code) => termOf(books, id, code, before) !== undefined)
  )
  const parts = counted(books, {
    zone,
    filter: { first: before, last: plusDays(month, -1), currency },
  })
  const spent = grouped(
    parts.filter((part) => countedIn(books, part.category, budgetedIds) === category),
    () => [null],
  )
  return term.amount + add(spent) + carriedInto(books, zone, category, currency, before, earliest)
}

const currenciesOf = ({ budgets, categories }: Books): string[] => [
  ...new Set([
    ...budgets.map(({ currency }) => currency),
    ...categories.map(({ budgetCurrency }) => budgetCurrency),
  ]),
]

/** Returns the budget of a range of days in one currency, or undefined if there is none. */
function budgetOf(
  books: Books,
  zone: string,
  category: string,
  currency: string,
  first: string,
  last: string,
): bigint | undefined {
  let parts = 0n
  let isThere = false
  for (let month = monthOf(first); month <= last; month = plusMonths(month, 1)) {
    const term = termOf(books, category, currency, month)
    if (term === undefined) continue
    isThere = true
    const end = plusMonths(month, 1)
    const covered = daysBetween(
      month < first ? first : month,
      plusDays(last, 1) < end ? plusDays(last, 1) : end,
    )
    const begun = books.budgets.filter((one) =>
      one.category === category && one.currency === currency
    ).map((one) => one.month ?? one.startsOn ?? books.present)
    // Up to 60 months, from the first with a row.
    const earliest = [plusMonths(month, -60), begun.toSorted()[0] ?? month].toSorted()[1] ?? month
    const carried = month === monthOf(first)
      ? carriedInto(books, zone, category, currency, month, earliest)
      : 0n
    parts += (term.amount + carried) * BigInt(covered) * shares / BigInt(daysOfMonth(month))
  }
  // "a budget has the decimals of its currency"
  const unit = smallest(currency)
  return isThere ? rounded(parts, shares * unit) * unit : undefined
}

export function comparison(
  books: Books,
  question: Question & { filter: { first: string, last: string } },
): Compared[] {
  const { zone, convertTo, filter: { first, last, currency: wanted } } = question
  const budgeted = books.categories.map(({ id }) => ({
    id,
    all: currenciesOf(books).flatMap((currency) => {
      const budget = budgetOf(books, zone, id, currency, first, last)
      return budget === undefined ? [] : [{ currency, budget }]
    }),
  })).filter(({ all }) => all.length > 0)
  if (budgeted.length === 0) return []
  const budgetedIds = budgeted.map(({ id }) => id)
  // "A transaction that is left out counts once for each of its categories."
  const spent = grouped(counted(books, question), ({ category }) => [category]).map((group) => ({
    ...group,
    key: countedIn(books, group.key, budgetedIds),
  }))
  return budgeted.flatMap(({ id, all }) => {
    const rows = new Map<string, Compared>()
    const rowOf = (currency: string): Compared => {
      const row = rows.get(currency) ??
        { category: id, currency, budget: 0n, actual: 0n, pending: 0n, leftOut: 0n }
      rows.set(currency, row)
      return row
    }
    for (
      const { currency, budget } of all.filter((one) =>
        wanted === undefined || one.currency === wanted
      )
    ) {
      const row = rowOf(convertTo ?? currency)
      const amount = convertTo === undefined
        ? budget
        : converted(budget, books.rates, currency, convertTo, last)
      row.budget += amount ?? 0n
      row.leftOut += amount === undefined ? 1n : 0n
    }
    for (const group of spent.filter(({ key }) => key === id)) {
      const row = rowOf(group.currency)
      row.actual -= group.amount
      row.pending -= group.pending
      row.leftOut += group.leftOut
    }
    return [...rows.values()]
  })
}

/** Rounds to the decimals of a currency. */
export const inUnits = (amount: number, currency: string): bigint =>
  BigInt(amount) * smallest(currency)
