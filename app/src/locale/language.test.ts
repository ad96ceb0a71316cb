/** The language of the app, by the browser. */
import { expect, test } from 'vitest'
import { localeOf, preferredLanguage } from './language.ts'

test.each(
  [
    [['de-AT', 'en'], 'de', 'de-AT'],
    [['en-GB', 'de'], 'en', 'en-GB'],
    [['fr-CH', 'de-CH'], 'de', 'de-CH'],
    [['pl-PL'], 'en', 'en-PL'],
    [[], 'en', 'en-US'],
  ] as const,
)('a browser with the locales %j gets %s with the figures of %s', (preferred, language, locale) => {
  expect(preferredLanguage(preferred)).toBe(language)
  expect(localeOf(language, preferred)).toBe(locale)
})

test('a German who reads English has the formats of English in Germany', () => {
  expect(localeOf('en', ['de-DE', 'de'])).toBe('en-DE')
})
