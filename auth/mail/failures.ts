/** Failed deliveries of mails, and the delays before the next attempt. */

/** A failed delivery, described without address, body, link or key. */
export type DeliveryFailure = Error & {
  /** Whether the mail itself was refused, so that no retry can help. */
  permanent: boolean
  reason: FailureReason
  /** The server's own words, for the operator's terminal only: they may repeat an address. */
  answer: string | undefined
}

/**
 * The metric labels of failures:
 * - `rejected`: the provider refused the mail itself
 * - `refused`: the provider returned another error
 * - `unreachable`, `timeout`: the provider could not be reached, or did not respond in time
 * - `internal`: our code failed
 */
export const failureReasons = ['rejected', 'refused', 'unreachable', 'timeout', 'internal'] as const
export type FailureReason = typeof failureReasons[number]

/** A failure that the queue retries, unless the mail itself was refused. */
export const deliveryFailure = (
  message: string,
  reason: FailureReason = 'refused',
  answer?: string,
): DeliveryFailure =>
  Object.assign(new Error(message), {
    name: 'DeliveryFailure',
    permanent: reason === 'rejected',
    reason,
    answer,
  })

export const isDeliveryFailure = (error: unknown): error is DeliveryFailure =>
  error instanceof Error && error.name === 'DeliveryFailure'

/** Returns the metric label of a failed job. */
export const reasonOf = (error: unknown): FailureReason =>
  isDeliveryFailure(error)
    ? error.reason
    : error instanceof Error && error.name === 'TimeoutError'
    ? 'timeout'
    : 'internal'

const second = 1_000
const giveUpAfter = 3 * 24 * 3_600 * second

/**
 * Returns the delay after a failed attempt, in milliseconds: a sixth of the job's age, from 2 s to
 * 5 min. A provider that recovers soon gets the waiting mails, and an outage causes few requests.
 */
export const retryDelay = (age: number): number =>
  Math.min(Math.max(age / 6, 2 * second), 300 * second)

/**
 * Returns true if a failed mail is not tried again: it was refused itself, or the next attempt
 * would be more than three days after its job.
 */
export const isLastAttempt = (error: unknown, age: number): boolean =>
  isDeliveryFailure(error) && error.permanent || age + retryDelay(age) > giveUpAfter

/**
 * Describes an error for the log. A message that is not ours may contain an address or a link, so
 * only name, code and stack frames remain.
 */
export function safeReason(error: unknown): string {
  if (isDeliveryFailure(error)) return error.message
  if (!(error instanceof Error)) return typeof error
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : ''
  const frames =
    error.stack?.replace(error.message, '').match(/^ {4}at .*$/gm)?.slice(0, 3).map((frame) =>
      ` ${frame.trim()}`
    ).join('') ?? ''
  return error.name + code + frames
}
