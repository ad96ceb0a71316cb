import { useQuery } from '@tanstack/react-query'
import type { OrganizationWithRole } from 'finance-client'
import { usePeopleChange } from '../../data/change.ts'
import { type GivenRole, givenRoles, invitationsQuery, invite, takeInvitationBack } from '../../data/teams.ts'
import { formatDay } from '../../locale/days.ts'
import { Action } from '../../parts/action.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { useTell } from '../../parts/toast.tsx'

/** Who was invited and has not answered, and the way to invite. */
export function Invitations({ team: { id: organizationId } }: { team: OrganizationWithRole }) {
  const tell = useTell()
  const waiting = useQuery(invitationsQuery(organizationId))
  const send = usePeopleChange(invite, ({ email }) => tell(`A mail is on its way to ${email}.`))
  const takeBack = usePeopleChange(takeInvitationBack, () => tell('The invitation is taken back.'))
  return (
    <section className='section'>
      <h2>Invitations</h2>
      <ErrorNote error={waiting.error ?? takeBack.error} />
      <ul className='list'>
        {waiting.data?.map(({ id, email, role, expires_at: end }) => (
          <li key={id}>
            <span>
              {email} <span className='badge'>{role}</span>
              <small>until {formatDay(end)}</small>
            </span>
            <Action name='Take back' of={`the invitation of ${email}`} onClick={() => takeBack.mutate(id)} />
          </li>
        ))}
      </ul>
      {/* a new form after each invitation */}
      <Form
        key={send.submittedAt * Number(send.isSuccess)}
        error={send.error}
        onSubmit={({ text }) => send.mutate({ organizationId, email: text('email'), role: text('role') as GivenRole })}
      >
        <TextField name='email' label='E-mail address' type='email' autoComplete='off' required />
        <Select name='role' label='Role' defaultValue='viewer'>
          <Options of={givenRoles} />
        </Select>
        <SubmitButton isBusy={send.isPending}>Invite</SubmitButton>
      </Form>
    </section>
  )
}
