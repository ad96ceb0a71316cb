import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHere } from '../../app/here.tsx'
import { type Due, upcomingQuery } from '../../data/reports.ts'
import { formatCost } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { addDays } from '../../locale/months.ts'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { useRecord } from '../recurring/record.ts'

/** A week back, for what nobody has recorded yet, and a month ahead. */
const reach = { back: 7, ahead: 31 }
const most = 8

/** The recurring costs that come next. */
export function DueNext({ now }: { now: string }) {
  const { context, rights } = useHere()
  const upcoming = useQuery(upcomingQuery(context, { start: addDays(now, -reach.back), end: addDays(now, reach.ahead) }))
  const due = (upcoming.data ?? []).filter(({ is_recorded }) => !is_recorded)
  return (
    <Card title='Due next' queries={[upcoming]} actions={<Link to='/recurring'>All recurring costs</Link>}>
      {() =>
        due.length === 0
          ? <EmptyState action={rights.write && <Link to='/recurring'>Add a recurring cost</Link>}>Nothing is due in the next month.</EmptyState>
          : <DueTable due={due.slice(0, most)} now={now} />}
    </Card>
  )
}

function DueTable({ due, now }: { due: Due[], now: string }) {
  const { rights } = useHere()
  const record = useRecord()
  return (
    <table>
      <thead className='unseen'>
        <tr>
          <th>Cost</th>
          <th>Amount</th>
          {rights.write && <th>What to do</th>}
        </tr>
      </thead>
      <tbody>
        {due.map(({ subscription_id, title, due_on, amount, currency }) => (
          <tr key={`${subscription_id} ${due_on}`}>
            <th scope='row'>
              {title}
              <small>{due_on < now ? 'was due ' : ''}{due_on === now ? 'today' : formatDay(due_on)}</small>
            </th>
            <td className='amount'>{formatCost(amount, currency)}</td>
            {rights.write && (
              <td className='row-actions'>
                <button
                  type='button'
                  className='quiet'
                  aria-label={`Record ${title} of ${formatDay(due_on)}`}
                  onClick={() => record({ subscription_id, due_on })}
                >
                  Record
                </button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
