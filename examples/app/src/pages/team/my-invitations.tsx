import { useQuery } from '@tanstack/react-query'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { chooseContext } from '../../data/me.ts'
import { answerInvitation, myInvitationsQuery } from '../../data/teams.ts'
import { Action } from '../../parts/action.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useTell } from '../../parts/toast.tsx'

/** What waits for the person's answer. Nothing is shown where nothing waits. */
export function MyInvitations() {
  const { user } = useHere()
  const tell = useTell()
  const waiting = useQuery({ ...myInvitationsQuery(user.id), enabled: user.email_verified })
  const open = usePeopleChange(chooseContext)
  const answer = usePeopleChange(answerInvitation, ({ invitation }, { isAccepted }) => {
    if (isAccepted) tell('Welcome. The team is now among yours.', { label: 'Open it', act: () => open.mutate(invitation.organization_id) })
    else tell('You declined.')
  })
  if (waiting.data === undefined || waiting.data.length === 0) return <ErrorNote error={waiting.error} />
  return (
    <section className='section'>
      <h2>Invitations to you</h2>
      <ErrorNote error={answer.error} />
      <ul className='list'>
        {waiting.data.map(({ id, role, organization_name: name = 'a team' }) => (
          <li key={id}>
            <span>
              {name} <span className='badge'>{role}</span>
            </span>
            <button type='button' aria-label={`Accept ${name}`} onClick={() => answer.mutate({ invitationId: id, isAccepted: true })}>Accept</button>
            <Action name='Decline' of={name} onClick={() => answer.mutate({ invitationId: id, isAccepted: false })} />
          </li>
        ))}
      </ul>
    </section>
  )
}
