import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { InvitationOfLink } from 'finance-client'
import { useSession } from '../../app/session.ts'
import { usePeopleChange } from '../../data/change.ts'
import { chooseContext, meQuery, signOut } from '../../data/me.ts'
import { answerInvitation } from '../../data/teams.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { SendVerification } from '../../parts/send-verification.tsx'

/** What the one who opened the link can do with the invitation. */
export function Answer({ invitation: { id, status, email_hint: address, is_for_caller: isForCaller } }: { invitation: InvitationOfLink }) {
  const { session } = useSession()
  const userId = session?.user_id ?? ''
  const me = useQuery({ ...meQuery(userId), enabled: userId !== '' })
  const answer = usePeopleChange(answerInvitation)
  const leave = usePeopleChange(signOut)
  const email = me.data?.user.email ?? ''
  const back = { to: `/accept-invitation?invitationId=${encodeURIComponent(id)}` }

  if (answer.data?.invitation.status === 'accepted') return <Welcome organizationId={answer.data.invitation.organization_id} />
  if (status !== 'pending')
    return (
      <p>
        <Link to='/'>Go on to the app</Link>
      </p>
    )
  if (userId === '') {
    return (
      <>
        <p>Sign in as {address} to answer, or sign up with that address first.</p>
        <p>
          <Link to='/sign-in' search={back}>Sign in</Link> · <Link to='/sign-up' search={back}>Sign up</Link>
        </p>
      </>
    )
  }
  if (!isForCaller) {
    return (
      <>
        <p>You are signed in as {email}, and the invitation is for {address}.</p>
        <button type='button' onClick={() => leave.mutate(undefined)}>Sign out</button>
      </>
    )
  }
  if (me.data?.user.email_verified === false) {
    return (
      <>
        <p>To answer, first verify that {email} is yours, with the link of the mail that was sent to you. It leads back to the invitation.</p>
        <SendVerification email={email} />
      </>
    )
  }
  return (
    <>
      <p>You are signed in as {email}.</p>
      <ErrorNote error={answer.error} />
      <div className='buttons'>
        <button type='button' className='primary' disabled={answer.isPending} onClick={() => answer.mutate({ invitationId: id, isAccepted: true })}>
          Accept
        </button>
        <button type='button' disabled={answer.isPending} onClick={() => answer.mutate({ invitationId: id, isAccepted: false })}>Decline</button>
      </div>
    </>
  )
}

/** Accepting changes no context: the person chooses whether to go there. */
function Welcome({ organizationId }: { organizationId: string }) {
  const navigate = useNavigate()
  const enter = usePeopleChange(chooseContext, () => void navigate({ to: '/' }))
  return (
    <>
      <p role='status'>Welcome. The team is now among yours.</p>
      <ErrorNote error={enter.error} />
      <div className='buttons'>
        <button type='button' className='primary' onClick={() => enter.mutate(organizationId)}>Open the team</button>
        <Link to='/'>Go on to the app</Link>
      </div>
    </>
  )
}
