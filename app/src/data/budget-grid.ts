/** The cells of a grid of budgets: categories and currencies by months. */
import { sumOf } from '../locale/amounts.ts'

type Named = { category_id: string, currency: string }
type Limit = Named & { amount: number, rollover: boolean }

/** Everything that sets the budget of a month. */
export type BudgetSources = {
  /** A row without a month holds for all other months. */
  budgets: ReadonlyArray<Limit & { month: string | null }>
  past: ReadonlyArray<Named & { amount: number | null, rollover: boolean, until: string }>
  categories: ReadonlyArray<{ id: string, monthly_budget: number | null, budget_currency: string }>
}

/** The budget of a month, without the amount that is carried over into it. */
export type MonthLimit = { amount: number, rollover: boolean, isOnlyThisMonth: boolean }

/**
 * Returns the budget of a category, currency and month by the rules of docs/data.md; null if there
 * is none.
 */
export function limitOf(
  { category_id, currency }: Named,
  month: string,
  { budgets, past, categories }: BudgetSources,
): MonthLimit | null {
  const isSame = (one: Named) => one.category_id === category_id && one.currency === currency
  const same = budgets.filter(isSame)
  const ofMonth = same.find((one) => one.month === month)
  if (ofMonth !== undefined)
    return { amount: ofMonth.amount, rollover: ofMonth.rollover, isOnlyThisMonth: true }
  const [former] = past.filter((one) => isSame(one) && one.until > month).toSorted((one, other) =>
    one.until < other.until ? -1 : 1
  )
  const usual = former ?? same.find((one) => one.month === null)
  if (usual !== undefined)
    return usual.amount === null
      ? null
      : { amount: usual.amount, rollover: usual.rollover, isOnlyThisMonth: false }
  const category = categories.find(({ id, budget_currency }) =>
    id === category_id && budget_currency === currency
  )
  return category?.monthly_budget == null
    ? null
    : { amount: category.monthly_budget, rollover: false, isOnlyThisMonth: false }
}

/** A row of the service's comparison of one month. */
type Compared = Named & { budget: number, actual: number, difference: number, pending: number }

export type BudgetCell = {
  /** Null without a budget for this month. */
  limit: MonthLimit | null
  /** The amount from the months before, negative for a debt. */
  carried: number
  /** The budget with the carried amount. */
  budget: number
  spent: number
  /** Negative if overspent. */
  left: number
}

/**
 * Returns the cell of a row and month. @param compared the comparison of only this month, which has
 * its carried amount
 */
export function cellOf(
  row: Named,
  month: string,
  compared: readonly Compared[],
  sources: BudgetSources,
): BudgetCell | null {
  const found = compared.find(({ category_id, currency }) =>
    category_id === row.category_id && currency === row.currency
  )
  if (found === undefined) return null
  const limit = limitOf(row, month, sources)
  return {
    limit,
    carried: limit?.rollover === true ? sumOf([found.budget, -limit.amount]) : 0,
    budget: found.budget,
    spent: found.actual,
    left: found.difference,
  }
}

/** Returns the categories and currencies with a row in a month, in the order of the categories. */
export function gridRows<Category extends { id: string }>(
  categories: readonly Category[],
  months: ReadonlyArray<readonly Named[]>,
): Array<{ category: Category, currency: string }> {
  return categories.flatMap((category) => {
    const currencies = months.flatMap((rows) =>
      rows.filter(({ category_id }) => category_id === category.id).map(({ currency }) => currency)
    )
    return [...new Set(currencies)].toSorted().map((currency) => ({ category, currency }))
  })
}

/** The sums of a month in a currency. */
export type BudgetTotal = Pick<BudgetCell, 'budget' | 'spent' | 'left' | 'carried'>

/** Returns the sums of the cells of a month, to the cent. */
export function totalOf(cells: readonly BudgetCell[]): BudgetTotal {
  const sum = (of: (cell: BudgetCell) => number) => sumOf(cells.map(of))
  return {
    budget: sum(({ budget }) => budget),
    spent: sum(({ spent }) => spent),
    left: sum(({ left }) => left),
    carried: sum(({ carried }) => carried),
  }
}

/**
 * Returns the months of a grid: up to one after the middle month, the others before it. @param
 * count the number of columns
 */
export const monthsAround = (
  month: string,
  count: number,
  add: (month: string, count: number) => string,
): string[] =>
  Array.from({ length: count }, (_, index) => add(month, index + (count > 2 ? 2 : 1) - count))
