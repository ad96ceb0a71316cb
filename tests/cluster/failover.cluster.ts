/**
 * The product on a PostgreSQL cluster with synchronous replication: a failover loses nothing that
 * was acknowledged, and no process needs a restart.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCluster, type Cluster, type Node } from './cluster.ts'
import { underLoad, type Outcome } from './load.ts'
import { startProduct, type Product } from './product.ts'

const resources = new AsyncDisposableStack()
let cluster: Cluster
let product: Product
beforeAll(async () => {
  cluster = resources.use(await startCluster())
  product = resources.use(await startProduct(cluster.url))
})
afterAll(() => resources.disposeAsync())

/** Waits until another node than this one is the primary. @returns the time, in milliseconds */
async function failoverFrom(former: Node): Promise<number> {
  const started = performance.now()
  for (;;) {
    const roles = await Promise.all(
      cluster.nodes.filter((node) => node !== former).map((node) => node.role()),
    )
    if (roles.includes('primary')) return performance.now() - started
    await sleep(100)
  }
}

const isWhole = () => expect.poll(cluster.isWhole, { timeout: 180_000 }).toBe(true)

/** Statuses of requests that a failover may refuse or interrupt. */
const honest = /^(2\d\d |503 |409 PT409$)/

/**
 * The time that rows and streams need after the failover, and the time that all others need, in
 * milliseconds: the auth service connects again later, and hashes passwords.
 */
const recoveryMs = { rows: 5_000, others: 30_000 }

/** Returns the figures of a test as one line. */
const figuresOf = (kinds: Outcome['kinds']) =>
  Object.entries(kinds).map(([kind, { successes, longestGapMs, statuses }]) =>
    `${kind} ${successes}, ${(longestGapMs / 1000).toFixed(1)} s, ${
      [...statuses].map(([status, count]) => `${status.trim()}×${count}`).join(' ')
    }`
  ).join('; ')

/**
 * Expects that nothing acknowledged was lost, that each refusal was honest, and that no kind of
 * request waited longer than the failover and its recovery.
 * @param failoverMs the time that Patroni took
 */
function expectNothingLost(name: string, outcome: Outcome, failoverMs: number): void {
  const { kinds, refusals, lost } = outcome
  console.log(
    `${name}: Patroni ${(failoverMs / 1000).toFixed(1)} s; ${figuresOf(kinds)}; ${
      refusals.join(' ')
    }`,
  )
  expect(lost).toEqual({ writes: [], signUps: [], mails: [], streamed: [], unnamed: [] })
  const statuses = Object.entries(kinds).flatMap(([kind, counted]) =>
    [...counted.statuses.keys()].map((status) => [kind, status] as const)
  )
  expect(statuses.filter(([, status]) => !honest.test(status))).toEqual([])
  // a body names no server
  expect(refusals.filter((body) => /127\.0\.0|port \d|host|server|standby|recovery/i.test(body)))
    .toEqual([])
  const late = Object.entries(kinds).filter(([kind, { longestGapMs }]) =>
    longestGapMs >
      failoverMs + (/^(?:write|list|stream-\d)$/.test(kind) ? recoveryMs.rows : recoveryMs.others)
  )
  expect(late).toEqual([])
  expect(product.ended()).toEqual([])
}

test('a planned switchover loses no write, no sign-up, no email and no event', async () => {
  let failoverMs = 0
  const outcome = await underLoad(product, async () => {
    const former = await cluster.primary()
    const failover = failoverFrom(former)
    await cluster.switchOver()
    failoverMs = await failover
  })
  expectNothingLost('switchover', outcome, failoverMs)
  await isWhole()
})

test('the kill of the primary with its Patroni loses nothing, and the former primary returns as a standby under load', async () => {
  let failoverMs = 0
  const outcome = await underLoad(product, async () => {
    const former = await cluster.primary()
    await former.kill()
    failoverMs = await failoverFrom(former)
    await former.start()
    await isWhole()
  })
  expectNothingLost('kill', outcome, failoverMs)
})

test('a primary that loses its network, while clients still reach it, keeps no write that the others lack', async () => {
  let failoverMs = 0
  const outcome = await underLoad(product, async () => {
    const former = await cluster.primary()
    former.cut()
    failoverMs = await failoverFrom(former)
    former.heal()
    await isWhole()
  })
  expectNothingLost('cut', outcome, failoverMs)
})

test('a synchronous standby that hangs delays writes until Patroni replaces it, and fails none', async () => {
  let replacedMs = 0
  const outcome = await underLoad(product, async () => {
    const standby = await cluster.synchronousStandby()
    const started = performance.now()
    standby.hang()
    await expect.poll(
      () => cluster.synchronousStandby().then((one) => one !== standby, () => false),
      { timeout: 120_000 },
    ).toBe(true)
    replacedMs = performance.now() - started
    standby.continue()
    await isWhole()
  })
  expectNothingLost('hanging standby', outcome, replacedMs)
})
