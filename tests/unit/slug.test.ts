import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slugOf } from '../../auth/features/organization/organizations.ts'
import { input } from '../../auth/features/organization/schemas.ts'

test.each([
  ['Zürich', 'zurich'],
  ['Łódź', 'lodz'],
  ['日本', 'riben'],
  ['한국 은행', 'hangug-eunhaeng'],
  ['Ελλάδα', 'ellada'],
  ['Straße 7', 'strasse-7'],
  ['Øre & Krone', 'ore-krone'],
  ['Zu\u0308rich', 'zurich'],
  ['Mary O’Neil', 'mary-oneil'],
  ['🦊 Fox', 'fox-fox'],
  ['--- … ---', 'team'],
  ['\u{10FFFF}', 'team'],
])('the slug of %j starts with %s', (name, readable) => {
  expect(slugOf(name).replace(/-[0-9a-f]{8}$/, '')).toBe(readable)
})

test('the slug of any name is valid and unique', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), (name) => {
      expect(input.create.safeParse({ name: 'any', slug: slugOf(name) }).success).toBe(true)
      expect(slugOf(name)).not.toBe(slugOf(name))
    }),
    { numRuns: 50 },
  )
})
