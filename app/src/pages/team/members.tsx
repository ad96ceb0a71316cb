import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { Member, MembershipEvent, OrganizationWithRole } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import {
  changeRole,
  type GrantableRole,
  grantableRoles,
  membershipEventsQuery,
  membersQuery,
  removeMember,
} from '../../data/teams.ts'
import { common } from '../../messages/common.ts'
import { team as m } from '../../messages/team.ts'
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
  const change = useAccountChange(
    changeRole,
    ({ member }) => toast(m.roleChanged(common.roles[member.role])),
  )
  const remove = useAccountChange(removeMember, () => setLeaving(null))
  return (
    <section className='section'>
      <h2>{m.members}</h2>
      <ErrorNote error={members.error ?? change.error} />
      {members.isPending && <Skeleton />}
      <ul className='list'>
        {members.data?.map((member) => (
          <MemberItem
            key={member.id}
            member={member}
            isChangeable={rights.manage && member.role !== 'owner' && member.user_id !== user.id}
            isBusy={change.isPending}
            onRole={(role) => change.mutate({ organizationId, userId: member.user_id, role })}
            onRemove={() => setLeaving(member)}
          />
        ))}
      </ul>
      {leaving !== null && (
        <Confirm
          title={m.removeQuestion(nameOf(leaving))}
          action={common.remove}
          error={remove.error}
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ organizationId, userId: leaving.user_id })}
          onClose={() => setLeaving(null)}
        >
          <p>{m.removeHint}</p>
        </Confirm>
      )}
    </section>
  )
}

type MemberItemProps = {
  member: Member
  isChangeable: boolean
  isBusy: boolean
  onRole: (role: GrantableRole) => void
  onRemove: () => void
}

/** A member with the role, which may be changeable. */
const MemberItem = ({ member, isChangeable, isBusy, onRole, onRemove }: MemberItemProps) => (
  <li>
    <span>
      {nameOf(member)}
      <small>{member.user?.email}</small>
    </span>
    {isChangeable
      ? (
        <select
          aria-label={m.roleOf(nameOf(member))}
          value={member.role}
          disabled={isBusy}
          onChange={({ target }) => onRole(target.value as GrantableRole)}
        >
          {Object.keys(grantableRoles).map((one) => (
            <option key={one} value={one}>{common.roles[one as GrantableRole]}</option>
          ))}
        </select>
      )
      : <span className='badge'>{common.roles[member.role]}</span>}
    {isChangeable && <Action name={common.remove} of={nameOf(member)} onClick={onRemove} />}
  </li>
)

function textOf({ kind, user, actor, role }: MembershipEvent): string {
  const who = user === null ? m.formerMember : user.name || m.unnamed
  const did: Record<MembershipEvent['kind'], string> = {
    member_joined: m.joinedAs(role == null ? m.member : common.roles[role]),
    member_left: m.left,
    member_removed: m.wasRemoved,
    role_changed: m.isNow(role == null ? m.otherRole : common.roles[role]),
    ownership_transferred: m.becameOwner,
  }
  return `${who} ${did[kind]}${
    actor === null || actor.id === user?.id ? '' : m.by(actor.name || m.unnamedWithin)
  }`
}

/** List of membership events, for the owner and admins. */
export function MembershipEvents({ team }: { team: OrganizationWithRole }) {
  return (
    <section className='section'>
      <h2>{m.history}</h2>
      <EventList events={useInfiniteQuery(membershipEventsQuery(team.id))} textOf={textOf} />
    </section>
  )
}
