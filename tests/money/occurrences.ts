/**
 * The due days of a subscription, by a walk on a calendar without month arithmetic. Pure: no clock.
 */

export type Terms = {
  period: string
  interval_in_days: number | null
  starts_on: string
  ends_on: string | null
  is_active: boolean
}
const months: Record<string, number> = { monthly: 1, quarterly: 3, 'semi-annually': 6, yearly: 12 }
const dayLength = 86_400_000

/** Walks from the first day, occurrence by occurrence. */
export function occurrences(
  { period, interval_in_days, starts_on, ends_on, is_active }: Terms,
  first: string,
  last: string,
): string[] {
  const found: string[] = []
  if (!is_active) return found
  const [year = 0, month = 0, day = 0] = starts_on.split('-').map(Number)
  const length = interval_in_days ?? (period === 'daily' ? 1 : period === 'weekly' ? 7 : undefined)
  for (let n = 0;; n++) {
    let date = new Date(Date.parse(starts_on) + n * (length ?? 0) * dayLength)
    if (length === undefined) {
      const begins = new Date(Date.UTC(year, month - 1 + n * (months[period] ?? 0), 1))
      const lastDay = new Date(Date.UTC(begins.getUTCFullYear(), begins.getUTCMonth() + 1, 0))
        .getUTCDate()
      date = new Date(begins.getTime() + (Math.min(day, lastDay) - 1) * dayLength)
    }
    const text = date.toISOString().slice(0, 10)
    if (text > last || ends_on !== null && text > ends_on) return found
    if (text >= first) found.push(text)
  }
}
