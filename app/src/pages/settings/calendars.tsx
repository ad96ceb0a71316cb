import { useQuery } from '@tanstack/react-query'
import type { Calendar } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { calendarsQuery, createCalendar, revokeCalendar } from '../../data/me.ts'
import { formatMoment } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { settings as m } from '../../messages/settings.ts'
import { Confirmation, ownPassword } from '../../parts/credentials.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Checkbox, Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'
import { Action, ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { ShownOnce } from './shown-once.tsx'

/** Addresses of calendars: creating, which shows the address once, and revoking. */
export function Calendars() {
  const { user, teams } = useSessionContext()
  const toast = useToast()
  const [revoked, setRevoked] = useState<Calendar | null>(null)
  const calendars = useQuery(calendarsQuery(user.id))
  const revoke = useAccountChange(revokeCalendar, () => {
    setRevoked(null)
    toast(m.calendarRevoked)
  })
  const ownerOf = ({ organization_id: id }: Calendar) =>
    id === null
      ? m.personalWithin
      : teams.find((team) => team.id === id)?.name ?? common.unnamedTeam
  return (
    <section className='section'>
      <h2>{m.calendars}</h2>
      <p>{m.calendarsHint}</p>
      <ErrorNote error={calendars.error} />
      {calendars.isPending && <Skeleton />}
      <ul className='list'>
        {calendars.data?.map((calendar) => (
          <li key={calendar.id}>
            <span>
              {calendar.name}
              <small>
                {ownerOf(calendar)}, {calendar.amounts ? m.withAmounts : m.withoutAmounts},{' '}
                {calendar.last_read_at === null
                  ? m.neverRead
                  : m.lastRead(formatMoment(calendar.last_read_at))}
              </small>
            </span>
            <Action name={m.revoke} of={calendar.name} onClick={() => setRevoked(calendar)} />
          </li>
        ))}
      </ul>
      {user.email_verified ? <NewCalendar /> : <p>{m.verifyToCreate}</p>}
      {revoked !== null && (
        <Confirm
          title={m.revokeQuestion(revoked.name)}
          action={m.revokeCalendar}
          error={revoke.error}
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate(revoked)}
          onClose={() => setRevoked(null)}
        >
          <p>{m.revokeCalendarHint}</p>
        </Confirm>
      )}
    </section>
  )
}

function NewCalendar() {
  const { teams } = useSessionContext()
  const create = useAccountChange(createCalendar)
  const url = create.data?.url
  if (url !== undefined)
    return (
      <ShownOnce
        name='url'
        label={m.calendarUrl}
        text={m.calendarOnce}
        value={url}
        onDone={() => create.reset()}
      />
    )
  return (
    <Fold name={m.newCalendar} of={create}>
      <Form<{ name: string, organizationId: string, amounts: boolean, password: string }>
        defaultValues={{ name: '', organizationId: '', amounts: false, password: '' }}
        error={create.error}
        onSubmit={({ name, organizationId, amounts, ...values }) =>
          create.mutate({
            name,
            organizationId: organizationId || null,
            amounts,
            ...ownPassword(values),
          })}
      >
        <TextField name='name' label={m.calendarName} required maxLength={200} />
        <Select name='organizationId' label={m.dataOf}>
          <option value=''>{m.personal}</option>
          <Options of={teams} />
        </Select>
        <Checkbox name='amounts'>{m.showAmounts}</Checkbox>
        <Confirmation error={create.error} />
        <SubmitButton isBusy={create.isPending}>{m.createCalendar}</SubmitButton>
      </Form>
    </Fold>
  )
}
