import { expect, test } from 'vitest'
import { reasonText } from './reasons.ts'

test('the reasons of the service have a text, without the ids in them', () => {
  const id = '0198c0de-0000-7000-8000-000000000001'
  expect([
    `3 of 4 transactions with "rewe" are in Food, such as ${id}, ${id}`,
    `4 of 4 transactions with "rewe" are in Food`,
    'no transaction with "rewe" has a category yet',
    'fewer than three transactions with "rewe" have the same category',
    'only 2 of 5 transactions with "rewe" have the same category',
    'the rule "Shop; one" applies; no transaction with "rewe" has a category yet',
    'the rule "Savings" marks it as a transfer',
    'another sentence',
  ].map(reasonText)).toEqual([
    '3 of 4 transactions with “rewe” are in Food.',
    'All 4 transactions with “rewe” are in Food.',
    'No transaction with “rewe” has a category yet.',
    'Fewer than three transactions with “rewe” have the same category.',
    'Only 2 of 5 transactions with “rewe” have the same category.',
    'The rule “Shop; one” applies. No transaction with “rewe” has a category yet.',
    'The rule “Savings” marks it as a transfer.',
    'another sentence',
  ])
})
