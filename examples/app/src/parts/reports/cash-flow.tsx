import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { cashFlowQuery, type FlowPeriods, type Money } from '../../data/reports.ts'
import { Answer } from '../answer.tsx'
import { EmptyState } from '../empty-state.tsx'
import { Skeleton } from '../skeleton.tsx'
import { FlowTable } from './flow-table.tsx'
import { flowsOf, hasFlow, unitOf } from './flows.ts'
import { TableSwitch } from './table-switch.tsx'

// the chart and its library come while the numbers are asked for
const CashFlowChart = lazy(() => import('./cash-flow-chart.tsx'))

/** What came in and what went out, period by period, and what is planned; a chart and its table for each currency. */
export function CashFlow({ grouping, periods, upcoming, money }: FlowPeriods & { money: Money }) {
  const { context, rights } = useHere()
  const flow = useQuery(cashFlowQuery(context, { grouping, periods, upcoming }, money))
  const [isTable, setIsTable] = useState(false)
  const empty = <EmptyState action={rights.write && <Link to='/transactions'>Add a transaction</Link>}>Nothing was booked in these periods.</EmptyState>
  return (
    <Answer to={[flow]} empty={empty} shape={<Skeleton rows={8} />}>
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
                <Suspense key={one.currency} fallback={<div className='chart' />}>
                  <CashFlowChart {...one} />
                </Suspense>
              )
            )}
            {!isTable && <Legend hasPlans={upcoming > 0} />}
            <TableSwitch isTable={isTable} onChange={setIsTable} />
          </>
        )
      }}
    </Answer>
  )
}

const Legend = ({ hasPlans }: { hasPlans: boolean }) => (
  <ul className='legend'>
    <li>
      <Sample className='flow-in' />Income
    </li>
    <li>
      <Sample className='flow-out' />Expenses
    </li>
    {hasPlans && (
      <li>
        <Sample className='flow-out flow-planned' />Planned
      </li>
    )}
    <li>
      <svg viewBox='0 0 14 14' aria-hidden='true'>
        <line className='flow-net' x1='0' x2='14' y1='7' y2='7' />
      </svg>Net
    </li>
  </ul>
)

const Sample = ({ className }: { className: string }) => (
  <svg viewBox='0 0 14 14' aria-hidden='true'>
    <rect className={className} width='14' height='14' />
  </svg>
)
