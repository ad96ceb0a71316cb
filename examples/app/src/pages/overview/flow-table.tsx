import { formatAmount } from '../../locale/amounts.ts'
import { formatMonth } from '../../locale/days.ts'
import { daysOf } from '../../locale/months.ts'
import type { Flow } from '../../parts/charts/flows.ts'
import { RowsLink } from '../../parts/rows-link.tsx'

const columns = ['Income', 'Expenses', 'Net']

/** The numbers of the cash-flow chart. */
export const FlowTable = ({ flows, currency, only }: { flows: Flow[], currency: string, only: string | null }) => (
  <table className='stacking'>
    <thead>
      <tr>
        <th>Month</th>
        {columns.map((column) => <th key={column} className='amount'>{column}</th>)}
        <th className='amount'>Planned</th>
      </tr>
    </thead>
    <tbody>
      {flows.map(({ period, actual, planned, isComing }) => {
        const figures = isComing ? ['–', '–', '–'] : [actual.income, actual.expenses, actual.net].map((amount) => formatAmount(amount, currency))
        return (
          <tr key={period}>
            <th scope='row'>{isComing ? formatMonth(period) : <RowsLink days={daysOf(period)} currency={only}>{formatMonth(period)}</RowsLink>}</th>
            {figures.map((figure, index) => <td key={index} className='amount' data-label={columns[index]}>{figure}</td>)}
            <td className='amount' data-label='Planned'>{planned.expenses === 0 ? '–' : formatAmount(planned.expenses, currency)}</td>
          </tr>
        )
      })}
    </tbody>
  </table>
)
