/** The columns of the cash-flow chart, made of the rows of the report. */
import type { Unit } from '../../locale/months.ts'

/** Of what length the periods of a grouping are. */
export const unitOf = { daily: 'day', weekly: 'week', monthly: 'month', quarterly: 'quarter', yearly: 'year' } as const satisfies Record<string, Unit>

type Sums = { income: number, expenses: number }

/** A row of get_cash_flow. */
type FlowRow = Sums & { period: string, net: number, is_planned: boolean }

export type Flow = {
  /** Its first day. */
  period: string
  actual: Sums & { net: number }
  planned: Sums
  /** Whether it begins in the future, so that there is nothing but what is planned. */
  isComing: boolean
}

/** What the chart and its table are of. */
export type FlowProps = {
  flows: Flow[]
  currency: string
  /** Of which currency the transactions behind a figure are; null for all of them. */
  only: string | null
  unit: Unit
}

const nothing = { income: 0, expenses: 0, net: 0 }

/** @param rows of one currency */
export function flowsOf(rows: FlowRow[]): Flow[] {
  return [...new Set(rows.map(({ period }) => period))].map((period) => {
    const row = (isPlanned: boolean) => rows.find((one) => one.period === period && one.is_planned === isPlanned)
    const actual = row(false)
    return { period, actual: actual ?? nothing, planned: row(true) ?? nothing, isComing: actual === undefined }
  })
}

/** Whether there is anything to draw. */
export const hasFlow = (flows: Flow[]): boolean =>
  flows.some(({ actual, planned }) => actual.income + actual.expenses + planned.income + planned.expenses !== 0)
