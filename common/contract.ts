/** The paths and forms that the edge and the services behind it share. No I/O. */

/** The path of the auth surface below base_url. */
export const basePath = '/api/auth'

/** The maximum size of a body of the auth surface, in bytes. Files have a limit of their own. */
export const maxBodyBytes = 64 * 1024

/** The path of live streams, which last as long as their clients wish. */
export const streamPath = '/changes'

/** The path above the files of attachments, whose bodies may be large and slow. */
export const filesPath = '/files'

/**
 * Returns true for the address of a file. @param url the path with its query, as the client sent it
 */
export const isFileUrl = (url: string | undefined): boolean =>
  url?.startsWith(`${basePath}${filesPath}/`) === true

/** The request header by which an app asks for a token instead of a cookie. */
export const transportHeader = 'x-session-transport'

/** The response headers with the token of a session and of a pending sign-in. */
export const tokenHeaders = { session: 'set-auth-token', pending: 'set-two-factor-token' } as const

/** The beginning of each API key, for scanners that look for published secrets. */
export const apiKeyPrefix = 'fin_'

/** The paths of realtime/, which may run as a process of its own. */
const realtimePaths = new RegExp(
  `^${basePath}(?:${streamPath}|/webhook/[^?]*|/calendar/[^?]*)(?:\\?|$)`,
)

/**
 * Returns true for an address that realtime/ serves. @param url the path with its query, as the
 * client sent it
 */
export const isRealtimeUrl = (url: string | undefined): boolean => realtimePaths.test(url ?? '')
