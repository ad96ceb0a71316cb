/** The reader of the European Central Bank's file accepts that format only. */
import { expect, test } from 'vitest'
import { readRates, RateFileError } from '../../rates/ecb-file.ts'
import { rateFile } from '../support/rate-server.ts'

const read = (text: string) => [...readRates(text, '2026-11-26')]
const file = rateFile({
  '2026-11-26': { USD: 1.0353, JPY: '162.70' },
  '2026-11-25': { USD: '1.04' },
})

test('the file of the bank is read day by day, with the digits of each rate', () => {
  expect(read(file)).toEqual([
    { day: '2026-11-26', currency: 'usd', rate: '1.0353' },
    { day: '2026-11-26', currency: 'jpy', rate: '162.70' },
    { day: '2026-11-25', currency: 'usd', rate: '1.04' },
  ])
})

test.each<[string, string]>([
  ['double quotes', file.replaceAll("'", '"')],
  ['Windows line ends', file.replaceAll('\n', '\r\n')],
  ['one line', file.replaceAll(/\s*\n\s*/g, '')],
  ['a byte order mark', `\uFEFF${file}`],
  ['closing tags of rates', file.replaceAll(/(rate='[\d.]+')\/>/g, '$1></Cube>')],
])('the file of the bank may have %s', (_, text) => {
  expect(read(text)).toHaveLength(3)
})

test('the file of the bank of 27 years is read within a second', () => {
  const days = Array.from(
    { length: 7_000 },
    (_, n) =>
      [new Date(Date.parse('2026-11-26') - n * 86_400_000).toISOString().slice(0, 10), {}] as const,
  )
  const codes = Array.from(
    { length: 30 },
    (_, n) => `${String.fromCharCode(65 + n % 26)}${n < 26 ? 'AA' : 'BB'}`,
  )
  const text = rateFile(
    Object.fromEntries(
      days.map(([day]) => [day, Object.fromEntries(codes.map((code) => [code, '1.2345']))]),
    ),
  )
  const started = performance.now()
  expect(read(text)).toHaveLength(210_000)
  expect(performance.now() - started).toBeLessThan(10_000)
})

test.each<[string, string, RegExp]>([
  ['an empty response', '', /^line 1 .* no file of reference rates/],
  ['a page', '<!doctype html><html><body>Maintenance</body></html>', /no file of reference rates/],
  ['another vocabulary', file.replace('eurofxref"', 'other"'), /no file of reference rates/],
  ['no day', rateFile({}), /no day/],
  ['a day without rates', rateFile({ '2026-11-26': {} }), /the day has no rate/],
  [
    'an unknown element',
    file.replace("<Cube currency='JPY' rate='162.70'/>", '<Note/>'),
    /line 10 .*: this is no rate/,
  ],
  ['a decimal comma', file.replace('1.0353', '1,0353'), /the day has no rate/],
  ['a negative rate', file.replace('162.70', '-162.70'), /this is no rate/],
  ['a rate in scientific notation', file.replace('162.70', '1e3'), /this is no rate/],
  ['no number', file.replace('162.70', 'N/A'), /this is no rate/],
  ['a rate of zero', file.replace('162.70', '0.0000'), /the rate is 0/],
  ['a currency twice', file.replace('JPY', 'USD'), /the currency is there twice/],
  ['the euro itself', file.replace('JPY', 'EUR'), /the currency is there twice/],
  ['a day twice', file.replace('2026-11-25', '2026-11-26'), /the day is there twice/],
  [
    'a day that does not exist',
    file.replace('2026-11-25', '2026-02-30'),
    /not between 1999 and tomorrow/,
  ],
  ['a day of next week', file.replace('2026-11-25', '2026-12-03'), /not between 1999 and tomorrow/],
  [
    'a day before the euro',
    file.replace('2026-11-25', '1998-12-31'),
    /not between 1999 and tomorrow/,
  ],
  ['a cut end', file.slice(0, -25), /does not end here/],
  ['text behind the end', `${file}<Cube/>`, /does not end here/],
])('%s is refused with the line and the reason, and without the text', (_, text, reason) => {
  expect(() => read(text)).toThrow(RateFileError)
  expect(() => read(text)).toThrow(reason)
})
