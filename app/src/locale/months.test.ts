/** Periods, days and figures of the reference app's reports. */
import { describe, expect, test } from 'vitest'
import { balancesByDay, balancesOf, formatChange, sumsByCurrency } from './figures.ts'
import {
  addDays,
  addMonths,
  comparedDays,
  daysOf,
  daysOfPreset,
  formatMonths,
  formatPeriod,
  monthOf,
  monthsBetween,
  passedOf,
  startOf,
} from './months.ts'
import { flowsOf, hasFlow } from '../parts/reports/flows.ts'

describe('months', () => {
  test('months continue over the end of a year, and February has 28 or 29 days', () => {
    expect(addMonths('2024-01-31', 1)).toBe('2024-02-01')
    expect(addMonths('2024-01-01', -1)).toBe('2023-12-01')
    expect(daysOf('2024-02-01')).toEqual({ start: '2024-02-01', end: '2024-02-29' })
    expect(addDays('2023-12-31', 1)).toBe('2024-01-01')
    expect(monthOf('2024-02-29')).toBe('2024-02-01')
  })

  test.each([
    [
      'of April on the 10th with the first ten days of March',
      '2025-04-01',
      '2025-04-10',
      '2025-03-01',
      '2025-03-10',
    ],
    [
      'of March on the 30th with all of February',
      '2025-03-01',
      '2025-03-30',
      '2025-02-01',
      '2025-02-28',
    ],
    [
      'of April on its last day with all of March',
      '2025-04-01',
      '2025-04-30',
      '2025-03-01',
      '2025-03-31',
    ],
    [
      'that is over with all of the month before',
      '2025-01-01',
      '2025-04-10',
      '2024-12-01',
      '2024-12-31',
    ],
  ])('a month is compared: %s', (_, month, now, start, end) => {
    expect(comparedDays(month, now)).toEqual({ start, end })
  })

  test('months are compared with the same days of earlier months', () => {
    expect(comparedDays('2025-04-01', '2025-04-10', 3)).toEqual({
      start: '2025-01-01',
      end: '2025-01-10',
    })
    expect(monthsBetween('2024-11-01', '2025-02-01')).toBe(3)
  })

  test('months have passed by a share from 0 to 1', () => {
    const april = daysOf('2025-04-01')
    expect(
      ['2025-03-31', '2025-04-15', '2025-04-30', '2025-07-01'].map((now) => passedOf(april, now)),
    ).toEqual([0, 0.5, 1, 1])
  })
})

test('other periods begin on the same day as in the service, weeks on Monday', () => {
  expect((['week', 'quarter', 'year'] as const).map((unit) => startOf('2026-11-22', unit))).toEqual(
    ['2026-11-16', '2026-10-01', '2026-01-01'],
  )
  expect(startOf('2026-11-23', 'week')).toBe('2026-11-23')
  expect(daysOf('2026-10-01', 'quarter')).toEqual({ start: '2026-10-01', end: '2026-12-31' })
})

test('other periods have the shortest name that distinguishes them', () => {
  const names = (['week', 'month', 'quarter', 'year'] as const).map((unit) =>
    formatPeriod('2025-01-01', unit, 'long', 'en-US')
  )
  expect(names).toEqual(['Jan 1, 2025', 'January 2025', 'Jan 2025', '2025'])
})

test('other periods have a name together', () => {
  const ranges = [['2025-01-01', '2025-01-01'], ['2025-01-01', '2025-03-01'], [
    '2024-12-01',
    '2025-03-01',
  ]] as const
  expect(ranges.map(([from, to]) => formatMonths(from, to, 'en-US').replaceAll('\u2009', ' ')))
    .toEqual([
      'January 2025',
      'Jan – Mar 2025',
      'Dec 2024 – Mar 2025',
    ])
})

test.each(
  [
    ['today', '2026-11-23', '2026-11-23'],
    ['yesterday', '2026-11-22', '2026-11-22'],
    ['last_7_days', '2026-11-17', '2026-11-23'],
    ['last_week', '2026-11-16', '2026-11-22'],
    ['last_month', '2026-10-01', '2026-10-31'],
    ['this_quarter', '2026-10-01', '2026-12-31'],
    ['last_year', '2025-01-01', '2025-12-31'],
  ] as const,
)('a dashboard of %s covers the same days as in the service', (preset, start, end) => {
  expect(daysOfPreset(preset, '2026-11-23')).toEqual({ start, end })
})

test('a dashboard of all time has no range of days', () => {
  expect(daysOfPreset('all_time', '2026-11-23')).toBeNull()
})

test('a former balance is the current balance without later transactions', () => {
  const booked = [{ month: '2025-02-01', amount: 0.1 }, { month: '2025-03-01', amount: -20 }, {
    month: '2025-04-01',
    amount: 5,
  }]
  expect(balancesOf(100, booked, ['2025-01-01', '2025-02-01', '2025-03-01'])).toEqual([
    114.9,
    115,
    100,
  ])
})

test('a forecast keeps a balance until the next day with a change, and the last one until its end', () => {
  const rows = [{ day: '2025-02-27', balance: 10 }, { day: '2025-03-01', balance: -5 }]
  expect(balancesByDay(rows, '2025-03-03')).toEqual([10, 10, -5, -5, -5])
  expect(balancesByDay([], '2025-03-03')).toEqual([0])
})

test('a change is a percentage, and has no value if the former amount is zero', () => {
  expect(formatChange(150, 100, 'en-US')).toBe('+50%')
  expect(formatChange(75, 100, 'en-US')).toBe('-25%')
  expect(formatChange(75, 0, 'en-US')).toBeNull()
})

test('amounts are added up to the cent, each currency by itself', () => {
  const amounts = [{ amount: 0.1, currency: 'eur' }, { amount: 5, currency: 'usd' }, {
    amount: 0.2,
    currency: 'eur',
  }]
  expect(sumsByCurrency(amounts)).toEqual([{ currency: 'eur', count: 2, sum: 0.3 }, {
    currency: 'usd',
    count: 1,
    sum: 5,
  }])
})

test('the current month of the cash flow has actual and planned amounts, and a future month only planned ones', () => {
  const row = { currency: 'eur', income: 0, expenses: 0, net: 0 }
  const flows = flowsOf([
    { ...row, period: '2025-04-01', income: 50, expenses: 20, net: 30, is_planned: false },
    { ...row, period: '2025-04-01', expenses: 5, net: -5, is_planned: true },
    { ...row, period: '2025-05-01', expenses: 7, net: -7, is_planned: true },
  ])
  expect(flows).toMatchObject([
    {
      period: '2025-04-01',
      actual: { income: 50, net: 30 },
      planned: { expenses: 5 },
      isComing: false,
    },
    { period: '2025-05-01', actual: { expenses: 0 }, planned: { expenses: 7 }, isComing: true },
  ])
  expect(hasFlow(flows)).toBe(true)
  expect(hasFlow(flowsOf([{ ...row, period: '2025-04-01', is_planned: false }]))).toBe(false)
})
