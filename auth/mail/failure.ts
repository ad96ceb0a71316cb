/** Why a mail did not leave, in words that may be logged: no address, no body, no link, no key. */
export type DeliveryFailure = Error & {
  /** The mail itself was refused, so sending it again cannot help. */
  permanent: boolean
}

/** A failure that the queue retries, unless it is permanent. */
export const deliveryFailure = (reason: string, permanent = false): DeliveryFailure => Object.assign(new Error(reason), { name: 'DeliveryFailure', permanent })

export const isDeliveryFailure = (error: unknown): error is DeliveryFailure => error instanceof Error && error.name === 'DeliveryFailure'
