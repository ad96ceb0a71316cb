import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from 'finance-client'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import type { Role } from '../../app/rights.ts'
import { apiKeysQuery, createApiKey, revokeApiKey } from '../../data/api-keys.ts'
import { usePeopleChange } from '../../data/change.ts'
import type { GivenRole } from '../../data/teams.ts'
import { formatMoment } from '../../locale/days.ts'
import { Action } from '../../parts/action.tsx'
import { Confirmation, ownPassword } from '../../parts/confirmation.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useTell } from '../../parts/toast.tsx'

const words: Record<GivenRole, string> = { viewer: 'Reads', editor: 'Reads and changes', admin: 'Reads and changes, and sees the activity' }
const ends: Record<string, string> = { 30: 'In 30 days', 90: 'In 90 days', 365: 'In a year' }

/** The roles of a key, which are no higher than its person's; alone one is nobody's admin. */
const rolesBelow = (own: Role | null): GivenRole[] =>
  own === 'viewer' ? ['viewer'] : own === null || own === 'editor' ? ['viewer', 'editor'] : ['viewer', 'editor', 'admin']

/** Keys for one's programs: making one, which shows it once, and revoking it. */
export function ApiKeys() {
  const { user, teams } = useHere()
  const tell = useTell()
  const [ending, setEnding] = useState<ApiKey | null>(null)
  const keys = useQuery(apiKeysQuery(user.id))
  const revoke = usePeopleChange(revokeApiKey, () => {
    setEnding(null)
    tell('The key is revoked.')
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
  const { teams } = useHere()
  const tell = useTell()
  const [place, setPlace] = useState('')
  const create = usePeopleChange(createApiKey)
  const made = create.data?.key
  const copy = (key: string) =>
    void navigator.clipboard.writeText(key).then(() => tell('The key is copied.'), () => tell('Copy it by hand: the browser does not let the app.'))
  if (made !== undefined) {
    return (
      <div className='form' role='status'>
        <p>This is the key. Copy it now: it is not shown again.</p>
        <TextField name='key' label='Key' value={made} readOnly autoFocus onFocus={({ currentTarget }) => currentTarget.select()} />
        <div className='buttons'>
          <button type='button' className='primary' onClick={() => copy(made)}>Copy</button>
          <button type='button' onClick={() => create.reset()}>Done</button>
        </div>
      </div>
    )
  }
  const roles = rolesBelow(teams.find(({ id }) => id === place)?.role ?? null)
  return (
    <Fold name='Make a key' of={create}>
      <Form
        error={create.error}
        onSubmit={(values) =>
          create.mutate({
            name: values.text('name'),
            expiresInDays: Number(values.text('expiresInDays')),
            organizationId: values.optional('organizationId'),
            role: values.text('role') as GivenRole,
            ...ownPassword(values),
          })}
      >
        <TextField name='name' label='What it is for' required maxLength={200} />
        <Select name='organizationId' label='Whose books' value={place} onChange={({ currentTarget }) => setPlace(currentTarget.value)}>
          <option value=''>Your own</option>
          <Options of={teams} />
        </Select>
        <Select name='role' label='What it does' defaultValue='viewer'>
          <Options of={Object.fromEntries(roles.map((role) => [role, words[role]]))} />
        </Select>
        <Select name='expiresInDays' label='It ends' defaultValue='90'>
          <Options of={ends} />
        </Select>
        <Confirmation error={create.error} />
        <SubmitButton isBusy={create.isPending}>Make the key</SubmitButton>
      </Form>
    </Fold>
  )
}
