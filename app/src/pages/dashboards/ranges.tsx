/** The days of a dashboard. */
import type { DateRange, DateRangePreset } from 'finance-client'
import { formatDay } from '../../locale/days.ts'
import { type Days, daysOfPreset } from '../../locale/months.ts'
import { dashboards as m } from '../../messages/dashboards.ts'
import { Options } from '../../parts/form.tsx'

const presets: Partial<Record<DateRangePreset, string>> = m.presets

export const usualRange: DateRange = { preset: 'this_month' }

/** Converts a range to the value of an option. */
const valueOf = (range: DateRange): string =>
  range.preset != null && range.preset !== 'custom'
    ? range.preset
    : `${range.start_date}/${range.end_date}`

function rangeOf(value: string): DateRange {
  const [start = '', end] = value.split('/')
  return end === undefined
    ? { preset: value as Exclude<DateRangePreset, 'custom'> }
    : { start_date: start, end_date: end }
}

/**
 * Returns the days of a range, for reports and for links to their transactions; null for all time.
 */
export const daysOfRange = (range: DateRange, now: string): Days | null =>
  range.preset == null || range.preset === 'custom'
    ? { start: range.start_date, end: range.end_date }
    : daysOfPreset(range.preset, now)

/** Chooses the days of all widgets. The cash flow has periods of its own. */
export function RangeChoice(
  { range, onChoose }: { range: DateRange, onChoose: (range: DateRange) => void },
) {
  const value = valueOf(range)
  const isKnown = value in presets
  return (
    <select
      className='dashboard-range'
      aria-label={m.dateRange}
      value={value}
      onChange={({ target }) => onChoose(rangeOf(target.value))}
    >
      {!isKnown && (
        <option value={value}>
          {range.start_date == null
            ? value.replaceAll('_', ' ')
            : m.rangeOf(formatDay(range.start_date), formatDay(range.end_date ?? ''))}
        </option>
      )}
      <Options of={presets} />
    </select>
  )
}
