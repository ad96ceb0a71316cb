/** Why a mail did not leave, in words that may be logged: no address, no body, no link, no key. */
export type DeliveryFailure = Error & {
  /** The mail itself was refused, so sending it again cannot help. */
  permanent: boolean
  reason: FailureReason
}

/**
 * What failures are counted by, each of them a series for ever: the mail itself was refused; the provider answered with
 * another error, such as a wrong key or a limit; nobody answered there; not in time; or it never came to that.
 */
export const failureReasons = ['rejected', 'refused', 'unreachable', 'timeout', 'internal'] as const
export type FailureReason = typeof failureReasons[number]

/** A failure that the queue retries, unless the mail itself was refused. */
export const deliveryFailure = (message: string, reason: FailureReason = 'refused'): DeliveryFailure =>
  Object.assign(new Error(message), { name: 'DeliveryFailure', permanent: reason === 'rejected', reason })

export const isDeliveryFailure = (error: unknown): error is DeliveryFailure => error instanceof Error && error.name === 'DeliveryFailure'

/** What any failure of a job counts as. */
export const reasonOf = (error: unknown): FailureReason =>
  isDeliveryFailure(error) ? error.reason : error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'internal'
