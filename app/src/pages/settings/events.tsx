import { useInfiniteQuery } from '@tanstack/react-query'
import type { AccountEvent } from 'finance-client'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountEventsQuery } from '../../data/me.ts'
import { settings as m } from '../../messages/settings.ts'
import { EventList } from '../../parts/query-boundary.tsx'
import { deviceOf } from './sessions.tsx'

const kindNames: Record<AccountEvent['kind'], string> = m.events

function textOf({ kind, new_device: isNew, name, email }: AccountEvent): string {
  const about = name ?? email
  return `${isNew === true ? m.newDevice : kindNames[kind]}${
    about === undefined ? '' : `: ${about}`
  }`
}

const detailsOf = ({ user_agent: agent, ip_address: address }: AccountEvent): string[] => [
  ...agent === null ? [] : [deviceOf(agent)],
  ...address === null ? [] : [address],
]

/** Sign-ins and changes of the credentials. */
export function Events() {
  const { user } = useSessionContext()
  return (
    <section className='section'>
      <h2>{m.eventsTitle}</h2>
      <p>
        {m.eventsHint}
      </p>
      <EventList
        events={useInfiniteQuery(accountEventsQuery(user.id))}
        textOf={textOf}
        detailsOf={detailsOf}
      />
    </section>
  )
}
