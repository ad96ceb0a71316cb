/** The days that a dashboard is about. */
import type { DateRange, DateRangePreset } from 'finance-client'
import { type Days, daysOfPreset } from '../../locale/months.ts'

export const presets = {
  this_month: 'This month',
  last_month: 'Last month',
  last_30_days: 'The last 30 days',
  this_quarter: 'This quarter',
  this_year: 'This year',
  last_year: 'Last year',
  all_time: 'All time',
} satisfies Partial<Record<DateRangePreset, string>>

export const usualRange: DateRange = { preset: 'this_month' }

/** A range as the value of a choice, and back; two days stand as they are. */
export const valueOf = (range: DateRange): string => range.preset != null && range.preset !== 'custom' ? range.preset : `${range.start_date}/${range.end_date}`

export function rangeOf(value: string): DateRange {
  const [start = '', end] = value.split('/')
  return end === undefined ? { preset: value as Exclude<DateRangePreset, 'custom'> } : { start_date: start, end_date: end }
}

/** So that a figure and the transactions behind it are of the same days. @returns null for all time */
export const daysOfRange = (range: DateRange, now: string): Days | null =>
  range.preset == null || range.preset === 'custom' ? { start: range.start_date, end: range.end_date } : daysOfPreset(range.preset, now)
