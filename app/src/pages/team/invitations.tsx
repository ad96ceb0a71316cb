import { useQuery } from '@tanstack/react-query'
import type { OrganizationWithRole } from 'finance-client'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { chooseContext } from '../../data/me.ts'
import {
  answerInvitation,
  cancelInvitation,
  type GrantableRole,
  grantableRoles,
  invitationsQuery,
  invite,
  myInvitationsQuery,
} from '../../data/teams.ts'
import { formatDay } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { team as m } from '../../messages/team.ts'
import { Action, ErrorNote } from '../../parts/ui.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'

/** Pending invitations of the team, and a form for the next one. */
export function Invitations({ team: { id: organizationId } }: { team: OrganizationWithRole }) {
  const toast = useToast()
  const waiting = useQuery(invitationsQuery(organizationId))
  const send = useAccountChange(invite, ({ email }) => toast(m.invitationSent(email)))
  const revertImport = useAccountChange(cancelInvitation, () => toast(m.invitationCanceled))
  return (
    <section className='section'>
      <h2>{m.invitations}</h2>
      <ErrorNote error={waiting.error ?? revertImport.error} />
      <ul className='list'>
        {waiting.data?.map(({ id, email, role, expires_at: end }) => (
          <li key={id}>
            <span>
              {email} <span className='badge'>{common.roles[role]}</span>
              <small>{m.expires(formatDay(end))}</small>
            </span>
            <Action
              name={m.cancelInvitation}
              of={m.invitationTo(email)}
              onClick={() => revertImport.mutate(id)}
            />
          </li>
        ))}
      </ul>
      {/* the key clears the form after each invitation */}
      <Form<{ email: string, role: GrantableRole }>
        key={send.submittedAt * Number(send.isSuccess)}
        defaultValues={{ email: '', role: 'viewer' }}
        error={send.error}
        onSubmit={(values) => send.mutate({ organizationId, ...values })}
      >
        <TextField
          name='email'
          label={common.emailAddress}
          type='email'
          autoComplete='off'
          required
        />
        <Select name='role' label={m.role}>
          <Options of={grantableRoles} />
        </Select>
        <SubmitButton isBusy={send.isPending}>{m.invite}</SubmitButton>
      </Form>
    </section>
  )
}

/** Pending invitations of the user. */
export function MyInvitations() {
  const { user } = useSessionContext()
  const toast = useToast()
  const waiting = useQuery({ ...myInvitationsQuery(user.id), enabled: user.email_verified })
  const open = useAccountChange(chooseContext)
  const answer = useAccountChange(answerInvitation, ({ invitation }, { isAccepted }) => {
    if (isAccepted)
      toast(m.welcome, {
        label: m.openTeam,
        act: () => open.mutate(invitation.organization_id),
      })
    else toast(m.declined)
  })
  if (waiting.data === undefined || waiting.data.length === 0)
    return <ErrorNote error={waiting.error} />
  return (
    <section className='section'>
      <h2>{m.yourInvitations}</h2>
      <ErrorNote error={answer.error} />
      <ul className='list'>
        {waiting.data.map(({ id, role, organization_name: name = common.unnamedTeam }) => (
          <li key={id}>
            <span>
              {name} <span className='badge'>{common.roles[role]}</span>
            </span>
            <button
              type='button'
              aria-label={m.acceptOf(name)}
              onClick={() =>
                answer.mutate({ invitationId: id, isAccepted: true })}
            >
              {m.accept}
            </button>
            <Action
              name={m.decline}
              of={name}
              onClick={() => answer.mutate({ invitationId: id, isAccepted: false })}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}
