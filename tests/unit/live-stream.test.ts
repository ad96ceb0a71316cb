/** One live stream: its parts, its bound for a slow reader, and its comments. */
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Change } from '../../realtime/live/row-changes.ts'
import { Stream, type Closing } from '../../realtime/live/event-stream.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const cursorOf = (position: bigint) => `cursor-${position}`

/** A connection that takes a part, and the next one only after `next`. */
function connection() {
  const parts: string[] = []
  let next = () => {}
  const outgoing = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      parts.push(chunk.toString())
      next = done
    },
  })
  return { outgoing, parts, next: () => next() }
}

/** Opens a stream. Its connection takes the first part. */
function opened() {
  const closed: Closing[] = []
  const stream = new Stream(cursorOf, (closing) => closed.push(closing), () => undefined)
  const { outgoing, parts, next } = connection()
  stream.open('first', false)
  stream.sendTo(outgoing)
  return {
    stream,
    closed,
    outgoing,
    parts,
    /** Takes the next part. */
    take: async () => {
      next()
      await nextTurn()
      return parts.splice(0).join('')
    },
  }
}
const change = (number: number, ids: string[] | null = [`id-${number}`]): Change => ({
  table: 'transactions',
  organizationId: null,
  actions: new Set(['create']),
  ids: ids === null ? null : new Set(ids),
  changeId: `change-${number}`,
})

test('the first part is the pause before a reconnect, and ready', () => {
  expect(opened().parts).toEqual(['retry: 1000\n\nevent: ready\nid: first\ndata: {}\n\n'])
})

test('a comment has a newer cursor only if every change was sent', async () => {
  const { stream, take } = opened()
  await take()
  stream.beat(2n)
  expect(await take()).toBe(':\nid: cursor-2\n\n')
  stream.beat(undefined)
  expect(await take()).toBe(':\n\n')
  stream.add(change(1))
  stream.beat(3n)
  expect(await take()).toBe(':\n\n')
})

test('only the last event of a delivery has the cursor, so a client whose connection breaks in between gets all of them again', async () => {
  const { stream, take } = opened()
  await take()
  stream.add(change(1))
  stream.add(change(2))
  stream.deliver(2n)
  expect((await take()).match(/^(?:event|id): .*/gm)).toEqual([
    'event: change',
    'event: change',
    'id: cursor-2',
  ])
})

test('a reader that takes nothing costs a bounded set, and gets it as a few events when it reads again', async () => {
  const { stream, parts, take } = opened()
  for (let number = 0; number < 10_000; number++) {
    stream.add(change(number))
    stream.deliver(BigInt(number))
  }
  parts.length = 0
  const text = await take()
  const events = text.match(/event: change/g) ?? []
  expect(events.length).toBeGreaterThan(0)
  expect(events.length).toBeLessThanOrEqual(21)
  expect(text.length).toBeLessThan(16_384)
  // thousands of merged rows have no ids and no single request
  expect(text).toContain('"ids":null,"change_id":null')
})

test('a reader that takes nothing for ten seconds is disconnected, and one that reads is not', async () => {
  const slow = opened()
  const fast = opened()
  await fast.take()
  for (const { stream } of [slow, fast]) stream.dropIfStuck()
  vi.advanceTimersByTime(10_001)
  for (const { stream } of [slow, fast]) stream.dropIfStuck()
  expect([slow.closed, fast.closed]).toEqual([['slow'], []])
  expect([slow.outgoing.destroyed, fast.outgoing.destroyed]).toEqual([true, false])
  fast.stream.close('stop')
  await nextTurn()
  expect([fast.parts, fast.outgoing.writableFinished]).toEqual([[], true])
})

test('a lost access ends a slow reader’s connection, which would first receive earlier changes', () => {
  const { stream, closed, outgoing, parts } = opened()
  stream.add(change(1))
  stream.deliver(2n)
  stream.close('ended', 'ended')
  expect(closed).toEqual(['ended'])
  expect(outgoing.destroyed).toBe(true)
  expect(parts.join()).not.toContain('event: change')
})

test('a lost access is told to a reader that has taken everything', async () => {
  const { stream, closed, take, outgoing } = opened()
  await take()
  stream.close('ended', 'ended')
  expect(await take()).toContain('event: end\ndata: {"reason":"ended"}')
  expect([closed, outgoing.writableEnded]).toEqual([['ended'], true])
})

test('a client that leaves while its stream opens closes it', () => {
  const closed: Closing[] = []
  const stream = new Stream(cursorOf, (closing) => closed.push(closing), () => undefined)
  const { outgoing } = connection()
  stream.open('first', false)
  outgoing.destroy()
  stream.sendTo(outgoing)
  expect(closed).toEqual(['client'])
})
