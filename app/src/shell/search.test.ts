import { expect, test } from 'vitest'
import { monthIn, ownPath } from './search.ts'

test.each(['1901-01-01', '2026-11-01', '2198-12-01'])('the month %s is shown', (month) => {
  expect(monthIn({ month })).toEqual({ month })
})

test.each([
  '1900-12-01',
  '2199-01-01',
  '2026-13-01',
  '2026-11-02',
  '0000-01-01',
  '',
  20261101,
  undefined,
])('%s is no month that a page shows', (month) => {
  expect(monthIn({ month })).toEqual({})
})

const origin = 'https://finance.example'

test.each(['/budgets', '/budgets?month=2026-01-01', '/accounts/1#end', '/?month=2026-01-01'])(
  '%s may follow a sign-in',
  (path) => {
    expect(ownPath(path, origin)).toBe(path)
  },
)

test.each([
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/.//evil.example',
  '/x/..//evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\nhttps://evil.example',
  ' //evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'evil.example',
  '/',
  '',
  ['/budgets'],
  undefined,
])('%j may not follow a sign-in', (path) => {
  expect(ownPath(path, origin)).toBeUndefined()
})
