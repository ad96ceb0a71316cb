/** One live stream: its parts, its bound for a slow reader, and its comments. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Change } from '../../realtime/live/row-changes.ts'
import { createStream, type Closing } from '../../realtime/live/event-stream.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const cursorOf = (position: bigint) => `cursor-${position}`

function opened() {
  const closed: Closing[] = []
  const stream = createStream(cursorOf, (closing) => closed.push(closing), () => undefined)
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader()
  stream.open('first', false)
  return { stream, closed, reader, read: async () => (await reader.read()).value }
}
/** Opens a stream that no client reads. */
function unread() {
  const closed: Closing[] = []
  const stream = createStream(cursorOf, (closing) => closed.push(closing), () => undefined)
  stream.open('first', false)
  return { stream, closed }
}
const change = (number: number, ids: string[] | null = [`id-${number}`]): Change => ({
  table: 'transactions',
  organizationId: null,
  actions: new Set(['create']),
  ids: ids === null ? null : new Set(ids),
  changeId: `change-${number}`,
})

test('the first part is the pause before a reconnect, and ready', async () => {
  const { read } = opened()
  expect(await read()).toBe('retry: 1000\n\nevent: ready\nid: first\ndata: {}\n\n')
})

test('a comment has the cursor only if every change was sent', async () => {
  const { stream, read } = opened()
  await read()
  const comment = read()
  await nextTurn()
  stream.beat(2n)
  expect(await comment).toBe(':\nid: cursor-2\n\n')
  const both = read()
  await nextTurn()
  stream.add(change(1))
  stream.beat(3n)
  expect(await both).toBe(':\n\n')
})

test('only the last event of a delivery has the cursor, so a client whose connection breaks in between gets all of them again', async () => {
  const { stream, read } = opened()
  await read()
  const delivery = read()
  await nextTurn()
  stream.add(change(1))
  stream.add(change(2))
  stream.deliver(2n)
  expect((await delivery)!.match(/^(?:event|id): .*/gm)).toEqual([
    'event: change',
    'event: change',
    'id: cursor-2',
  ])
})

test('a reader that takes nothing costs a bounded set, and gets it as a few events when it reads again', async () => {
  const { stream } = unread()
  for (let number = 0; number < 10_000; number++) {
    stream.add(change(number))
    stream.deliver(BigInt(number))
  }
  const reader = stream.body.pipeThrough(new TextDecoderStream()).getReader()
  const { value = '' } = await reader.read()
  const parts = value.includes('event: change') ? value : value + (await reader.read()).value
  const events = parts.match(/event: change/g) ?? []
  expect(events.length).toBeLessThanOrEqual(21)
  expect(parts.length).toBeLessThan(16_384)
  // thousands of merged rows have no ids and no single request
  expect(parts).toContain('"ids":null,"change_id":null')
})

test('a reader that takes nothing for ten seconds is disconnected, and one that reads is not', async () => {
  const slow = unread()
  const fast = opened()
  await fast.read()
  for (const { stream } of [slow, fast]) stream.dropIfStuck()
  const next = fast.read()
  await nextTurn()
  vi.advanceTimersByTime(10_001)
  for (const { stream } of [slow, fast]) stream.dropIfStuck()
  expect([slow.closed, fast.closed]).toEqual([['slow'], []])
  fast.stream.close('stop')
  expect(await next).toBeUndefined()
})

test('a lost access ends a slow reader’s connection, which would first receive earlier changes', async () => {
  const { stream, closed } = unread()
  stream.add(change(1))
  stream.deliver(2n)
  stream.close('ended', 'ended')
  expect(closed).toEqual(['ended'])
  await expect(stream.body.getReader().read()).rejects.toThrow('access')
})
