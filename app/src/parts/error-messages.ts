/** Error messages for users. Only this file knows the service's messages for programs. */
import { formatDay } from '../locale/days.ts'
import { formatSize } from '../locale/sizes.ts'
import { errors } from '../messages/errors.ts'
import { serviceSentences } from '../messages/service-sentences.ts'

const { rules, codes, signIn, unknown } = errors

/** The client's error, recognized by its name: unit tests have no build of the client. */
type FinanceError = Error & {
  code: string
  fields: readonly string[]
  details?: string | null
  hint: string | null
}

const isFinanceError = (error: Error | null): error is FinanceError =>
  error?.name === 'FinanceError'

/** Messages by the end of a constraint's name. Its beginning is the table and the column. */
const byRule: ReadonlyArray<readonly [RegExp, string]> = [
  [/_currency_(form|known)$/, rules.currency],
  [/_fits_currency$/, rules.decimals],
  [/_(name|title)_length$/, rules.name],
  [/_length$|_size$|_depth$/, rules.length],
  [/_days_in_order$/, rules.daysInOrder],
  [/_date_in_range$|_on_in_range$|_month_in_range$/, rules.day],
  [/_interval_in_days_in_range$/, rules.interval],
  [/^line_items_fit$/, rules.lineItems],
  [/_is_(number|amount)$/, rules.amount],
]

const byCode: Readonly<Record<string, string>> = codes

/** Codes of the app's own errors, which are plain words and may contain names that users chose. */
const ownCodes = ['GONE', 'CHANGED_MEANWHILE']

/**
 * Whether a sentence is for programs: it names a table, a column or a URL, or says what to send.
 */
const isForPrograms = (text: string) =>
  /\w_\w|["/]|\b(column|relation|constraint)\b|^(Send|Omit) /.test(text)

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`

/** Returns the message of a refused file, with the limit or the space that is left. */
function fileMessageOf({ code, message, details }: FinanceError): string | undefined {
  if (code !== 'QUOTA_EXCEEDED') return undefined
  const [limit = 0] = (/\d+/.exec(message) ?? []).map(Number)
  if (message.startsWith('a file can have up to')) return errors.files.tooLarge(formatSize(limit))
  if (message.startsWith('a transaction can have up to')) return errors.files.tooMany(limit)
  return errors.files.noSpace(formatSize(Number.parseInt(details ?? '0', 10)))
}

/** Returns an error's message, and a hint if there is one. */
export function messageOf(error: Error): { message: string, hint: string | null } {
  if (!isFinanceError(error)) return { message: sentence(error.message), hint: null }
  const { code, message, hint } = error
  const [, closedUntil] = /^the period through (\d{4}-\d\d-\d\d) is closed$/.exec(message) ?? []
  if (closedUntil !== undefined)
    return { message: errors.periodIsClosed(formatDay(closedUntil)), hint: null }
  const [, rule = ''] = /constraint "([^"]+)"/.exec(message) ?? []
  const mappedMessage = fileMessageOf(error) ??
    byRule.find(([pattern]) => pattern.test(rule))?.[1] ?? byCode[code]
  if (mappedMessage !== undefined) return { message: mappedMessage, hint: null }
  if (ownCodes.includes(code))
    return { message: sentence(message), hint: hint === null ? null : sentence(hint) }
  const translated = isForPrograms(message)
    ? serviceSentences.of(code, '') || null
    : serviceSentences.of(code, message)
  const translatedHint = hint === null || isForPrograms(hint) ? null : serviceSentences.of('', hint)
  return {
    message: translated === null ? unknown : sentence(translated),
    hint: translatedHint === null ? null : sentence(translatedHint),
  }
}

/** Returns the service's message about a success. */
export const successOf = (message: string): string =>
  serviceSentences.of('', message) ?? serviceSentences.done

const bySignIn: Readonly<Record<string, string>> = signIn.codes

/**
 * Returns why a sign-in with the identity provider failed. @param code from the page's address,
 * which an attacker may have written
 */
export const signInMessageOf = (code: string): string =>
  (Object.hasOwn(bySignIn, code) ? bySignIn[code] : undefined) ?? signIn.unknown

/** Amount fields, the only ones that can be too large. */
const amounts = ['amount', 'to_amount', 'balance', 'monthly_budget']

/** Whether an error is about a field. Fields are named like columns and like inputs of routes. */
export const isAbout = (error: Error | null, name: string): boolean =>
  isFinanceError(error) &&
  (error.fields.includes(name) || (error.code === '22003' && amounts.includes(name)))
