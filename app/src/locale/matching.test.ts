import { expect, test } from 'vitest'
import { matching } from './matching.ts'

const found = (query: string, names: string[]) => matching(names, query, (name) => name)

test('a row is found by any part of its name, without case and accents', () => {
  expect(found('UBER', ['Überweisung', 'Miete'])).toEqual(['Überweisung'])
  expect(found('strasse', ['Bus', 'Straßenbahn'])).toEqual(['Straßenbahn'])
  expect(found('zz', ['Bus'])).toEqual([])
})

test('the best match is first: the name, its start, the start of a word, the middle of a word', () => {
  expect(found('car', ['Oscar', 'New car', 'Care', 'Car'])).toEqual([
    'Car',
    'Care',
    'New car',
    'Oscar',
  ])
})

test('without a text all rows keep their order', () => {
  expect(found(' ', ['b', 'a'])).toEqual(['b', 'a'])
})
