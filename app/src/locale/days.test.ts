/** Formats of days in the reference app. */
import { expect, test } from 'vitest'
import { formatDay, formatDayInWords, isDay, today } from './days.ts'
import { formatDays, formatPeriod } from './months.ts'

test('a day is the same in every time zone', () => {
  expect(formatDay('2025-01-31', 'en-US')).toBe('Jan 31, 2025')
  expect(formatDay('2025-01-31T23:30:00+00:00', 'en-US')).toBe('Jan 31, 2025')
})

test('days and periods have the words and the order of the locale', () => {
  expect(formatDay('2025-01-31', 'de-DE')).toBe('31.01.2025')
  expect(formatDay('2025-01-31', 'en-DE')).toBe('31 Jan 2025')
  expect(formatPeriod('2025-06-01', 'month', 'long', 'de-DE')).toBe('Juni 2025')
  expect(formatPeriod('2025-06-01', 'month', 'long', 'en-DE')).toBe('June 2025')
  expect(formatDays({ start: '2025-10-01', end: '2025-10-23' }, 'en-DE')).toBe('1–23 Oct')
})

test('a day that does not exist is invalid', () => {
  expect(['2024-02-29', '2025-02-29', '2025-13-01', '31.01.2025', 'soon'].filter(isDay)).toEqual([
    '2024-02-29',
  ])
})

test('today is the current day in the user’s time zone', () => {
  expect(today(new Date(2025, 0, 3, 0, 5))).toBe('2025-01-03')
  expect(today(new Date(2025, 11, 31, 23, 55))).toBe('2025-12-31')
})

test('a day in words is today, yesterday, or has its weekday', () => {
  const now = '2025-11-21'
  const days = ['2025-11-22', '2025-11-21', '2025-11-20', '2025-11-19', '2024-12-31']
  expect(days.map((day) => formatDayInWords(day, now, 'en-GB'))).toEqual([
    'Tomorrow',
    'Today',
    'Yesterday',
    'Wed 19 November',
    'Tue, 31 December 2024',
  ])
  expect(days.map((day) => formatDayInWords(day, now, 'de-DE'))).toEqual([
    'Morgen',
    'Heute',
    'Gestern',
    'Mi., 19. November',
    'Di., 31. Dezember 2024',
  ])
})
