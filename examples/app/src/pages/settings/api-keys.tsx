import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import type { Role } from '../../app/navigation.ts'
import { apiKeysQuery, createApiKey, revokeApiKey } from '../../data/me.ts'
import { useAccountChange } from '../../data/change.ts'
import type { GrantableRole } from '../../data/teams.ts'
import { formatMoment } from '../../locale/days.ts'
import { Action, ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { Confirmation, ownPassword } from '../../parts/credentials.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Field, Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'

const words: Record<GrantableRole, string> = { viewer: 'Reads', editor: 'Reads and changes', admin: 'Reads and changes, and sees the activity' }
const ends: Record<string, string> = { 30: 'In 30 days', 90: 'In 90 days', 365: 'In a year' }

/** The roles that a key may have: none above its user's, and no admin in the personal context. */
const rolesBelow = (own: Role | null): GrantableRole[] =>
  own === 'viewer' ? ['viewer'] : own === null || own === 'editor' ? ['viewer', 'editor'] : ['viewer', 'editor', 'admin']

/** API keys: creating, which shows the key once, and revoking. */
export function ApiKeys() {
  const { user, teams } = useSessionContext()
  const toast = useToast()
  const [ending, setEnding] = useState<ApiKey | null>(null)
  const keys = useQuery(apiKeysQuery(user.id))
  const revoke = useAccountChange(revokeApiKey, () => {
    setEnding(null)
    toast('The key is revoked.')
  })
  const placeOf = ({ organization_id: id }: ApiKey) => id === null ? 'your own' : teams.find((team) => team.id === id)?.name ?? 'a team'
  return (
    <section className='section'>
      <h2>Keys for programs</h2>
      <p>
        A script or an assistant of yours uses a key in place of your password. It reaches your own books or those of one team, and does only what you let it.
      </p>
      <ErrorNote error={keys.error} />
      {keys.isPending && <Skeleton />}
      <ul className='list'>
        {keys.data?.map((key) => (
          <li key={key.id}>
            <span>
              {key.name} <code>{key.hint}…</code>
              <small>
                {placeOf(key)}, {words[key.role].toLowerCase()}, {new Date(key.expires_at) < new Date() ? 'ended' : 'until'} {formatMoment(key.expires_at)},
                {' '}
                {key.last_used_at === null ? 'never used' : `last used ${formatMoment(key.last_used_at)}`}
              </small>
            </span>
            <Action name='Revoke' of={key.name} onClick={() => setEnding(key)} />
          </li>
        ))}
      </ul>
      {user.email_verified ? <NewKey /> : <p>Verify your address to make one.</p>}
      {ending !== null && (
        <Confirm
          title={`Revoke ${ending.name}?`}
          action='Revoke the key'
          error={revoke.error}
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate(ending)}
          onClose={() => setEnding(null)}
        >
          <p>Whatever uses it stops at once, and it cannot come back.</p>
        </Confirm>
      )}
    </section>
  )
}

function NewKey() {
  const { teams } = useSessionContext()
  const toast = useToast()
  const create = useAccountChange(createApiKey)
  const made = create.data?.key
  const copy = (key: string) =>
    void navigator.clipboard.writeText(key).then(() => toast('The key is copied.'), () => toast('Copy it by hand: the browser does not let the app.'))
  const rolesOf = (organizationId: string) => rolesBelow(teams.find(({ id }) => id === organizationId)?.role ?? null)
  if (made !== undefined) {
    return (
      <div className='form' role='status'>
        <p>This is the key. Copy it now: it is not shown again.</p>
        <Field name='key' label='Key'>
          {(control) => <input {...control} value={made} readOnly autoFocus onFocus={({ currentTarget }) => currentTarget.select()} />}
        </Field>
        <div className='buttons'>
          <button type='button' className='primary' onClick={() => copy(made)}>Copy</button>
          <button type='button' onClick={() => create.reset()}>Done</button>
        </div>
      </div>
    )
  }
  return (
    <Fold name='Make a key' of={create}>
      <Form<{ name: string, organizationId: string, role: GrantableRole, expiresInDays: string, password: string }>
        defaultValues={{ name: '', organizationId: '', role: 'viewer', expiresInDays: '90', password: '' }}
        error={create.error}
        onSubmit={({ name, organizationId, role, expiresInDays, ...values }) =>
          create.mutate({ name, expiresInDays: Number(expiresInDays), organizationId: organizationId || null, role, ...ownPassword(values) })}
      >
        {({ watch }) => (
          <>
            <TextField name='name' label='What it is for' required maxLength={200} />
            <Select name='organizationId' label='Whose books'>
              <option value=''>Your own</option>
              <Options of={teams} />
            </Select>
            <Select name='role' label='What it does'>
              <Options of={Object.fromEntries(rolesOf(watch('organizationId')).map((role) => [role, words[role]]))} />
            </Select>
            <Select name='expiresInDays' label='It ends'>
              <Options of={ends} />
            </Select>
            <Confirmation error={create.error} />
            <SubmitButton isBusy={create.isPending}>Make the key</SubmitButton>
          </>
        )}
      </Form>
    </Fold>
  )
}
