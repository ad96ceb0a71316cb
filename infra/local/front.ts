/** What only `npm start` has: the mailbox in front of its edge, and at `/` where that and the edge are and what to type. */
import { getRequestListener } from '@hono/node-server'
import type { Additions } from '../../auth/http/pages.ts'
import type { Listener } from '../../common/http-server.ts'
import type { Settings } from '../../common/settings.ts'
import type { Mailbox } from './mailbox.ts'

/** The data surface through the edge; undefined where that is data_url itself. */
export function edgeUrl({ PUBLIC_URL, DATA_URL }: Pick<Settings, 'PUBLIC_URL' | 'DATA_URL'>): string | undefined {
  const url = `${PUBLIC_URL}/data`
  return url === DATA_URL ? undefined : url
}

/** What `/` says beside what every origin of ours says there. @param mails absent where mail is sent, or must not be shown */
export function additions(settings: Settings, mails: Mailbox | undefined): Additions {
  const edge = edgeUrl(settings)
  return {
    places: [
      ...edge === undefined ? [] : [{ name: 'edge', url: edge, says: 'The same as data, on this origin and with its limits.' }],
      ...mails === undefined ? [] : [{ name: 'mail', url: `${settings.PUBLIC_URL}/mail`, says: 'What would have been mailed, as it looks.' }],
    ],
    commands: [
      { says: 'Give somebody a plan, which creating an organization needs', command: 'npm run admin -- grant ann@example.com teams' },
      { says: 'Give everybody that plan', command: 'DEFAULT_PRODUCT=teams npm start' },
      { says: 'Verify an address without its mail', command: 'npm run admin -- verify ann@example.com' },
    ],
  }
}

/** Puts the mailbox, where there is one, in front of the edge. */
export const front = (edge: Listener, mails: Mailbox | undefined): Listener => (incoming, outgoing) => {
  const mail = mails?.serve(incoming)
  return mail === undefined ? edge(incoming, outgoing) : getRequestListener(() => mail)(incoming, outgoing)
}
