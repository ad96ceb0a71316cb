import { expect, test } from 'vitest'
import { localCurrency, usualCurrency } from './currencies.ts'

test.each([['de-DE', 'eur'], ['de', 'eur'], ['de-CH', 'chf'], ['en-GB', 'gbp'], ['en-US', 'usd'], ['en', 'usd'], ['eo', 'usd']])(
  'in %s one pays with %s',
  (locale, currency) => {
    expect(localCurrency(locale)).toBe(currency)
  },
)

test('what most rows are in goes before where somebody is', () => {
  expect(usualCurrency([{ currency: 'gbp' }, { currency: 'eur' }, { currency: 'eur' }], 'en-US')).toBe('eur')
  expect(usualCurrency([{ currency: 'gbp' }, { currency: 'eur' }], 'en-US')).toBe('gbp')
  expect(usualCurrency([], 'de-DE')).toBe('eur')
})
