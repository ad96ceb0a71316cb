/** The reasons of suggested categories. */
import { suggestions as m } from '../messages/suggestions.ts'

/** The reason of a suggestion, or of its absence. */
export type Reason =
  | { kind: 'seen', agreeing: number, seen: number, payee: string, category: string }
  | { kind: 'new' | 'few', payee: string }
  | { kind: 'mixed', agreeing: number, seen: number, payee: string }

/** Parses the sentence of the service. Returns null for an unknown one. */
export function reasonOf(because: string): Reason | null {
  const seen =
    /^(\d+) of (\d+) transactions with "(.*?)" are in (.*?)(?:, such as [\da-f-]{36}(?:, [\da-f-]{36})*)?$/s
      .exec(because)
  if (seen !== null)
    return {
      kind: 'seen',
      agreeing: Number(seen[1]),
      seen: Number(seen[2]),
      payee: seen[3] ?? '',
      category: seen[4] ?? '',
    }
  const none = /^no transaction with "(.*)" has a category yet$/s.exec(because)
  if (none !== null) return { kind: 'new', payee: none[1] ?? '' }
  const few = /^fewer than three transactions with "(.*)" have the same category$/s.exec(because)
  if (few !== null) return { kind: 'few', payee: few[1] ?? '' }
  const mixed = /^only (\d+) of (\d+) transactions with "(.*)" have the same category$/s.exec(
    because,
  )
  return mixed === null
    ? null
    : { kind: 'mixed', agreeing: Number(mixed[1]), seen: Number(mixed[2]), payee: mixed[3] ?? '' }
}

/** Returns the reason in the language of the user. A sentence of an unknown form stays as it is. */
export function reasonText(because: string): string {
  const rule = /^the rule "(.*?)" (applies|marks it as a transfer)(?:; (.*))?$/s.exec(because)
  if (rule !== null) {
    const [, name = '', effect, rest] = rule
    return [
      effect === 'applies' ? m.ruleApplies(name) : m.ruleMakesTransfer(name),
      ...rest === undefined ? [] : [reasonText(rest)],
    ].join(' ')
  }
  const reason = reasonOf(because)
  return reason === null ? because : textOfReason(reason)
}

/** Returns a parsed reason in the language of the user. */
export function textOfReason(reason: Reason): string {
  if (reason.kind === 'seen')
    return m.seen(reason.agreeing, reason.seen, reason.payee, reason.category)
  if (reason.kind === 'mixed') return m.mixed(reason.agreeing, reason.seen, reason.payee)
  return reason.kind === 'new' ? m.isNew(reason.payee) : m.few(reason.payee)
}
