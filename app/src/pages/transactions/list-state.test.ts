/** The state of the list of transactions. */
import { expect, test } from 'vitest'
import { initialState, nextOf, reduceList } from './list-state.ts'

const rows = ['a', 'b', 'c', 'd'].map((id) => ({ id }))

test('toggling selects rows that are not selected, and the other way round', () => {
  const once = reduceList(initialState, { type: 'toggle', ids: ['a', 'b'] })
  expect([...reduceList(once, { type: 'toggle', ids: ['b', 'c'] }).selected]).toEqual(['a', 'c'])
})

test('a removal ends the selection and closes the dialog, and the next row becomes active', () => {
  const opened = reduceList(reduceList(initialState, { type: 'toggle', ids: ['b'] }), {
    type: 'open',
    dialog: 'transfer',
  })
  expect(reduceList(opened, { type: 'removed', next: 'c' })).toEqual({
    ...initialState,
    active: 'c',
  })
})

test('the row after the removed ones is next, and none after the last', () => {
  expect(nextOf(rows, [{ id: 'b' }, { id: 'c' }])).toBe('d')
  expect(nextOf(rows, [{ id: 'd' }])).toBeNull()
})
