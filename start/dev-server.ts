/**
 * The additions of `npm start` to the edge: the mailbox, and more addresses and commands on the
 * page at `/`.
 */
import { getRequestListener } from '@hono/node-server'
import type { Additions } from '../auth/pages/pages.ts'
import { isLocal } from '../http/origins.ts'
import { localReceivers, publicReceivers, type Receivers } from '../realtime/index.ts'
import { defaultHost, type Listener } from '../common/http-server.ts'
import type { Settings } from '../common/settings.ts'
import type { Mailbox } from './mailbox.ts'

/**
 * Returns the address of the data surface behind the edge. Undefined if data_url is that address.
 */
export function edgeUrl(
  { PUBLIC_URL, DATA_URL }: Pick<Settings, 'PUBLIC_URL' | 'DATA_URL'>,
): string | undefined {
  const url = `${PUBLIC_URL}/data`
  return url === DATA_URL ? undefined : url
}

/** Returns the additional addresses and commands on the page at `/`. */
export function additions(settings: Settings, mails: Mailbox | undefined): Additions {
  const edge = edgeUrl(settings)
  return {
    surfaces: [
      ...edge === undefined
        ? []
        : [{
          name: 'edge',
          url: edge,
          purpose: 'The same as data, on this origin and with the limits of the edge.',
        }],
      ...mails === undefined
        ? []
        : [{
          name: 'mail',
          url: `${settings.PUBLIC_URL}/mail`,
          purpose: 'The emails that would have been sent.',
        }],
    ],
    commands: [
      {
        purpose: 'Give a user the plan that creating an organization requires',
        command: 'npm run admin -- grant ann@example.com teams',
      },
      { purpose: 'Give every user that plan', command: 'DEFAULT_PRODUCT=teams npm start' },
      {
        purpose: 'Verify an address without the email',
        command: 'npm run admin -- verify ann@example.com',
      },
    ],
  }
}

/** Returns a listener that serves the mailbox, and passes every other request to the edge. */
export const withMailbox =
  (edge: Listener, mails: Mailbox | undefined): Listener => (incoming, outgoing) => {
    const mail = mails?.serve(incoming)
    return mail === undefined
      ? edge(incoming, outgoing)
      : getRequestListener(() => mail, defaultHost)(incoming, outgoing)
  }

/**
 * Returns the servers that may receive webhooks. If only this machine reaches the service, all
 * users are on it, and may use it for development. Otherwise a webhook would reach what a firewall
 * closes to its user.
 */
export const receiversOf = (
  { NODE_ENV, HOST, PUBLIC_URL }: Pick<Settings, 'NODE_ENV' | 'HOST' | 'PUBLIC_URL'>,
): Receivers =>
  NODE_ENV !== 'production' && isLocal(HOST) && isLocal(new URL(PUBLIC_URL).hostname)
    ? localReceivers
    : publicReceivers
