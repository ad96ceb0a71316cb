import { expect, test } from 'vitest'
import { countOf, everyDay, fewTicks, lowestOf, movedBy, runningSum, totalByDay } from './course.ts'

const days = { start: '2026-02-27', end: '2026-03-02' }

test('a range has each of its days once, over the end of a month', () => {
  expect(everyDay(days)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'])
  expect(countOf(days)).toBe(4)
})

test('spending adds up day by day, to the cent, and a refund lowers it', () => {
  const rows = [{ day: '2026-02-27', amount: 0.1 }, { day: '2026-03-01', amount: 0.2 }, {
    day: '2026-03-02',
    amount: -0.05,
  }]
  expect(runningSum(rows, days)).toEqual([0.1, 0.1, 0.3, 0.25])
})

test('the balances of several accounts are one course, with its first lowest day', () => {
  const total = totalByDay(
    [
      { account_id: 'giro', day: '2026-02-27', balance: 100 },
      { account_id: 'giro', day: '2026-03-01', balance: -20 },
      { account_id: 'cash', day: '2026-02-27', balance: 5.5 },
      { account_id: 'cash', day: '2026-03-02', balance: 5.5 },
    ],
    days,
  )
  expect(total).toEqual([105.5, 105.5, -14.5, -14.5])
  expect(lowestOf(total)).toBe(2)
})

test('an axis has at most five ticks', () => {
  const scale = {
    ticks: (count: number) => Array.from({ length: count * 2 - 1 }, (_, index) => index),
  }
  expect(fewTicks(scale)).toHaveLength(5)
})

test('keys move along a chart, and stop at its ends', () => {
  expect(
    [['ArrowRight', 3], ['ArrowRight', 4], ['ArrowLeft', 0], ['Home', 3], ['End', 0], ['a', 1]].map(
      ([key, at]) => movedBy(key as string, at as number, 5),
    ),
  )
    .toEqual([4, 4, 0, 0, 4, null])
})
