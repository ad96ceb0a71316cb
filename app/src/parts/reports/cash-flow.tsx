import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, Suspense, useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { cashFlowQuery, type FlowPeriods, type Money } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { daysOf, formatPeriod } from '../../locale/months.ts'
import { lazyPart } from '../chunk.ts'
import { QueryBoundary } from '../query-boundary.tsx'
import { EmptyState, RowsLink, Skeleton } from '../ui.tsx'
import { type Flow, type FlowProps, flowsOf, hasFlow, unitOf } from './flows.ts'
import { Legend, TableSwitch } from './marks.tsx'
import { ReportNotes } from './report-notes.tsx'
import { common } from '../../messages/common.ts'
import { reports as m } from '../../messages/reports.ts'

// the chart and its library load while the report does
const ColumnsChart = lazyPart(() => import('./columns-chart.tsx'), (chunk) => chunk.default)

/** Income, expenses and plans per period: a chart or a table per currency. */
export function CashFlow({ grouping, periods, upcoming, money }: FlowPeriods & { money: Money }) {
  const { context, rights } = useSessionContext()
  const flow = useQuery(cashFlowQuery(context, { grouping, periods, upcoming }, money))
  const [isTable, setIsTable] = useState(false)
  const empty = (
    <EmptyState action={rights.write && <Link to='/transactions'>{m.addTransaction}</Link>}>
      {m.cashFlowEmpty}
    </EmptyState>
  )
  return (
    <QueryBoundary of={[flow]} empty={empty} loading={<Skeleton rows={8} />}>
      {(rows) => {
        const all = [...new Set(rows.map(({ currency }) => currency))].map((currency) => ({
          flows: flowsOf(rows.filter((row) => row.currency === currency)),
          currency,
          only: money.convertTo === null ? currency : null,
          unit: unitOf[grouping],
        }))
        if (!all.some(({ flows }) => hasFlow(flows)) && rows.every((row) => row.left_out === 0))
          return empty
        return (
          <>
            {all.map((one) =>
              isTable ?
                <FlowTable key={one.currency} {...one} /> :
                (
                  <Suspense key={one.currency} fallback={<div className='report-chart' />}>
                    <ColumnsChart
                      {...one}
                      name={common.cashFlow}
                      textOf={(period) => textOf(period, one)}
                      wrap={(period, column, tabIndex) => (
                        <ColumnLink flow={period} tabIndex={tabIndex} {...one}>{column}</ColumnLink>
                      )}
                    />
                  </Suspense>
                )
            )}
            {!isTable && <Legend parts={upcoming > 0 ? parts : parts.slice(0, 2)} />}
            <TableSwitch isTable={isTable} onChange={setIsTable} />
            <ReportNotes rows={rows} money={money} />
          </>
        )
      }}
    </QueryBoundary>
  )
}

const parts = [['report-flow-in', m.income], ['report-flow-out', m.expenses], [
  'report-flow-out report-flow-planned',
  m.planned,
]] as const

/** The figures of a column. */
function textOf(
  { period, actual, planned, isComing }: Flow,
  { currency, unit }: Pick<FlowProps, 'currency' | 'unit'>,
): string {
  const say = (amount: number) => formatAmount(amount, currency)
  const sums = isComing
    ? m.plannedRecurring(say(planned.expenses))
    : m.incomeExpensesNet(say(actual.income), say(actual.expenses), say(actual.net))
  return `${formatPeriod(period, unit)}: ${sums}`
}

type ColumnLinkProps = Omit<FlowProps, 'flows'> & {
  flow: Flow
  tabIndex: number
  children: ReactNode
}

/** Links a column to its transactions. */
function ColumnLink({ flow, currency, only, unit, tabIndex, children }: ColumnLinkProps) {
  const label = textOf(flow, { currency, unit })
  if (flow.isComing)
    return (
      <Link to='/recurring' className='report-column' aria-label={label} tabIndex={tabIndex}>
        {children}
      </Link>
    )
  return (
    <RowsLink
      days={daysOf(flow.period, unit)}
      currency={only}
      className='report-column'
      label={label}
      tabIndex={tabIndex}
    >
      {children}
    </RowsLink>
  )
}

const columns = [m.income, m.expenses, m.net]

/** The figures of the chart. */
function FlowTable({ flows, currency, only, unit }: FlowProps) {
  const hasPlans = flows.some(({ isComing }) => isComing)
  return (
    <table className='stacking'>
      <thead>
        <tr>
          <th>{m.period}</th>
          {columns.map((column) => <th key={column} className='amount'>{column}</th>)}
          {hasPlans && <th className='amount'>{m.planned}</th>}
        </tr>
      </thead>
      <tbody>
        {flows.map(({ period, actual, planned, isComing }) => {
          const name = formatPeriod(period, unit)
          const figures = isComing
            ? ['–', '–', '–']
            : [actual.income, actual.expenses, actual.net].map((amount) =>
              formatAmount(amount, currency)
            )
          return (
            <tr key={period}>
              <th scope='row'>
                {isComing
                  ? name
                  : <RowsLink days={daysOf(period, unit)} currency={only}>{name}</RowsLink>}
              </th>
              {figures.map((figure, index) => (
                <td key={index} className='amount' data-label={columns[index]}>{figure}</td>
              ))}
              {hasPlans && (
                <td className='amount' data-label={m.planned}>
                  {planned.expenses === 0 ? '–' : formatAmount(planned.expenses, currency)}
                </td>
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
