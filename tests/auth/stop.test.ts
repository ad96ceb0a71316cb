import { describe, expect, test } from 'vitest'
import { person } from '../support/person.ts'
import { startStack } from '../support/stack.ts'

describe('the service is told to stop', () => {
  test('and finishes the requests in flight', async () => {
    const stopping = await startStack()
    const signUps = Array.from({ length: 3 }, () => person(stopping, 'Late').signUp())
    // some hash and the others wait: all have been accepted
    await expect.poll(async () => Number(/^auth_hashing_queue_length (\d+)$/m.exec(await (await fetch(`${stopping.url}/metrics`)).text())?.[1]), { interval: 5 }).toBeGreaterThan(0)
    await stopping.close()
    expect((await Promise.all(signUps)).map(({ status }) => status)).toEqual([200, 200, 200])
    await expect(person(stopping).get('/get-session')).rejects.toThrow(/fetch failed/)
  })
})
