/** Days as the reference app shows them. */
import { expect, test } from 'vitest'
import { formatDay, today } from '../../examples/app/src/locale/days.ts'

test('a day is the same in every time zone', () => {
  expect(formatDay('2025-01-31', 'en-US')).toBe('Jan 31, 2025')
  expect(formatDay('2025-01-31T23:30:00+00:00', 'en-US')).toBe('Jan 31, 2025')
})

test('today is the day where the person is', () => {
  expect(today(new Date(2025, 0, 3, 0, 5))).toBe('2025-01-03')
  expect(today(new Date(2025, 11, 31, 23, 55))).toBe('2025-12-31')
})
