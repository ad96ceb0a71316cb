import { expect, test } from 'vitest'
import { monthIn } from './search.ts'

test.each(['1901-01-01', '2026-11-01', '2198-12-01'])('the month %s is shown', (month) => {
  expect(monthIn({ month })).toEqual({ month })
})

test.each(['1900-12-01', '2199-01-01', '2026-13-01', '2026-11-02', '0000-01-01', '', 20261101, undefined])('%s is no month that a page shows', (month) => {
  expect(monthIn({ month })).toEqual({})
})
