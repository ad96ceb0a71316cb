import { expect, test } from 'vitest'
import { parseDay, typedDay } from './typed-day.ts'

const german = (typed: string) => parseDay(typed, '2025-11-23', 'de-DE')
const american = (typed: string) => parseDay(typed, '2025-11-23', 'en-US')

test('a day is written as the locale does', () => {
  expect(typedDay('2025-01-31', 'de-DE')).toBe('31.01.2025')
  expect(typedDay('2025-01-31', 'en-US')).toBe('01/31/2025')
})

test('short forms complete from today', () => {
  expect(german('21')).toBe('2025-11-21')
  expect(german('21.')).toBe('2025-11-21')
  expect(german('1.2.')).toBe('2025-02-01')
  expect(german('21.11.24')).toBe('2024-11-21')
  expect(german('31.12.1999')).toBe('1999-12-31')
  expect(american('2/1')).toBe('2025-02-01')
  expect(american('2/1/24')).toBe('2024-02-01')
  expect(american('2024-02-29')).toBe('2024-02-29')
})

test('words and steps count from today', () => {
  expect(['heute', 'gestern', 'today', 'Yesterday', '+1', '-3', '−3'].map(german))
    .toEqual([
      '2025-11-23',
      '2025-11-22',
      '2025-11-23',
      '2025-11-22',
      '2025-11-24',
      '2025-11-20',
      '2025-11-20',
    ])
})

test('no other text is a day', () => {
  expect(['', 'soon', '32', '31.11.', '29.2.25', '1.13.', '1.2.3.4'].map(german)).toEqual(
    Array.from({ length: 7 }, () => null),
  )
})
