/** Errors that a program reports to an operator in one line. */

/**
 * An invalid setting or environment that the operator can correct. The message is one line and
 * contains no secret.
 */
export const configError = (message: string): Error =>
  Object.assign(new Error(message), { name: 'ConfigError' })
export const isConfigError = (error: unknown): error is Error =>
  error instanceof Error && error.name === 'ConfigError'

/** Returns the first line of the message, because a stack does not help an operator. */
export const oneLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
