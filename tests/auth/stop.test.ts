import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { person } from '../support/person.ts'
import { startStack } from '../support/stack.ts'

test('a stop of the service completes the requests in flight', async () => {
  const stopping = await startStack({ hashesOnce: false })
  // The hashing queue has slots for all but one of these: some are hashed, one waits, and the
  // service has accepted all.
  const signUps = Array.from(
    { length: Math.min(3, availableParallelism()) + 2 },
    () => person(stopping, 'Late').signUp(),
  )
  await expect.poll(
    async () =>
      Number(
        /^auth_hashing_queue_length (\d+)$/m.exec(
          await (await fetch(`${stopping.url}/metrics`)).text(),
        )?.[1],
      ),
    {
      interval: 5,
    },
  ).toBeGreaterThan(0)
  await stopping.close()
  expect((await Promise.all(signUps)).map(({ status }) => status)).toEqual(signUps.map(() => 200))
  await expect(person(stopping).get('/get-session')).rejects.toThrow(/fetch failed/)
})
