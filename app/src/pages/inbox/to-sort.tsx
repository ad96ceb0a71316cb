/** The way from an import to the inbox. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { inboxCountQuery } from '../../data/open-rows.ts'
import { inbox as m } from '../../messages/inbox.ts'
import './inbox.css'

export function ToSort() {
  const { context, user } = useSessionContext()
  const { data: count = 0 } = useQuery(inboxCountQuery(context, user.id))
  if (count === 0) return null
  return (
    <div className='inbox-to-sort'>
      <p>{m.toReviewSentence(count)}</p>
      <Link to='/inbox' className='primary'>{m.reviewNow}</Link>
    </div>
  )
}
