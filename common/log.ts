/**
 * The log of the services: JSON lines on standard output. No request object is logged, so the
 * redaction list is only a second safeguard.
 */
import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Creates the log. `level` is LOG_LEVEL, and the default destination is standard output. */
export const createLog = (
  level: string,
  destination: DestinationStream = pino.destination(1),
): Log =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Escapes control characters in origins and paths, which clients choose. Otherwise a terminal
    // would interpret them, and one line could look like two. The parsed JSON is the same.
    hooks: {
      streamWrite: (line) =>
        line.replace(/[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, escaped),
    },
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'password',
        'token',
        'cookie',
        'authorization',
        '*.password',
        '*.token',
        '*.cookie',
        '*.authorization',
        '*.html',
        '*.text',
      ],
      censor: '[redacted]',
    },
  }, destination)

/**
 * Returns the parts of an error that are safe to log: its name, the first line of its message and
 * the database's code. Never its parameters.
 */
export function describeError(
  error: unknown,
): { name: string, message: string, code?: string, stack?: string } {
  if (!(error instanceof Error)) return { name: typeof error, message: 'not an Error' }
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  // messages of databases and parsers can quote values, so they are replaced
  if (error instanceof SyntaxError)
    return { name: error.name, message: 'a text could not be parsed' }
  if ('issues' in error && Array.isArray(error.issues)) {
    const [issue] = error.issues as { path?: unknown[], message?: string }[]
    return { name: error.name, message: `${issue?.path?.join('.') ?? ''}: ${issue?.message ?? ''}` }
  }
  const message = 'severity' in error
    ? `database error in ${
      'constraint' in error && typeof error.constraint === 'string'
        ? error.constraint
        : 'a statement'
    }`
    : error.message.split('\n', 1)[0] ?? ''
  const stack = error.stack?.split('\n').filter((line) => /^\s+at /.test(line)).slice(0, 8).join(
    '\n',
  )
  return { name: error.name, message, ...code, ...(stack === undefined ? {} : { stack }) }
}

/**
 * The address of a calendar, whose last segment is its secret. The three other paths are routes.
 */
const calendarPath = /(\/calendar\/)(?!(?:create|list|revoke)\/?$)[^]+/i
/** The secret of a calendar in an address that is none. */
const calendarSecret = /\bcal_[^/]*/gi

/** The address of a file, whose last segment is a ticket. */
const filePath = /(\/files\/)[^]+/i
/** A ticket in an address that is none. */
const ticket = /\bfile_[\w-]{8,}/gi

/** An API key, the secret of a webhook or a token of the data surface, at any place of a path. */
const credential = /(?:fin_|whsec_|eyJ)[\w+/=.-]{8,}/g
/** A text that may be a random token of ours, such as that of a mailed link. */
const longText = /[\w-]{24,}/g
/** Replaces a text with letters in both cases, which names of tables and functions do not have. */
const hideRandom = (
  text: string,
): string => (/[a-z]/.test(text) && /[A-Z]/.test(text) ? '{secret}' : text)

/** Maximum times that a path is decoded. */
const maxDecodings = 5

/** Decodes percent-encoded bytes, also those that are encoded several times. */
function decode(path: string): string {
  let text = path
  for (let count = 0; count < maxDecodings && text.includes('%'); count++)
    text = text.replace(
      /%([\da-f]{2})/gi,
      (_, byte: string) => String.fromCharCode(Number.parseInt(byte, 16)),
    )
  return /%[\da-f]{2}/i.test(text) ? '{encoded}' : text
}

/**
 * Returns the path of a request for the log, without secrets in any encoding, and not longer than
 * 200 characters.
 */
export function loggablePath(path: string): string {
  const plain = decode(path)
  const safe = plain.replace(calendarPath, '$1{secret}').replace(calendarSecret, '{secret}')
    .replace(filePath, '$1{ticket}').replace(ticket, '{ticket}')
    .replace(credential, '{secret}').replace(longText, hideRandom)
  return (safe === plain && plain !== '{encoded}' ? path : safe).slice(0, 200)
}
