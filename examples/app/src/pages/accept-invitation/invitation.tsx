import { useQuery } from '@tanstack/react-query'
import { FinanceError, type InvitationOfLink } from 'finance-client'
import { useSession } from '../../app/session.ts'
import { invitationQuery } from '../../data/teams.ts'
import { formatMoment } from '../../locale/days.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Answer } from './answer.tsx'

/** What an invitation is that cannot be answered any more. */
const ended = {
  accepted: 'It was accepted.',
  rejected: 'It was declined.',
  canceled: 'It was taken back.',
  expired: 'It has expired. Whoever sent it can send a new one.',
} as const

/** Who invites whom to what, and what can be answered. */
export function Invitation({ id }: { id: string }) {
  const { session } = useSession()
  const invitation = useQuery({ ...invitationQuery(id, session?.user_id ?? null), enabled: session !== undefined })
  const isNone = invitation.error instanceof FinanceError && [400, 404].includes(invitation.error.status)
  return (
    <>
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
