import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FinanceError, type InvitationOfLink } from 'finance-client'
import { useSession } from '../../app/session.ts'
import { invitationQuery } from '../../data/teams.ts'
import { formatMoment } from '../../locale/days.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Answer } from './answer.tsx'

const route = getRouteApi('/outside/accept-invitation')

/** What an invitation is that cannot be answered any more. */
const ended = {
  accepted: 'It was accepted.',
  rejected: 'It was declined.',
  canceled: 'It was taken back.',
  expired: 'It has expired. Whoever sent it can send a new one.',
} as const

/** Where the mail of an invitation leads, whoever opens it. */
export function Page() {
  const { invitationId = '' } = route.useSearch()
  const { session } = useSession()
  const invitation = useQuery({ ...invitationQuery(invitationId, session?.user_id ?? null), enabled: session !== undefined })
  const isNone = invitation.error instanceof FinanceError && [400, 404].includes(invitation.error.status)
  return (
    <>
      <PageHead title='Invitation' />
      {invitation.isPending && <Skeleton />}
      {isNone ? <p>There is no invitation behind this link. It may have been mistyped, or have ended long ago.</p> : <ErrorNote error={invitation.error} />}
      {invitation.data !== undefined && <Told invitation={invitation.data} />}
    </>
  )
}

function Told({ invitation }: { invitation: InvitationOfLink }) {
  const { organization_name: team, inviter_name: inviter, role, status, email_hint: address, expires_at: end } = invitation
  return (
    <>
      <p>
        {team === null
          ? `This was an invitation for ${address}.`
          : `${inviter || 'Somebody'} invites ${address} to join ${team || 'a team'}, with the role “${role}”.`}
      </p>
      {status === 'pending' ? <p>It is valid until {formatMoment(end)}.</p> : <p>{ended[status]}</p>}
      <Answer invitation={invitation} />
    </>
  )
}
