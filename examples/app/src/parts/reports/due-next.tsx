import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHere } from '../../app/here.tsx'
import { upcomingQuery } from '../../data/reports.ts'
import { formatCost } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { addDays } from '../../locale/months.ts'
import { ActionsHead } from '../actions-head.tsx'
import { Answer } from '../answer.tsx'
import { EmptyState } from '../empty-state.tsx'
import { Record } from '../record.tsx'
import { Skeleton } from '../skeleton.tsx'

/** A week back, for what nobody has recorded yet, and a month ahead. */
const reach = { back: 7, ahead: 31 }
const most = 8

/** The recurring costs that come next. */
export function DueNext() {
  const { context, rights } = useHere()
  const now = today()
  const upcoming = useQuery({
    ...upcomingQuery(context, { start: addDays(now, -reach.back), end: addDays(now, reach.ahead) }),
    select: (due) => due.filter(({ is_recorded }) => !is_recorded).slice(0, most),
  })
  return (
    <>
      <Answer
        to={[upcoming]}
        empty={<EmptyState action={rights.write && <Link to='/recurring'>Add a recurring cost</Link>}>Nothing is due in the next month.</EmptyState>}
        shape={<Skeleton rows={5} />}
      >
        {(due) => (
          <table>
            <thead className='unseen'>
              <tr>
                <th>Cost</th>
                <th>Amount</th>
                <ActionsHead />
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
                      <Record {...{ subscription_id, title, due_on }} />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Answer>
      <Link to='/recurring'>All recurring costs</Link>
    </>
  )
}
