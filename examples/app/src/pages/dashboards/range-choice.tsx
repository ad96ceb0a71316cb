import type { DateRange } from 'finance-client'
import { formatDay } from '../../locale/days.ts'
import { Options } from '../../parts/form.tsx'
import { presets, rangeOf, valueOf } from './ranges.ts'

/** The days that all widgets are about; cash flow has periods of its own. */
export function RangeChoice({ range, onChoose }: { range: DateRange, onChoose: (range: DateRange) => void }) {
  const value = valueOf(range)
  const isKnown = value in presets
  return (
    <select className='range' aria-label='Days' value={value} onChange={({ target }) => onChoose(rangeOf(target.value))}>
      {!isKnown && (
        <option value={value}>
          {range.start_date == null ? value.replaceAll('_', ' ') : `${formatDay(range.start_date)} to ${formatDay(range.end_date ?? '')}`}
        </option>
      )}
      <Options of={presets} />
    </select>
  )
}
