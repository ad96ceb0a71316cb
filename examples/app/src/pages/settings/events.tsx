import { useInfiniteQuery } from '@tanstack/react-query'
import type { AccountEvent } from 'finance-client'
import { useSessionContext } from '../../app/session-context.tsx'
import { accountEventsQuery } from '../../data/me.ts'
import { messages } from '../../messages/en.ts'
import { EventList } from '../../parts/query-boundary.tsx'
import { deviceOf } from './sessions.tsx'

const m = messages.settings

const words: Record<AccountEvent['kind'], string> = {
  signed_in: m.signedIn,
  sessions_revoked: m.otherSessionsEnded,
  password_changed: m.passwordChanged,
  password_removed: m.passwordRemoved,
  email_changed: m.addressChanged,
  two_factor_enabled: m.twoFactorSignInTurnedOn,
  two_factor_disabled: m.twoFactorSignInTurnedOff,
  backup_codes_created: m.newBackupCodesMade,
  backup_codes_voided: m.backupCodesMadeVoid,
  device_trusted: m.deviceRemembered,
  passkey_added: m.passkeyAdded,
  passkey_deleted: m.passkeyRemoved,
  passkey_required: m.passkeyNeededToSignIn,
  passkey_not_required: m.passkeyNoLongerNeededTo,
  api_key_created: m.keyForAProgramMade,
  api_key_revoked: m.keyForAProgramRevoked,
  account_linked: m.anotherWayToSignIn,
  account_unlinked: m.aWayToSignIn,
}

function textOf({ kind, new_device: isNew, name, email }: AccountEvent): string {
  const about = name ?? email
  return `${isNew === true ? m.signedInOnANew : words[kind]}${about === undefined ? '' : `: ${about}`}`
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
      <h2>{m.whatHappenedInYourAccount}</h2>
      <p>
        {m.ifSomethingHereWasNot}
      </p>
      <EventList events={useInfiniteQuery(accountEventsQuery(user.id))} textOf={textOf} detailsOf={placeOf} />
    </section>
  )
}
