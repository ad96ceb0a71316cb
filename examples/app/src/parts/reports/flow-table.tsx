import { formatAmount } from '../../locale/amounts.ts'
import { daysOf, formatPeriod } from '../../locale/months.ts'
import { RowsLink } from '../rows-link.tsx'
import type { FlowProps } from './flows.ts'

const columns = ['Income', 'Expenses', 'Net']

/** The numbers of the cash-flow chart. */
export function FlowTable({ flows, currency, only, unit }: FlowProps) {
  const hasPlans = flows.some(({ isComing }) => isComing)
  return (
    <table className='stacking'>
      <thead>
        <tr>
          <th>Period</th>
          {columns.map((column) => <th key={column} className='amount'>{column}</th>)}
          {hasPlans && <th className='amount'>Planned</th>}
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
              {hasPlans && <td className='amount' data-label='Planned'>{planned.expenses === 0 ? '–' : formatAmount(planned.expenses, currency)}</td>}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
