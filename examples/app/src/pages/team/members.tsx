import { useQuery } from '@tanstack/react-query'
import type { Member, OrganizationWithRole } from 'finance-client'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { giveRole, type GivenRole, givenRoles, membersQuery, removeMember } from '../../data/teams.ts'
import { Action } from '../../parts/action.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useTell } from '../../parts/toast.tsx'

const nameOf = ({ user, user_id: id }: Member) => user?.name || user?.email || id

/** Who belongs to the team; owners and admins give roles and remove. */
export function Members({ team: { id: organizationId } }: { team: OrganizationWithRole }) {
  const { user, rights } = useHere()
  const tell = useTell()
  const members = useQuery(membersQuery(organizationId))
  const [leaving, setLeaving] = useState<Member | null>(null)
  const give = usePeopleChange(giveRole, ({ member }) => tell(`The role is now ${member.role}.`))
  const remove = usePeopleChange(removeMember, () => setLeaving(null))
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
                    onChange={({ target }) => give.mutate({ organizationId, userId, role: target.value as GivenRole })}
                  >
                    {Object.keys(givenRoles).map((one) => <option key={one} value={one}>{one}</option>)}
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
