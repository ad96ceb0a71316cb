import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { cashFlowQuery } from '../../data/reports.ts'
import { Card } from '../../parts/card.tsx'
import { type Flow, flowsOf, hasFlow } from '../../parts/charts/flows.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { FlowTable } from './flow-table.tsx'
import { flowMonths, type View } from './view.ts'

// the chart and its library come while the numbers are asked for
const CashFlowChart = lazy(() => import('../../parts/charts/cash-flow-chart.tsx'))

/** What came in and what went out, month by month, and what is planned. */
export function CashFlow({ view: { currency, convertTo, only } }: { view: View }) {
  const { context, rights } = useHere()
  const flow = useQuery(cashFlowQuery(context, { ...flowMonths, convertTo }))
  const [isTable, setIsTable] = useState(false)
  const flows = flowsOf((flow.data ?? []).filter((row) => row.currency === currency))
  return (
    <Card
      title='Cash flow'
      isWide
      queries={[flow]}
      rows={7}
      actions={<button type='button' className='quiet' aria-pressed={isTable} onClick={() => setIsTable(!isTable)}>Show as a table</button>}
    >
      {() => {
        if (currency === undefined) return <div className='chart' />
        if (!hasFlow(flows)) {
          return <EmptyState action={rights.write && <Link to='/transactions'>Add a transaction</Link>}>Nothing was booked in the last six months.</EmptyState>
        }
        return isTable ? <FlowTable flows={flows} currency={currency} only={only} /> : <FlowChart flows={flows} currency={currency} only={only} />
      }}
    </Card>
  )
}

const FlowChart = (props: { flows: Flow[], currency: string, only: string | null }) => (
  <>
    <Suspense fallback={<div className='chart' />}>
      <CashFlowChart {...props} />
    </Suspense>
    <ul className='legend'>
      <li>
        <Sample className='flow-in' />Income
      </li>
      <li>
        <Sample className='flow-out' />Expenses
      </li>
      <li>
        <Sample className='flow-out flow-planned' />Planned
      </li>
      <li>
        <svg viewBox='0 0 14 14' aria-hidden='true'>
          <line className='flow-net' x1='0' x2='14' y1='7' y2='7' />
        </svg>Net
      </li>
    </ul>
  </>
)

const Sample = ({ className }: { className: string }) => (
  <svg viewBox='0 0 14 14' aria-hidden='true'>
    <rect className={className} width='14' height='14' />
  </svg>
)
