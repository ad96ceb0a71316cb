/** The weeks of a month, for a calendar. */
import { locale as appLocale } from './language.ts'
import { addDays, addMonths } from './months.ts'

type WeekInfo = { firstDay: number }

/**
 * Returns the first day of a week: 1 for Monday to 7 for Sunday. Monday if the browser does not
 * know it.
 */
export function firstWeekday(locale = appLocale): number {
  const info = new Intl.Locale(locale) as { getWeekInfo?: () => WeekInfo, weekInfo?: WeekInfo }
  return (info.getWeekInfo?.() ?? info.weekInfo)?.firstDay ?? 1
}

/** Returns the weekday of a day: 1 for Monday to 7 for Sunday. */
const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() || 7

/** Returns the weeks of a month. Days of other months are null. @param month its first day */
export function weeksOf(month: string, first = firstWeekday()): Array<Array<string | null>> {
  const weeks: Array<Array<string | null>> = []
  const next = addMonths(month, 1)
  for (
    let start = addDays(month, -((weekdayOf(month) - first + 7) % 7));
    start < next;
    start = addDays(start, 7)
  ) {
    weeks.push(
      Array.from({ length: 7 }, (_, index) => addDays(start, index)).map((day) =>
        day >= month && day < next ? day : null
      ),
    )
  }
  return weeks
}

/** Returns the names of the weekdays in the order of the locale. */
export function weekdaysOf(
  first = firstWeekday(),
  locale = appLocale,
): Array<{ short: string, long: string }> {
  // a Monday
  const monday = '2024-01-01'
  return Array.from({ length: 7 }, (_, index) => {
    const day = new Date(`${addDays(monday, (first + index + 6) % 7)}T00:00:00Z`)
    const nameOf = (weekday: 'short' | 'long') =>
      new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(day)
    return { short: nameOf('short'), long: nameOf('long') }
  })
}
