/** Slots that clients share. */
import { expect, test } from 'vitest'
import { sharedSlots } from '../../common/shared-slots.ts'

test('a client takes half of the slots at most, and two clients take all', () => {
  const { take } = sharedSlots(4)
  const [first] = [take('a'), take('a')]
  expect(take('a')).toBeUndefined()
  const others = [take('b'), take('b')]
  expect(others).not.toContain(undefined)
  expect(take('c')).toBeUndefined()
  first?.()
  first?.()
  expect(take('c')).toBeDefined()
  expect(take('d')).toBeUndefined()
})
