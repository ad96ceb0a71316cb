import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useChange } from '../../data/change.ts'
import { costOf, recordDue } from '../../data/recurring.ts'
import { upcomingQuery } from '../../data/reports.ts'
import { formatCost } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { addDays, formatPeriod } from '../../locale/months.ts'
import { Action, ActionsHead, EmptyState, Skeleton } from '../ui.tsx'
import { QueryBoundary } from '../query-boundary.tsx'
import { common } from '../../messages/common.ts'
import { reports as m } from '../../messages/reports.ts'

/** Days to look back, for unrecorded costs, and ahead. */
const reach = { back: 7, ahead: 31 }
/** Recurring costs that are due next. @param most the number of rows */
export function DueNext({ most = 8 }: { most?: number }) {
  const { context, rights } = useSessionContext()
  const now = today()
  const upcoming = useQuery({
    ...upcomingQuery(context, { start: addDays(now, -reach.back), end: addDays(now, reach.ahead) }),
    select: (due) => due.filter(({ is_recorded }) => !is_recorded).slice(0, most),
  })
  return (
    <>
      <QueryBoundary
        of={[upcoming]}
        empty={
          <EmptyState action={rights.write && <Link to='/recurring'>{m.addRecurring}</Link>}>
            {m.dueEmpty}
          </EmptyState>
        }
        loading={<Skeleton rows={Math.min(most, 5)} />}
      >
        {(due) => (
          <table>
            <thead className='unseen'>
              <tr>
                <th>{m.duePayment}</th>
                <th>{common.amount}</th>
                {rights.write && <ActionsHead />}
              </tr>
            </thead>
            <tbody>
              {due.map(({ subscription_id, title, due_on, currency, ...rest }) => (
                <tr key={`${subscription_id} ${due_on}`}>
                  <th scope='row'>
                    {title}
                    <small>
                      {due_on < now ? m.wasDue : ''}
                      {due_on === now ? m.today : formatPeriod(due_on, 'day', 'short')}
                    </small>
                  </th>
                  <td className='amount'>{formatCost(costOf(rest), currency)}</td>
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
      </QueryBoundary>
      <Link to='/recurring'>{m.allRecurring}</Link>
    </>
  )
}

/** Creates the transaction of a due day. The service returns the same one for a second click. */
export function Record(
  { subscription_id, title, due_on }: { subscription_id: string, title: string, due_on: string },
) {
  const { mutate } = useChange(recordDue, {
    outcome: ({ id, name }) => ({ text: m.recorded(name, formatDay(due_on)), undoOf: id }),
    toastsErrors: true,
  })
  return (
    <Action
      name={m.record}
      of={m.dueOn(title, formatDay(due_on))}
      onClick={() => mutate({ subscription_id, due_on })}
    />
  )
}
