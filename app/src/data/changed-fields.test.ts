import { expect, test } from 'vitest'
import { changedFields, inputOf } from './changed-fields.ts'

const giro = { id: 'a', name: 'Giro', institution: null, balance: 100, tags: ['bank', 'daily'] }

test.each([
  ['nothing', { name: 'Giro', institution: null, balance: 100 }, {}],
  ['a name', { name: 'Current', balance: 100 }, { name: 'Current' }],
  ['a value that was empty', { institution: 'The bank' }, { institution: 'The bank' }],
  ['a value to none', { balance: null }, { balance: null }],
  ['an equal list', { tags: ['bank', 'daily'] }, {}],
  ['a list', { tags: ['daily', 'bank'] }, { tags: ['daily', 'bank'] }],
])('a form that changes %s of a row sends only that', (_, values, changed) => {
  expect(changedFields(giro, values)).toEqual(changed)
})

const opened = { name: 'Giro', balance: 100 }

test('a form sends all values of a new row, the changed ones of a stored row, and nothing without a change', () => {
  expect(inputOf(null, opened, opened)).toEqual({ values: opened })
  expect(inputOf(giro, opened, { ...opened, balance: 0 })).toEqual({
    id: 'a',
    values: { balance: 0 },
  })
  expect(inputOf(giro, opened, { ...opened })).toBeNull()
})
