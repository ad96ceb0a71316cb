/** A hold of requests ends by itself. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHold } from '../../edge/hold.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('an upgrade that dies holds requests for 20 seconds, and a repeated one for another 20 seconds', async () => {
  const hold = createHold()
  expect(hold.passed()).toBeUndefined()
  hold.begin()
  let hasPassed = false
  void hold.passed()?.then(() => (hasPassed = true))
  await vi.advanceTimersByTimeAsync(19_000)
  hold.begin()
  await vi.advanceTimersByTimeAsync(19_999)
  expect(hasPassed).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(hasPassed).toBe(true)
  expect(hold.passed()).toBeUndefined()
})
