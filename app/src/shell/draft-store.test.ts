import { expect, test } from 'vitest'
import { draftValues } from './draft-store.ts'

test('a draft has only the values that the user has changed', () => {
  const defaults = { name: '', amount: null, parts: [{ name: 'Food' }] }
  expect(draftValues({ ...defaults, name: 'Bread', parts: [{ name: 'Food' }] }, defaults)).toEqual({
    name: 'Bread',
  })
  expect(draftValues({ ...defaults, parts: [] }, defaults)).toEqual({ parts: [] })
  expect(draftValues({ ...defaults }, defaults)).toBe(null)
})

test.each(['password', 'currentPassword', 'code', 'backupCode', 'secret', 'token', 'apiKey'])(
  'a form with the field %s has no draft',
  (name) => {
    expect(draftValues({ name: 'Bread', [name]: 'hidden' }, { name: '', [name]: '' })).toBe(null)
  },
)
