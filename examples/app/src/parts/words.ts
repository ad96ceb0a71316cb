/** What went wrong, in words for people: the one place that knows the words of the service. */

/** The client's error, known by its name: tests of this file have no build of the client. */
type FinanceError = Error & { code: string, fields: readonly string[], hint: string | null }

const isFinanceError = (error: Error | null): error is FinanceError => error?.name === 'FinanceError'

/** By how the name of a rule of the database ends, which names its table and column. */
const byRule: ReadonlyArray<readonly [RegExp, string]> = [
  [/_currency_(form|known)$/, 'There is no such currency. It has three letters, such as EUR.'],
  [/_fits_currency$/, 'The amount has more decimals than can be kept in this currency.'],
  [/_(name|title)_length$/, 'A name has one to 255 characters.'],
  [/_length$|_size$|_depth$/, 'This is too long.'],
  [/_days_in_order$/, 'The end is before the beginning.'],
  [/_date_in_range$|_on_in_range$|_month_in_range$/, 'This day is too long ago, or too far ahead.'],
  [/_interval_in_days_in_range$/, 'So many days cannot be kept.'],
  [/^line_items_fit$/, 'The parts come to more than the whole.'],
  [/_is_(number|amount)$/, 'This is no amount.'],
]

const byCode: Readonly<Record<string, string>> = {
  OIDC_UNAVAILABLE: 'The provider cannot be reached at the moment. Try again later.',
  NETWORK_ERROR: 'There was no answer. Try again when the connection is back.',
  INVALID_CODE: 'This code does not fit, or was used already.',
  RATE_LIMIT_EXCEEDED: 'That was too often. Wait some minutes, and try again.',
  22003: 'The amount is too large.',
  22007: 'There is no such day.',
  22008: 'There is no such day.',
  23502: 'Something is missing.',
  23503: 'What was chosen is no longer there.',
  23505: 'There is one like this already.',
  23514: 'One of the values cannot be kept.',
  42501: 'Your role here does not allow this.',
  PT404: 'It is no longer there.',
  PGRST116: 'It is no longer there.',
}

/** Of the app's own errors, which are in words already, and may have a person's in them. */
const ownCodes = ['GONE', 'CHANGED_MEANWHILE']

/** Whether a sentence is for a program: it names a table, a column or an address, or says what to send. */
const isForPrograms = (text: string) => /\w_\w|["/]|\b(column|relation|constraint)\b|^(Send|Leave) /.test(text)

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`

/** @returns what is said of an error, and what to do about it where that is known */
export function wordsOf(error: Error): { message: string, hint: string | null } {
  if (!isFinanceError(error)) return { message: sentence(error.message), hint: null }
  const { code, message, hint } = error
  const [, rule = ''] = /constraint "([^"]+)"/.exec(message) ?? []
  const known = byRule.find(([pattern]) => pattern.test(rule))?.[1] ?? byCode[code]
  if (known !== undefined) return { message: known, hint: null }
  const isOwn = ownCodes.includes(code)
  return {
    message: !isOwn && isForPrograms(message) ? 'The service could not do this.' : sentence(message),
    hint: hint === null || (!isOwn && isForPrograms(hint)) ? null : sentence(hint),
  }
}

/** Why somebody who comes back from the provider is not signed in. */
const bySignIn: Readonly<Record<string, string>> = {
  OIDC_EMAIL_NOT_VERIFIED: 'The provider does not say that your e-mail address is verified. Ask whoever runs it.',
  ACCOUNT_NOT_VERIFIED:
    'There is an account with your address that nobody has verified. Choose a new password by “Forgot your password?”, sign in with it and verify the address; then this works too.',
  SIGN_UP_CLOSED: 'You have no account here, and none can be made. Ask whoever runs this service.',
  INVITATION_REQUIRED: 'Who wants an account here needs an invitation.',
  EMAIL_DOMAIN_NOT_ALLOWED: 'Addresses of this domain cannot have an account here.',
}

/** @param code of the page's address, which anybody may have written */
export const wordsOfSignIn = (code: string): string =>
  (Object.hasOwn(bySignIn, code) ? bySignIn[code] : undefined) ?? 'Signing in with the provider did not work, or took too long. Try again.'

/** The fields of a form that hold an amount, which alone can be too large. */
const amounts = ['amount', 'to_amount', 'balance', 'monthly_budget']

/** Whether an error is about a field; columns and inputs of routes are named alike. */
export const isAbout = (error: Error | null, name: string): boolean =>
  isFinanceError(error) && (error.fields.includes(name) || (error.code === '22003' && amounts.includes(name)))
