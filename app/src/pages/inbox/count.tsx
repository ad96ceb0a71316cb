/** The number of open rows in the navigation. */
import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { inboxCountQuery } from '../../data/open-rows.ts'
import { shell as m } from '../../messages/shell.ts'

export function InboxCount() {
  const { context, user } = useSessionContext()
  const { data: count = 0 } = useQuery(inboxCountQuery(context, user.id))
  if (count === 0) return null
  return (
    <span className='shell-count'>
      <span aria-hidden='true'>{count > 99 ? '99+' : count}</span>
      <span className='unseen'>{m.inboxCount(count)}</span>
    </span>
  )
}
