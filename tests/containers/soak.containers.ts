/**
 * Mixed work with sign-ins for some minutes, in the containers of compose.yaml at their memory
 * limits. The default is two minutes with pauses. `npm run figures` lets the users work for thirty
 * minutes without a pause, and writes a page of figures.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quantile } from '../bench/stack.ts'
import { newDeployment, root, services, type Deployment } from './deployment.ts'
import { soakUsers, soakWork, type Measured } from './soak-load.ts'
import {
  beginCounting,
  containerOf,
  figuresPage,
  prepareCounting,
  usageOf,
  type Usage,
} from './soak-report.ts'

const minutes = Number(process.env['SOAK_MINUTES'] ?? 2)
/** The file of the page; undefined in a normal run. */
const page = process.env['SOAK_PAGE']
const userCount = 8
/**
 * The least time of a turn, with which a busy machine keeps up. A quiet one would otherwise spend
 * its processors here, and other tests would wait.
 */
const turnMs = page === undefined ? 1_200 : 0

let deployment: Deployment
beforeAll(async () => {
  deployment = await newDeployment()
  // All of them have the same address.
  await deployment.configure({ RATE_LIMIT_ENABLED: 'false' })
  if (page !== undefined) await prepareCounting(deployment)
  await deployment.up()
})
afterAll(async () => {
  await deployment.remove()
})

test(
  `${userCount} users work for ${minutes} minutes: no request fails, no container restarts, no memory grows`,
  {
    timeout: (minutes + 4) * 60_000,
  },
  async () => {
    const measured: Measured = { times: new Map(), unexpected: {} }
    const users = await soakUsers(deployment, userCount)
    if (page !== undefined) await beginCounting(deployment)

    const containers = await Promise.all(
      services.map((service) => containerOf(deployment, service)),
    )
    const samples: Usage[][] = containers.map(() => [])
    const until = Date.now() + minutes * 60_000
    const working = Promise.all(
      users.map((user) => soakWork(deployment, user, until, turnMs, measured)),
    )
    while (Date.now() < until) {
      const now = await Promise.all(containers.map(usageOf))
      now.forEach((usage, index) => samples[index]?.push(usage))
      await sleep(3000)
    }
    await working

    const report = containers.map((container, index) => {
      const memory = (samples[index] ?? []).map((usage) => usage.memory)
      const third = Math.floor(memory.length / 3)
      return {
        ...container,
        before: quantile(memory.slice(third, 2 * third), 0.5),
        after: quantile(memory.slice(2 * third), 0.5),
        most: Math.max(...memory),
      }
    })
    for (const { service, limit, before, after, most } of report)
      process.stdout.write(
        `  ${service}: ${before.toFixed(0)} MiB, then ${after.toFixed(0)}; at most ${
          most.toFixed(0)
        } of ${limit}\n`,
      )
    for (const [kind, all] of measured.times)
      process.stdout.write(
        `  ${kind}: ${all.length}, half of them within ${quantile(all, 0.5).toFixed(0)} ms\n`,
      )
    if (page !== undefined) {
      const { version } = JSON.parse(await deployment.shell('cat package.json')) as {
        version: string
      }
      const [postgresql] = await deployment.sql(
        `select 'PostgreSQL ' || split_part(current_setting('server_version'), ' ', 1)`,
      )
      const programs = [
        postgresql ?? '',
        (await deployment.compose('exec', '-T', 'auth', 'node', '--version')).trim().replace(
          'v',
          'Node ',
        ),
      ]
      const soaked = containers.map((container, index) => ({
        container,
        samples: samples[index] ?? [],
      }))
      await writeFile(
        join(root, page),
        await figuresPage(deployment, version, programs, {
          minutes,
          users: userCount,
          measured,
          containers: soaked,
        }),
      )
    }

    expect(measured.unexpected).toEqual({})
    const ended = await Promise.all(services.map((service) => containerOf(deployment, service)))
    expect(ended).toEqual(containers.map((container) => ({ ...container, outOfMemory: false })))
    for (const { service, limit, before, after, most } of report) {
      expect(most, `${service} is near its limit`).toBeLessThan(0.9 * limit)
      // The stored rows are in PostgreSQL's cache, which grows to its configured size.
      if (service !== 'db') expect(after, `${service} grows`).toBeLessThan(1.15 * before + 8)
    }
  },
)
