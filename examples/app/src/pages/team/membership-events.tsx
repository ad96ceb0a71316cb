import { useInfiniteQuery } from '@tanstack/react-query'
import type { MembershipEvent, OrganizationWithRole } from 'finance-client'
import { membershipEventsQuery } from '../../data/events.ts'
import { EventList } from '../../parts/event-list.tsx'

function says({ kind, user, actor, role }: MembershipEvent): string {
  const who = user === null ? 'A former member' : user.name || 'Somebody without a name'
  const did: Record<MembershipEvent['kind'], string> = {
    member_joined: `joined as ${role ?? 'member'}`,
    member_left: 'left',
    member_removed: 'was removed',
    role_changed: `is now ${role ?? 'something else'}`,
    ownership_transferred: 'is now the owner',
  }
  return `${who} ${did[kind]}${actor === null || actor.id === user?.id ? '' : `, by ${actor.name || 'somebody without a name'}`}`
}

/** Who came and went. Owner and admins see it. */
export function MembershipEvents({ team }: { team: OrganizationWithRole }) {
  return (
    <section className='section'>
      <h2>Who came and went</h2>
      <EventList events={useInfiniteQuery(membershipEventsQuery(team.id))} says={says} />
    </section>
  )
}
