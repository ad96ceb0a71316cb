import { useInfiniteQuery } from '@tanstack/react-query'
import type { AccountEvent } from 'finance-client'
import { useSessionContext } from '../../app/session-context.tsx'
import { accountEventsQuery } from '../../data/me.ts'
import { EventList } from '../../parts/query-boundary.tsx'
import { deviceOf } from './sessions.tsx'

const words: Record<AccountEvent['kind'], string> = {
  signed_in: 'Signed in',
  sessions_revoked: 'Other sessions ended',
  password_changed: 'Password changed',
  password_removed: 'Password removed',
  email_changed: 'Address changed',
  two_factor_enabled: 'Two-factor sign-in turned on',
  two_factor_disabled: 'Two-factor sign-in turned off',
  backup_codes_created: 'New backup codes made',
  backup_codes_voided: 'Backup codes made void',
  device_trusted: 'Device remembered',
  passkey_added: 'Passkey added',
  passkey_deleted: 'Passkey removed',
  passkey_required: 'Passkey needed to sign in',
  passkey_not_required: 'Passkey no longer needed to sign in',
  api_key_created: 'Key for a program made',
  api_key_revoked: 'Key for a program revoked',
  account_linked: 'Another way to sign in added',
  account_unlinked: 'A way to sign in removed',
}

function textOf({ kind, new_device: isNew, name, email }: AccountEvent): string {
  const about = name ?? email
  return `${isNew === true ? 'Signed in on a new device' : words[kind]}${about === undefined ? '' : `: ${about}`}`
}

const placeOf = ({ user_agent: agent, ip_address: address }: AccountEvent): string[] => [
  ...agent === null ? [] : [deviceOf(agent)],
  ...address === null ? [] : [address],
]

/** Sign-ins and changes of the credentials. */
export function Events() {
  const { user } = useSessionContext()
  return (
    <section className='section'>
      <h2>What happened in your account</h2>
      <p>
        If something here was not you, choose a new password, which signs everybody else out, and take away passkeys and keys that are not yours: those it
        leaves.
      </p>
      <EventList events={useInfiniteQuery(accountEventsQuery(user.id))} textOf={textOf} detailsOf={placeOf} />
    </section>
  )
}
