/** Parses and formats amounts as users type them into the reference app. */
import { expect, test } from 'vitest'
import {
  decimalsOf,
  formatAmount,
  formatFigure,
  parseAmount,
  sumOf,
  typedAmount,
} from './amounts.ts'

test.each([
  ['12', 'en-US', 12],
  ['12.5', 'en-US', 12.5],
  ['-12.5', 'en-US', -12.5],
  ['−12.5', 'en-US', -12.5],
  ['.5', 'en-US', 0.5],
  ['1,234.56', 'en-US', 1234.56],
  ['1.234,56', 'en-US', 1234.56],
  ['1,234.56', 'de-DE', 1234.56],
  ['1.234,56', 'de-DE', 1234.56],
  ['1,234', 'en-US', 1234],
  ['1,234', 'de-DE', 1.234],
  ['1.234', 'en-US', 1.234],
  ['1.234', 'de-DE', 1234],
  ['3,5', 'en-US', 3.5],
  ['1.234.567', 'en-US', 1_234_567],
  ['12,34,567.8', 'en-IN', 1_234_567.8],
  ['1 234,56', 'fr-FR', 1234.56],
  ["1'234.50", 'de-CH', 1234.5],
  ['12+3.5', 'en-US', 15.5],
  ['12 + 3,5 - 0,5', 'de-DE', 15],
  ['0.1+0.2', 'en-US', 0.3],
])('%j in %s is %d', (typed, locale, amount) => {
  expect(parseAmount(typed, locale)).toBe(amount)
})

test.each([
  '',
  ' ',
  '-',
  '12+',
  '+-1',
  '1..2',
  '1.2.3',
  '1,2,3',
  '12,34.5.6',
  'ten',
  '12e3',
  '5 €',
  '0x10',
])('%j is no amount', (typed) => {
  expect(parseAmount(typed, 'en-US')).toBeNull()
})

test('an amount that a field shows is parsed as the same amount, in any locale', () => {
  for (const locale of ['en-US', 'de-DE', 'fr-FR', 'de-CH', 'en-IN', 'sv-SE']) {
    for (const amount of [0, -3.5, 1234.56, 1_234_567.8, 0.1234])
      expect(parseAmount(typedAmount(amount, locale), locale)).toBe(amount)
  }
})

test('an amount is formatted with its currency, and with the decimals of this currency', () => {
  expect(formatAmount(-1234.5, 'eur', 'en-US')).toBe('-€1,234.50')
  expect(formatAmount(1234.5, 'eur', 'de-DE')).toBe('1.234,50\u00a0€')
  expect(formatAmount(1234, 'jpy', 'en-US')).toBe('¥1,234')
  expect(formatAmount(-0, 'usd', 'en-US')).toBe('$0.00')
  expect(['usd', 'jpy', 'kwd'].map(decimalsOf)).toEqual([2, 0, 3])
})

test.each([
  [1234.5, 'eur', 'de-DE', '1.234,50'],
  [-1234.5, 'eur', 'en-US', '-1,234.50'],
  [-0.001, 'eur', 'en-US', '0.00'],
  [1200, 'jpy', 'en-US', '1,200'],
])(
  'a figure of %d in %s has the form of an amount in %s, without the currency',
  (amount, currency, locale, figure) => {
    expect(formatFigure(amount, currency, locale)).toBe(figure)
  },
)

test('amounts add up to the cent', () => {
  expect([sumOf([]), sumOf([0.1, 0.2]), sumOf([100, -99.99, -0.01]), sumOf([-33.333])]).toEqual([
    0,
    0.3,
    0,
    -33.33,
  ])
})
