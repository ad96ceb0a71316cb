/**
 * Sends one message to a receiver, signed as Standard Webhooks defines it
 * (https://www.standardwebhooks.com). Receivers are servers that users choose, so their responses
 * count only by the status.
 */
import { createHmac } from 'node:crypto'
import { outboundFetch } from '../../common/outbound.ts'
import {
  allowedAddresses,
  localNetwork,
  notAllowed,
  publicNetwork,
  type Network,
} from '../../common/network.ts'

/** The servers that may receive messages. */
export type Receivers = {
  network: Network
  allowsHttp: boolean
}

/** Servers on the public internet, by https. */
export const publicReceivers: Receivers = { network: publicNetwork, allowsHttp: false }

/**
 * Also servers on this machine, by http: for a developer whose service only this machine reaches.
 */
export const localReceivers: Receivers = { network: localNetwork, allowsHttp: true }

/** The change of rows that a message names. It holds ids and no values. */
type Change = {
  table: string
  organization_id: string | null
  actions: string[]
  ids: string[] | null
  change_id: string | null
}

export type Message = {
  id: string
  type: 'ping' | 'rows.changed' | 'rows.reset'
  timestamp: Date
  changes: Change[]
}

/**
 * The kinds of failures: the receiver's status is none of 200 to 299; it did not respond in time;
 * it cannot be reached; its host has no public address; the secret cannot be decrypted.
 */
export const failures = ['status', 'timeout', 'unreachable', 'not_public', 'secret'] as const
export type Failure = typeof failures[number]

export type Delivery =
  | { delivered: true, status: number }
  | { delivered: false, failure: Failure, status?: number }

/** Timeout of a receiver, in milliseconds. */
const receiverTimeoutMs = 10_000

export const secretPrefix = 'whsec_'

/** @param secret `whsec_` and the key in base64 */
const signature = (secret: string, text: string): string =>
  `v1,${
    createHmac('sha256', Buffer.from(secret.slice(secretPrefix.length), 'base64')).update(text)
      .digest('base64')
  }`

/**
 * Returns the reason for which no message may be sent to a URL; undefined if there is none. Looks
 * up its host.
 */
export async function problemOfTarget(
  { network, allowsHttp }: Receivers,
  target: string,
): Promise<string | undefined> {
  const { protocol, hostname, port, username, password, hash } = new URL(target)
  // one port, so that no user finds out which others are open
  if ((protocol !== 'https:' || port !== '') && !allowsHttp)
    return 'must begin with https and name no other port than 443'
  if (username !== '' || password !== '' || hash !== '')
    return 'must have neither a user nor a fragment'
  if ((await allowedAddresses(network, hostname)).length > 0) return undefined
  return 'must name a server on the public internet'
}

/**
 * Sends a message.
 * @param secrets the message has a signature of each
 * @param signal aborts the request
 * @throws the signal's reason
 */
export async function sendMessage(
  { network }: Receivers,
  url: string,
  { id, type, timestamp, changes }: Message,
  secrets: readonly string[],
  signal?: AbortSignal,
): Promise<Delivery> {
  const body = JSON.stringify({
    type,
    timestamp: timestamp.toISOString(),
    data: type === 'rows.changed' ? { changes } : {},
  })
  const sentAt = Math.floor(Date.now() / 1_000)
  try {
    const { status, ok } = await outboundFetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'finance-backend',
        'webhook-id': id,
        'webhook-timestamp': String(sentAt),
        'webhook-signature': secrets.map((secret) => signature(secret, `${id}.${sentAt}.${body}`))
          .join(' '),
      },
      body,
      signal,
      timeoutMs: receiverTimeoutMs,
      readsBody: false,
      network,
    })
    return ok ? { delivered: true, status } : { delivered: false, failure: 'status', status }
  } catch (error) {
    signal?.throwIfAborted()
    const failure = error instanceof Error && error.name === 'TimeoutError'
      ? 'timeout'
      : 'unreachable'
    return {
      delivered: false,
      failure: (error as { code?: unknown }).code === notAllowed ? 'not_public' : failure,
    }
  }
}
