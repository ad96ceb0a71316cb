/**
 * Arbitraries of fast-check for valid and invalid values that clients send. A value is valid for
 * its type half the time, so that requests pass the first check.
 */
import fc from 'fast-check'

/**
 * Values that have broken parsers before: numbers, dates, arrays and ranges, patterns, and text.
 */
const oddNumbers = [
  '0',
  '-0',
  '-1',
  '1',
  '2',
  '0.005',
  '1e3',
  '1e400',
  '1e-400',
  '1e131071',
  'NaN',
  'Infinity',
  '-Infinity',
  '0x10',
  '1_000',
  '2147483648',
  '-32769',
  '9223372036854775807',
  '9223372036854775808',
  '999999999999.99',
  '999999999999.995',
  '9'.repeat(40),
  '1.'.padEnd(400, '3'),
  '12,5',
  '+1',
  ' 1',
  '1 ',
  '--1',
  '٣',
]
const oddDates = [
  '2025-01-01',
  '2025-12-31T23:59:59.999999Z',
  '2025-02-30',
  '1900-01-01',
  '1899-12-31',
  '2199-12-31',
  '2200-01-01',
  '294276-12-31',
  '294277-01-01',
  '5874897-12-31',
  '4714-11-24 BC',
  '0000-00-00',
  '0001-01-01',
  '2025-01-01T25:00',
  '2024-12-31T23:59:60Z',
  '2025-01-01T00:00:00+99:99',
  '2025-01-01 00:00:00 Europe/Berlin',
  '2025-01-01T00:00:00+15:59:59',
  '01/02/2025',
  'infinity',
  '-infinity',
  'epoch',
  'now',
  'today',
  'tomorrow',
  'allballs',
  'P1Y',
  '1000000 years',
  '2025-W01',
  '20250101',
  'J2451187',
]
const oddTexts = [
  '',
  ' ',
  '*',
  '%',
  '_',
  '\\',
  "'",
  '"',
  '`',
  ';',
  '--',
  '/*',
  '$1',
  '$$',
  '%s',
  '%I',
  'null',
  'NULL',
  'true',
  'not_null',
  'unknown',
  '{',
  '}',
  '{}',
  '{a,b}',
  '{"a":1}',
  '{,}',
  '{{{{{{1}}}}}}',
  '[1,2)',
  '(,)',
  '[,]',
  '[2,1]',
  'empty',
  '(',
  ')',
  '()',
  '(a,b)',
  '("a","b\\"c")',
  '(((',
  ',',
  '.',
  '..',
  'a.b',
  'a->b',
  'a->>0',
  '->',
  'a::text',
  '!',
  '|',
  '&',
  'a & ! b',
  'a <-> b',
  'a <99999> b',
  ':*',
  '(?=a)',
  '(a)\\1',
  '[[:<:]]',
  'a{1,256}',
  '[a',
  'a**',
  '\\m',
  '\\',
  '*a*',
  '\u0000',
  'a\u0000b',
  '\ufffe',
  '\ufeff',
  '\u202e',
  '😀',
  'e\u0301',
  '\r\n',
  '\t',
  '\ud800',
  'x'.repeat(256),
  'é'.repeat(300),
  'x'.repeat(1_001),
  'x '.repeat(2_501),
  '['.repeat(300),
  '#fff',
  '#ggg',
  'usd',
  'USD',
  'ſſſ',
  'https://example.org/',
  'javascript:alert(1)',
]
const oddUuids = [
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-4FFF-8FFF-FFFFFFFFFFFF',
  '{00000000-0000-4000-8000-000000000000}',
  '00000000000040008000000000000000',
  '1',
  'urn:uuid:00000000-0000-4000-8000-000000000000',
]

/** JSON text of the given nesting depth. JSON.stringify itself would run out of stack. */
export const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

export const oddText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 2, arbitrary: fc.constantFrom(...oddNumbers, ...oddDates, ...oddUuids) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
)

/**
 * A value as a query contains it, for a column or parameter of a type. `ids` are those of existing
 * rows.
 */
export function textOf(type: string, ids: string[], words: string[]): fc.Arbitrary<string> {
  const word = words.length === 0 ? oddText : fc.constantFrom(...words)
  const right: Record<string, fc.Arbitrary<string>> = {
    uuid: ids.length === 0 ? fc.uuid() : fc.constantFrom(...ids, ...oddUuids),
    boolean: fc.constantFrom('true', 'false', 't', 'yes', 'on', '2', 'null'),
    jsonb: fc.json(),
  }
  const isNumber = /^(numeric|integer|bigint|smallint|real|double precision)/.test(type)
  const isTime = /^(timestamp|date|time|interval)/.test(type)
  const fitting = right[type] ??
    (isNumber
      ? fc.oneof({ weight: 2, arbitrary: fc.integer({ min: -999, max: 999 }).map(String) }, {
        weight: 1,
        arbitrary: fc.constantFrom(...oddNumbers),
      })
      : isTime
      ? fc.constantFrom(...oddDates)
      : fc.oneof({ weight: 2, arbitrary: word }, { weight: 1, arbitrary: oddText }))
  return fc.oneof({ weight: 6, arbitrary: fitting }, { weight: 1, arbitrary: oddText })
}

/** Any JSON value, with numbers that JavaScript can print. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1e308,
      -1e-308,
      2 ** 53,
      0.1 + 0.2,
      [],
      {},
      [[]],
      [null],
      [{}],
      { '': '' },
      { a: { b: [1] } },
      { $ref: '#' },
    ),
  },
  { weight: 3, arbitrary: oddText },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

/** A value in a JSON body. */
export const jsonOf = (type: string, ids: string[], words: string[]): fc.Arbitrary<unknown> => {
  const written = textOf(type, ids, words)
  return fc.oneof(
    { weight: 4, arbitrary: written },
    {
      weight: 2,
      arbitrary: written.map((text): unknown =>
        Number.isFinite(Number(text)) ? Number(text) : text
      ),
    },
    { weight: 1, arbitrary: anyJson },
  )
}
