import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { FinanceError, type InvitationOfLink } from 'finance-client'
import { useSession } from '../../shell/session.ts'
import { useAccountChange } from '../../data/change.ts'
import { chooseContext, meQuery, signOut } from '../../data/me.ts'
import { answerInvitation, invitationQuery } from '../../data/teams.ts'
import { formatMoment } from '../../locale/days.ts'
import { acceptInvitation as m } from '../../messages/accept-invitation.ts'
import { common } from '../../messages/common.ts'
import { SendVerification } from '../../parts/credentials.tsx'
import { ErrorNote, PageHead, Skeleton } from '../../parts/ui.tsx'

const route = getRouteApi('/outside/accept-invitation')

/** The target of an invitation's link. */
export function Page() {
  const { invitationId = '', token } = route.useSearch()
  return (
    <>
      <PageHead title={m.title} />
      <Invitation id={invitationId} {...(token !== undefined && { token })} />
    </>
  )
}

/** `token` is of the mailed link. It verifies the address. */
type InvitationProps = { id: string, token?: string }

/** An invitation and the possible answers. */
export function Invitation({ id, token }: InvitationProps) {
  const { session } = useSession()
  const invitation = useQuery({
    ...invitationQuery(id, session?.user_id ?? null),
    enabled: session !== undefined,
  })
  const isNone = invitation.error instanceof FinanceError &&
    [400, 404].includes(invitation.error.status)
  return (
    <>
      {invitation.isPending && <Skeleton />}
      {isNone ? <p>{m.notFound}</p> : <ErrorNote error={invitation.error} />}
      {invitation.data !== undefined && <Details invitation={invitation.data} token={token} />}
    </>
  )
}

type DetailsProps = { invitation: InvitationOfLink, token: string | undefined }

function Details({ invitation, token }: DetailsProps) {
  const {
    organization_name: team,
    inviter_name: inviter,
    role,
    status,
    email_hint: address,
    expires_at: end,
  } = invitation
  return (
    <>
      <p>
        {team === null
          ? m.wasFor(address)
          : m.summary(
            inviter || m.unnamed,
            address,
            team || common.unnamedTeam,
            common.roles[role],
          )}
      </p>
      {status === 'pending' ? <p>{m.validUntil(formatMoment(end))}</p> : <p>{m.ended[status]}</p>}
      <Answers invitation={invitation} token={token} />
    </>
  )
}

function Answers(
  { invitation: { id, status, email_hint: address, is_for_caller: isForCaller }, token }:
    DetailsProps,
) {
  const { session } = useSession()
  const userId = session?.user_id ?? ''
  const me = useQuery({ ...meQuery(userId), enabled: userId !== '' })
  const answer = useAccountChange(answerInvitation)
  const leave = useAccountChange(signOut)
  const email = me.data?.user.email ?? ''
  const reply = (isAccepted: boolean) =>
    answer.mutate({ invitationId: id, isAccepted, ...(token !== undefined && { token }) })

  if (answer.data?.invitation.status === 'accepted')
    return <Welcome organizationId={answer.data.invitation.organization_id} />
  if (status !== 'pending')
    return (
      <p>
        <Link to='/'>{m.openApp}</Link>
      </p>
    )
  if (userId === '') return <SignInFirst id={id} address={address} token={token} />
  if (!isForCaller) {
    return (
      <>
        <p>{m.otherUser(email, address)}</p>
        <button type='button' onClick={() => leave.mutate(undefined)}>{m.signOut}</button>
      </>
    )
  }
  const isProofRefused = answer.error instanceof FinanceError &&
    answer.error.code === 'EMAIL_NOT_VERIFIED'
  if (me.data?.user.email_verified === false && (token === undefined || isProofRefused)) {
    return (
      <>
        <p>{m.verifyFirst(email)}</p>
        <SendVerification email={email} />
      </>
    )
  }
  return <Reply email={email} error={answer.error} isBusy={answer.isPending} onReply={reply} />
}

type SignInFirstProps = { id: string, address: string, token: string | undefined }

/** The pages that lead back to the invitation. */
function SignInFirst({ id, address, token }: SignInFirstProps) {
  const back = {
    to: `/accept-invitation?${
      new URLSearchParams({ invitationId: id, ...(token !== undefined && { token }) }).toString()
    }`,
  }
  return (
    <>
      <p>{m.signInHint(address)}</p>
      <p>
        <Link to='/sign-in' search={back}>{common.signIn}</Link> ·{' '}
        <Link to='/sign-up' search={back}>{common.signUp}</Link>
      </p>
    </>
  )
}

type ReplyProps = {
  email: string
  error: Error | null
  isBusy: boolean
  onReply: (isAccepted: boolean) => void
}

const Reply = ({ email, error, isBusy, onReply }: ReplyProps) => (
  <>
    <p>{m.signedInAs(email)}</p>
    <ErrorNote error={error} />
    <div className='buttons'>
      <button type='button' className='primary' disabled={isBusy} onClick={() => onReply(true)}>
        {m.accept}
      </button>
      <button type='button' disabled={isBusy} onClick={() => onReply(false)}>{m.decline}</button>
    </div>
  </>
)

/** Accepting does not switch the context, so the user decides. */
function Welcome({ organizationId }: { organizationId: string }) {
  const navigate = useNavigate()
  const enter = useAccountChange(chooseContext, () => void navigate({ to: '/' }))
  return (
    <>
      <p role='status'>{m.welcome}</p>
      <ErrorNote error={enter.error} />
      <div className='buttons'>
        <button type='button' className='primary' onClick={() => enter.mutate(organizationId)}>
          {m.openTeam}
        </button>
        <Link to='/'>{m.openApp}</Link>
      </div>
    </>
  )
}
