import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FinanceError, type InvitationOfLink } from 'finance-client'
import { useSession } from '../../app/session.ts'
import { useAccountChange } from '../../data/change.ts'
import { chooseContext, meQuery, signOut } from '../../data/me.ts'
import { answerInvitation, invitationQuery } from '../../data/teams.ts'
import { formatMoment } from '../../locale/days.ts'
import { SendVerification } from '../../parts/credentials.tsx'
import { ErrorNote, PageHead, Skeleton } from '../../parts/ui.tsx'

const route = getRouteApi('/outside/accept-invitation')

/** The target of an invitation's link. */
export function Page() {
  const { invitationId = '' } = route.useSearch()
  return (
    <>
      <PageHead title='Invitation' />
      <Invitation id={invitationId} />
    </>
  )
}

const ended = {
  accepted: 'It was accepted.',
  rejected: 'It was declined.',
  canceled: 'It was taken back.',
  expired: 'It has expired. Whoever sent it can send a new one.',
} as const

/** An invitation and the possible answers. */
export function Invitation({ id }: { id: string }) {
  const { session } = useSession()
  const invitation = useQuery({ ...invitationQuery(id, session?.user_id ?? null), enabled: session !== undefined })
  const isNone = invitation.error instanceof FinanceError && [400, 404].includes(invitation.error.status)
  return (
    <>
      {invitation.isPending && <Skeleton />}
      {isNone ? <p>There is no invitation behind this link. It may have been mistyped, or have ended long ago.</p> : <ErrorNote error={invitation.error} />}
      {invitation.data !== undefined && <Details invitation={invitation.data} />}
    </>
  )
}

function Details({ invitation }: { invitation: InvitationOfLink }) {
  const { organization_name: team, inviter_name: inviter, role, status, email_hint: address, expires_at: end } = invitation
  return (
    <>
      <p>
        {team === null
          ? `This was an invitation for ${address}.`
          : `${inviter || 'Somebody'} invites ${address} to join ${team || 'a team'}, with the role “${role}”.`}
      </p>
      {status === 'pending' ? <p>It is valid until {formatMoment(end)}.</p> : <p>{ended[status]}</p>}
      <Answers invitation={invitation} />
    </>
  )
}

function Answers({ invitation: { id, status, email_hint: address, is_for_caller: isForCaller } }: { invitation: InvitationOfLink }) {
  const { session } = useSession()
  const userId = session?.user_id ?? ''
  const me = useQuery({ ...meQuery(userId), enabled: userId !== '' })
  const answer = useAccountChange(answerInvitation)
  const leave = useAccountChange(signOut)
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

/** Accepting does not switch the context, so the user decides. */
function Welcome({ organizationId }: { organizationId: string }) {
  const navigate = useNavigate()
  const enter = useAccountChange(chooseContext, () => void navigate({ to: '/' }))
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
