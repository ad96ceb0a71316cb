/**
 * Crashes of each service under load, and restarts: no acknowledged write is lost. Needs root for
 * the crashes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { load, type Service } from './deployment.ts'
import { briefly, lost, newStory, say, stoppedUncleanly, summaryOf, type Story } from './story.ts'

let story: Story
beforeAll(async () => {
  story = await newStory()
  await story.deployment.up()
  await story.signUp('ann@example.org')
})
afterAll(async () => {
  await story.deployment.remove()
})

describe('a crash', () => {
  test.each<[Service, RegExp]>([['auth', briefly], ['postgrest', briefly], ['edge', briefly], [
    'caddy',
    /./,
  ], ['db', /./]])(
    'of %s under load loses no acknowledged write',
    async (service, mayFail) => {
      const stop = load(story.deployment, story.token, story.cookie())
      await sleep(1000)
      const crashed = Date.now()
      await story.deployment.crash(service)
      await expect.poll(async () =>
        (await Promise.all([
          fetch(`${story.deployment.url}/api/auth/get-session`, {
            headers: { cookie: story.cookie() },
          }),
          fetch(`${story.deployment.url}/data/transactions?limit=1`, {
            headers: { authorization: `Bearer ${story.token}` },
          }),
        ]).catch(() => [])).map(({ status }) => status), { timeout: 30_000, interval: 50 }).toEqual(
          [200, 200],
        )
      const back = Date.now() - crashed
      await sleep(2000)
      const counted = await stop()
      const missing = await lost(story.deployment, counted)
      say(`kill -9 of ${service}: back in ${back} ms; ${summaryOf(counted, missing)}`)
      expect(missing).toEqual([])
      expect(counted.acknowledged.length).toBeGreaterThan(20)
      expect(Object.keys(counted.failed).filter((failure) => !mayFail.test(failure))).toEqual([])
    },
  )
})
test('a restart after down or stop keeps everything', async () => {
  const before = await story.deployment.sums()
  await story.deployment.compose('down')
  say(`up with data in ${await story.deployment.up()} ms`)
  await story.deployment.compose('stop')
  expect((await story.deployment.logs('db')).at(-1)).toContain('database system is shut down')
  await story.deployment.up()
  expect(await stoppedUncleanly(story.deployment)).toEqual([])
  const after = await story.deployment.sums()
  for (const table of ['api.transactions', 'auth.users', 'auth.members', 'auth.jwks'])
    expect(after.get(table)).toBe(before.get(table))
  expect((await story.data('/data/transactions?limit=1')).status).toBe(200)
})
