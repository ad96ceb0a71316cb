/**
 * Live streams in a process of their own: REALTIME_REPLICAS switches it on and off, and no other
 * service notices its crash. Needs an engine, and root for the crash.
 */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openLive, type Live } from '../support/live.ts'
import { newDeployment, run, services, tokenOf, type Deployment } from './deployment.ts'

let deployment: Deployment
let token: string

beforeAll(async () => {
  deployment = await newDeployment()
  await deployment.up()
  token = await tokenOf(deployment.person('Ann', 'ann@example.org'))
})
afterAll(() => deployment.remove())

/** Opens a stream through the edge, and waits until it is ready. */
async function stream(headers: Record<string, string> = {}): Promise<Live> {
  const live = await openLive(deployment.url, { authorization: `Bearer ${token}`, ...headers })
  onTestFinished(() => live.close())
  await live.next('ready')
  return live
}

/** Returns the number of streams that a service's process serves. */
const streamsOf = async (service: string): Promise<number> => {
  const program =
    `fetch('http://127.0.0.1:3000/metrics').then((answer) => answer.text()).then(console.log)`
  const metrics = await deployment.compose('exec', '-T', service, 'node', '-e', program)
  return Number(/^auth_streams (\d+)$/m.exec(metrics)?.[1])
}

/** Adds a transaction as another device would. @returns its id */
async function add(name: string): Promise<string> {
  const answer = await fetch(`${deployment.url}/data/transactions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    body: JSON.stringify({ name, amount: -1 }),
  })
  expect(answer.status).toBe(201)
  return ((await answer.json()) as { id: string }[])[0]!.id
}

/** Waits until a stream tells the change of a row. Earlier changes may be repeated. */
async function received(live: Live, id: string): Promise<void> {
  while (!(await live.next('change')).data.ids.includes(id));
}

/** Returns the start and the restarts of each container of some services. */
const starts = async (...of: string[]) => {
  const ids = (await deployment.compose('ps', '-q', ...of)).trim().split('\n')
  return run('docker', ['inspect', '-f', '{{.Id}} {{.State.StartedAt}} {{.RestartCount}}', ...ids])
}

test('the auth service serves live streams until REALTIME_REPLICAS is set', async () => {
  expect((await deployment.compose('ps', '-aq', 'realtime')).trim()).toBe('')
  await stream()
  expect(await streamsOf('auth')).toBe(1)
})

test('one line of .env moves live streams into a process of their own', async () => {
  await deployment.configure({ REALTIME_REPLICAS: '1' })
  await deployment.command('up')
  expect(await deployment.health('realtime')).toBe('healthy')
  const live = await stream()
  expect(await streamsOf('realtime')).toBe(1)
  await received(live, await add('Coffee'))
})

test('after a crash of realtime a stream resumes without a gap, and no other service is touched', async () => {
  const others = await starts(...services)
  const live = await stream()
  const cursor = live.lastId()!
  await deployment.crash('realtime')
  await live.closed
  const id = await add('Tea')
  await expect.poll(() => streamsOf('realtime').catch(() => -1), { timeout: 120_000 }).toBe(0)
  const again = await stream({ 'last-event-id': cursor })
  await received(again, id)
  expect(again.events.map(({ event }) => event)).not.toContain('reset')
  expect(await starts(...services)).toBe(others)
  expect(await starts('realtime')).toMatch(/ 1\n$/)
})

test('an upgrade replaces the process, and a restore starts it again', async () => {
  const before = await starts('realtime')
  const replaced = await deployment.shell(
    'VERSION=latest COMPOSE_FILE=.deployed.latest.yaml infra/docker/replace',
  )
  expect(replaced).toBe('')
  expect(await starts('realtime')).not.toBe(before)
  const dump = (await deployment.command('backup')).trim()
  await deployment.command('restore', dump)
  expect(await deployment.health('realtime')).toBe('healthy')
  expect(await deployment.command('admin', 'status')).not.toContain('realtime')
})

test('without the line the auth service serves live streams again', async () => {
  token = await (async () => {
    const ann = deployment.person('Ann', 'ann@example.org')
    await ann.signIn()
    return ann.token()
  })()
  await deployment.configure({ REALTIME_REPLICAS: '0' })
  await deployment.command('up')
  expect((await deployment.compose('ps', '-aq', 'realtime')).trim()).toBe('')
  await stream()
  expect(await streamsOf('auth')).toBe(1)
})
