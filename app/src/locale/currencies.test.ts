import { expect, test } from 'vitest'
import { localCurrency, usualCurrency } from './currencies.ts'

test.each([['de-DE', 'eur'], ['de', 'eur'], ['de-CH', 'chf'], ['en-GB', 'gbp'], ['en-US', 'usd'], [
  'en',
  'usd',
], ['eo', 'usd']])(
  'the default currency of the locale %s is %s',
  (locale, currency) => {
    expect(localCurrency(locale)).toBe(currency)
  },
)

test('the most frequent currency of the rows takes precedence over that of the locale', () => {
  expect(usualCurrency([{ currency: 'gbp' }, { currency: 'eur' }, { currency: 'eur' }], 'en-US'))
    .toBe('eur')
  expect(usualCurrency([{ currency: 'gbp' }, { currency: 'eur' }], 'en-US')).toBe('gbp')
  expect(usualCurrency([], 'de-DE')).toBe('eur')
})
