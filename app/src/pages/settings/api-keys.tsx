import { useQuery } from '@tanstack/react-query'
import type { ApiKey } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import type { Role } from '../../shell/rights.ts'
import { apiKeysQuery, createApiKey, revokeApiKey } from '../../data/me.ts'
import { useAccountChange } from '../../data/change.ts'
import type { GrantableRole } from '../../data/teams.ts'
import { formatMoment } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { settings as m } from '../../messages/settings.ts'
import { Action, ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { Confirmation, ownPassword } from '../../parts/credentials.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'
import { ShownOnce } from './shown-once.tsx'

const roleNames: Record<GrantableRole, string> = m.keyRoles

/** The roles that a key may have: none above its user's, and no admin in the personal context. */
const rolesBelow = (own: Role | null): GrantableRole[] =>
  own === 'viewer'
    ? ['viewer']
    : own === null || own === 'editor'
    ? ['viewer', 'editor']
    : ['viewer', 'editor', 'admin']

/** API keys: creating, which shows the key once, and revoking. */
export function ApiKeys() {
  const { user, teams } = useSessionContext()
  const toast = useToast()
  const [revoked, setRevoked] = useState<ApiKey | null>(null)
  const keys = useQuery(apiKeysQuery(user.id))
  const revoke = useAccountChange(revokeApiKey, () => {
    setRevoked(null)
    toast(m.keyRevoked)
  })
  const ownerOf = ({ organization_id: id }: ApiKey) =>
    id === null
      ? m.personalWithin
      : teams.find((team) => team.id === id)?.name ?? common.unnamedTeam
  return (
    <section className='section'>
      <h2>{m.apiKeys}</h2>
      <p>
        {m.apiKeysHint}
      </p>
      <ErrorNote error={keys.error} />
      {keys.isPending && <Skeleton />}
      <ul className='list'>
        {keys.data?.map((key) => (
          <li key={key.id}>
            <span>
              {key.name} <code>{key.hint}…</code>
              <small>
                {ownerOf(key)}, {roleNames[key.role].toLowerCase()},{' '}
                {new Date(key.expires_at) < new Date() ? m.expired : m.expires}{' '}
                {formatMoment(key.expires_at)}, {key.last_used_at === null
                  ? m.neverUsed
                  : m.lastUsed(formatMoment(key.last_used_at))}
              </small>
            </span>
            <Action name={m.revoke} of={key.name} onClick={() => setRevoked(key)} />
          </li>
        ))}
      </ul>
      {user.email_verified ? <NewKey /> : <p>{m.verifyToCreate}</p>}
      {revoked !== null && (
        <Confirm
          title={m.revokeQuestion(revoked.name)}
          action={m.revokeKey}
          error={revoke.error}
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate(revoked)}
          onClose={() => setRevoked(null)}
        >
          <p>{m.revokeKeyHint}</p>
        </Confirm>
      )}
    </section>
  )
}

function NewKey() {
  const create = useAccountChange(createApiKey)
  const made = create.data?.key
  if (made !== undefined)
    return (
      <ShownOnce
        name='key'
        label={m.key}
        text={m.keyOnce}
        value={made}
        onDone={() => create.reset()}
      />
    )
  return (
    <Fold name={m.newKey} of={create}>
      <Form<
        {
          name: string
          organizationId: string
          role: GrantableRole
          expiresInDays: string
          password: string
        }
      >
        defaultValues={{
          name: '',
          organizationId: '',
          role: 'viewer',
          expiresInDays: '90',
          password: '',
        }}
        error={create.error}
        onSubmit={({ name, organizationId, role, expiresInDays, ...values }) =>
          create.mutate({
            name,
            expiresInDays: Number(expiresInDays),
            organizationId: organizationId || null,
            role,
            ...ownPassword(values),
          })}
      >
        {({ watch }) => (
          <>
            <Fields organizationId={watch('organizationId')} />
            <Confirmation error={create.error} />
            <SubmitButton isBusy={create.isPending}>{m.createKey}</SubmitButton>
          </>
        )}
      </Form>
    </Fold>
  )
}

/** The permissions of a key depend on the user's role in the team. */
function Fields({ organizationId }: { organizationId: string }) {
  const { teams } = useSessionContext()
  const role = teams.find(({ id }) => id === organizationId)?.role ?? null
  return (
    <>
      <TextField name='name' label={m.keyName} required maxLength={200} />
      <Select name='organizationId' label={m.dataOf}>
        <option value=''>{m.personal}</option>
        <Options of={teams} />
      </Select>
      <Select name='role' label={m.permissions}>
        <Options
          of={Object.fromEntries(
            rolesBelow(role).map((one) => [one, roleNames[one]]),
          )}
        />
      </Select>
      <Select name='expiresInDays' label={m.expiry}>
        <Options of={m.keyLifetimes} />
      </Select>
    </>
  )
}
