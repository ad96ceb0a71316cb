import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { chooseContext } from '../../data/me.ts'
import { Action } from '../../parts/action.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { CreateTeam } from './create-team.tsx'
import { Invitations } from './invitations.tsx'
import { Members } from './members.tsx'
import { MembershipEvents } from './membership-events.tsx'
import { MyInvitations } from './my-invitations.tsx'
import { TeamEnd } from './team-end.tsx'
import { TeamName } from './team-name.tsx'

/** The teams of the person, and all of the one that is the context. */
export function Page() {
  const { team, rights } = useHere()
  return (
    <>
      <PageHead title={team?.name ?? 'Teams'} />
      {team !== null && <Members team={team} />}
      {team !== null && rights.manage && <Invitations team={team} />}
      {team !== null && rights.manage && <MembershipEvents team={team} />}
      {team !== null && rights.manage && <TeamName key={team.id} team={team} />}
      {team !== null && <TeamEnd key={`${team.id} end`} team={team} />}
      <MyInvitations />
      <Teams />
      <CreateTeam />
    </>
  )
}

function Teams() {
  const { teams, team: current } = useHere()
  const choose = usePeopleChange(chooseContext)
  return (
    <section className='section'>
      <h2>Your teams</h2>
      <ErrorNote error={choose.error} />
      {teams.length === 0 && <p>You belong to no team. What a team has is seen by all of its members; what is personal stays yours.</p>}
      <ul className='list'>
        {teams.map(({ id, name, role }) => (
          <li key={id}>
            <span>
              {name} <span className='badge'>{role}</span>
            </span>
            {id !== current?.id && <Action name='Open' of={name} onClick={() => choose.mutate(id)} />}
          </li>
        ))}
      </ul>
    </section>
  )
}
