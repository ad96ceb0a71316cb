import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { cashFlowQuery, type FlowPeriods, type Money } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { daysOf, formatPeriod } from '../../locale/months.ts'
import { QueryBoundary } from '../query-boundary.tsx'
import { EmptyState, RowsLink, Skeleton } from '../ui.tsx'
import { type FlowProps, flowsOf, hasFlow, unitOf } from './flows.ts'
import { TableSwitch } from './marks.tsx'
import { reports as m } from '../../messages/en.ts'

// the chart and its library load while the report does
const CashFlowChart = lazy(() => import('./cash-flow-chart.tsx'))

/** Income, expenses and plans per period: a chart or a table per currency. */
export function CashFlow({ grouping, periods, upcoming, money }: FlowPeriods & { money: Money }) {
  const { context, rights } = useSessionContext()
  const flow = useQuery(cashFlowQuery(context, { grouping, periods, upcoming }, money))
  const [isTable, setIsTable] = useState(false)
  const empty = <EmptyState action={rights.write && <Link to='/transactions'>{m.addATransaction}</Link>}>{m.nothingWasBookedInThese}</EmptyState>
  return (
    <QueryBoundary of={[flow]} empty={empty} loading={<Skeleton rows={8} />}>
      {(rows) => {
        const all = [...new Set(rows.map(({ currency }) => currency))].map((currency) => ({
          flows: flowsOf(rows.filter((row) => row.currency === currency)),
          currency,
          only: money.convertTo === null ? currency : null,
          unit: unitOf[grouping],
        }))
        if (!all.some(({ flows }) => hasFlow(flows))) return empty
        return (
          <>
            {all.map((one) =>
              isTable ? <FlowTable key={one.currency} {...one} /> : (
                <Suspense key={one.currency} fallback={<div className='report-chart' />}>
                  <CashFlowChart {...one} />
                </Suspense>
              )
            )}
            {!isTable && <Legend hasPlans={upcoming > 0} />}
            <TableSwitch isTable={isTable} onChange={setIsTable} />
          </>
        )
      }}
    </QueryBoundary>
  )
}

const Legend = ({ hasPlans }: { hasPlans: boolean }) => (
  <ul className='report-legend'>
    <li>
      <Sample className='report-flow-in' />
      {m.income}
    </li>
    <li>
      <Sample className='report-flow-out' />
      {m.expenses}
    </li>
    {hasPlans && (
      <li>
        <Sample className='report-flow-out report-flow-planned' />
        {m.planned}
      </li>
    )}
    <li>
      <svg viewBox='0 0 14 14' aria-hidden='true'>
        <line className='report-flow-net' x1='0' x2='14' y1='7' y2='7' />
      </svg>
      {m.net}
    </li>
  </ul>
)

const Sample = ({ className }: { className: string }) => (
  <svg viewBox='0 0 14 14' aria-hidden='true'>
    <rect className={className} width='14' height='14' />
  </svg>
)

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
          const figures = isComing ? ['–', '–', '–'] : [actual.income, actual.expenses, actual.net].map((amount) => formatAmount(amount, currency))
          return (
            <tr key={period}>
              <th scope='row'>{isComing ? name : <RowsLink days={daysOf(period, unit)} currency={only}>{name}</RowsLink>}</th>
              {figures.map((figure, index) => <td key={index} className='amount' data-label={columns[index]}>{figure}</td>)}
              {hasPlans && <td className='amount' data-label={m.planned}>{planned.expenses === 0 ? '–' : formatAmount(planned.expenses, currency)}</td>}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
