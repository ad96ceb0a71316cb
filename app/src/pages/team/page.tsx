import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { chooseContext } from '../../data/me.ts'
import { team as m } from '../../messages/team.ts'
import { Action, ErrorNote, PageHead } from '../../parts/ui.tsx'
import { CreateTeam } from './create-team.tsx'
import { Invitations, MyInvitations } from './invitations.tsx'
import { Members, MembershipEvents } from './members.tsx'
import { TeamEnd, TeamName } from './team-settings.tsx'
import { common } from '../../messages/common.ts'

/** The team of the context, and all teams of the user. */
export function Page() {
  const { team, rights } = useSessionContext()
  return (
    <>
      <PageHead title={team?.name ?? m.teams} />
      <div className='columns'>
        {team !== null && <Members team={team} />}
        {team !== null && rights.manage && <Invitations team={team} />}
        {team !== null && rights.manage && <MembershipEvents team={team} />}
        {team !== null && rights.manage && <TeamName key={team.id} team={team} />}
        {team !== null && <TeamEnd key={`${team.id} end`} team={team} />}
        <MyInvitations />
        <Teams />
        <CreateTeam />
      </div>
    </>
  )
}

function Teams() {
  const { teams, team: current } = useSessionContext()
  const choose = useAccountChange(chooseContext)
  return (
    <section className='section'>
      <h2>{m.yourTeams}</h2>
      <ErrorNote error={choose.error} />
      {teams.length === 0 && <p>{m.empty}</p>}
      <ul className='list'>
        {teams.map(({ id, name, role }) => (
          <li key={id}>
            <span>
              {name} <span className='badge'>{common.roles[role]}</span>
            </span>
            {id !== current?.id && (
              <Action
                name={m.open}
                of={name}
                onClick={() => choose.mutate(id)}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
