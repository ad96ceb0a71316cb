import { expect, test } from 'vitest'
import { firstWeekday, weekdaysOf, weeksOf } from './calendar.ts'

test.each([['de-DE', 1], ['en-GB', 1], ['en-US', 7], ['ar-EG', 6]])(
  'a week begins in %s with day %d',
  (locale, first) => {
    expect(firstWeekday(locale)).toBe(first)
  },
)

test('the weeks of a month have seven places, and only days of the month', () => {
  expect(weeksOf('2026-11-01', 1).map((week) => week.map((day) => day?.slice(8) ?? '·').join(' ')))
    .toEqual([
      '· · · · · · 01',
      '02 03 04 05 06 07 08',
      '09 10 11 12 13 14 15',
      '16 17 18 19 20 21 22',
      '23 24 25 26 27 28 29',
      '30 · · · · · ·',
    ])
  expect(weeksOf('2026-11-01', 7)[0]?.[0]).toBe('2026-11-01')
})

test('a February that begins with the week has four weeks', () => {
  expect(weeksOf('2027-02-01', 1)).toHaveLength(4)
})

test('the names of the weekdays begin with the first one', () => {
  expect(weekdaysOf(1, 'en-US').map(({ short }) => short)).toEqual([
    'Mon',
    'Tue',
    'Wed',
    'Thu',
    'Fri',
    'Sat',
    'Sun',
  ])
  expect(weekdaysOf(7, 'de-DE').map(({ long }) => long).slice(0, 2)).toEqual(['Sonntag', 'Montag'])
})
