import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Member, MembershipEvent, OrganizationWithRole } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { changeRole, type GrantableRole, grantableRoles, membershipEventsQuery, membersQuery, removeMember } from '../../data/teams.ts'
import { Action, ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { EventList } from '../../parts/query-boundary.tsx'
import { useToast } from '../../parts/toast.tsx'

const nameOf = ({ user, user_id: id }: Member) => user?.name || user?.email || id

/** The members of the team. The owner and admins change roles and remove members. */
export function Members({ team: { id: organizationId } }: { team: OrganizationWithRole }) {
  const { user, rights } = useSessionContext()
  const toast = useToast()
  const members = useQuery(membersQuery(organizationId))
  const [leaving, setLeaving] = useState<Member | null>(null)
  const give = useAccountChange(changeRole, ({ member }) => toast(`The role is now ${member.role}.`))
  const remove = useAccountChange(removeMember, () => setLeaving(null))
  return (
    <section className='section'>
      <h2>Members</h2>
      <ErrorNote error={members.error ?? give.error} />
      {members.isPending && <Skeleton />}
      <ul className='list'>
        {members.data?.map((member) => {
          const { user_id: userId, role } = member
          const isChangeable = rights.manage && role !== 'owner' && userId !== user.id
          return (
            <li key={member.id}>
              <span>
                {nameOf(member)}
                <small>{member.user?.email}</small>
              </span>
              {isChangeable
                ? (
                  <select
                    aria-label={`Role of ${nameOf(member)}`}
                    value={role}
                    disabled={give.isPending}
                    onChange={({ target }) => give.mutate({ organizationId, userId, role: target.value as GrantableRole })}
                  >
                    {Object.keys(grantableRoles).map((one) => <option key={one} value={one}>{one}</option>)}
                  </select>
                )
                : <span className='badge'>{role}</span>}
              {isChangeable && <Action name='Remove' of={nameOf(member)} onClick={() => setLeaving(member)} />}
            </li>
          )
        })}
      </ul>
      {leaving !== null && (
        <Confirm
          title={`Remove ${nameOf(leaving)}?`}
          action='Remove'
          error={remove.error}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ organizationId, userId: leaving.user_id })}
          onClose={() => setLeaving(null)}
        >
          <p>They no longer see what the team has. What they recorded stays. A new invitation brings them back.</p>
        </Confirm>
      )}
    </section>
  )
}

function textOf({ kind, user, actor, role }: MembershipEvent): string {
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

/** List of membership events, for the owner and admins. */
export function MembershipEvents({ team }: { team: OrganizationWithRole }) {
  return (
    <section className='section'>
      <h2>Who came and went</h2>
      <EventList events={useInfiniteQuery(membershipEventsQuery(team.id))} textOf={textOf} />
    </section>
  )
}
