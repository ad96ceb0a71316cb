/** Converts rows of the report to columns of the cash-flow chart. */
import type { Unit } from '../../locale/months.ts'

/** The unit of a grouping's periods. */
export const unitOf = {
  daily: 'day',
  weekly: 'week',
  monthly: 'month',
  quarterly: 'quarter',
  yearly: 'year',
} as const satisfies Record<string, Unit>

type Sums = { income: number, expenses: number }

/** A row of get_cash_flow. */
type FlowRow = Sums & { period: string, net: number, is_planned: boolean }

export type Flow = {
  /** The first day. */
  period: string
  actual: Sums & { net: number }
  planned: Sums
  /** Whether the period is in the future, which has only plans. */
  isComing: boolean
}

/** The data of the chart and its table. */
export type FlowProps = {
  flows: Flow[]
  currency: string
  /** The currency of the linked transactions; null for all. */
  only: string | null
  unit: Unit
}

export const nothing = { income: 0, expenses: 0, net: 0 }

/** @param rows of one currency */
export function flowsOf(rows: FlowRow[]): Flow[] {
  return [...new Set(rows.map(({ period }) => period))].map((period) => {
    const row = (isPlanned: boolean) =>
      rows.find((one) => one.period === period && one.is_planned === isPlanned)
    const actual = row(false)
    return {
      period,
      actual: actual ?? nothing,
      planned: row(true) ?? nothing,
      isComing: actual === undefined,
    }
  })
}

/** Whether the chart has content. */
export const hasFlow = (flows: Flow[]): boolean =>
  flows.some(({ actual, planned }) =>
    actual.income + actual.expenses + planned.income + planned.expenses !== 0
  )
