/** A failed delivery, described without address, body, link or key. */
export type DeliveryFailure = Error & {
  /** Whether the mail itself was refused, so that no retry can help. */
  permanent: boolean
  reason: FailureReason
}

/**
 * The metric labels of failures: the mail was refused, the provider returned another error, or it could not be reached, or timed
 * out, or our code failed.
 */
export const failureReasons = ['rejected', 'refused', 'unreachable', 'timeout', 'internal'] as const
export type FailureReason = typeof failureReasons[number]

/** A failure that the queue retries, unless the mail itself was refused. */
export const deliveryFailure = (message: string, reason: FailureReason = 'refused'): DeliveryFailure =>
  Object.assign(new Error(message), { name: 'DeliveryFailure', permanent: reason === 'rejected', reason })

export const isDeliveryFailure = (error: unknown): error is DeliveryFailure => error instanceof Error && error.name === 'DeliveryFailure'

/** Returns the metric label of a failed job. */
export const reasonOf = (error: unknown): FailureReason =>
  isDeliveryFailure(error) ? error.reason : error instanceof Error && error.name === 'TimeoutError' ? 'timeout' : 'internal'
