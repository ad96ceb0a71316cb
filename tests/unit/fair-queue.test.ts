/** The queue that limits what runs at once, and shares the slots between clients. */
import { EventEmitter } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { fairQueue, type SlotLimit } from '../../common/fair-queue.ts'

const never = 60_000

/** Records which requests run, in the order of their start. */
function recorder(queue: ReturnType<typeof fairQueue>) {
  const started: string[] = []
  const leave = new Map<string, () => void>()
  const request = async (client: string, name: string, limits?: readonly SlotLimit[]) => {
    const end = await queue.enter(client, limits)
    started.push(name)
    if (end !== undefined) leave.set(name, end)
  }
  const enter = (client: string, name: string, limits?: readonly SlotLimit[]) =>
    void request(client, name, limits)
  /** Ends a request. */
  const end = (name: string) => leave.get(name)?.()
  /** Lets all settled promises run. */
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return { started, enter, end, settle }
}

test('a client with long requests leaves a slot to others, and its next request starts when its first ends', async () => {
  const queue = fairQueue(2, 8, never, 1)
  const { started, enter, end, settle } = recorder(queue)
  for (const name of ['a1', 'a2', 'a3']) enter('a', name)
  enter('b', 'b1')
  await settle()
  expect([started, queue.waiting()]).toEqual([['a1', 'b1'], 2])
  enter('c', 'c1')
  end('b1')
  await settle()
  expect(started).toEqual(['a1', 'b1', 'c1'])
  end('a1')
  end('a1')
  await settle()
  expect(started).toEqual(['a1', 'b1', 'c1', 'a2'])
  end('a2')
  await settle()
  expect([started, queue.waiting()]).toEqual([['a1', 'b1', 'c1', 'a2', 'a3'], 0])
})

test('a client may hold all slots without a limit of its own, and waiting clients take turns', async () => {
  const { started, enter, end, settle } = recorder(fairQueue(2, 8, never))
  for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name)
  enter('b', 'b1')
  await settle()
  expect(started).toEqual(['a1', 'a2'])
  for (const name of ['a1', 'a2']) end(name)
  await settle()
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1'])
})

test('a limit that several clients share admits as many of them as it has slots, and others meanwhile', async () => {
  const queue = fairQueue(4, 8, never)
  const { started, enter, end, settle } = recorder(queue)
  const anonymous = (network: string): SlotLimit[] => [[network, 1], ['anonymous', 2]]
  for (const name of ['a1', 'a2']) enter('a', name, anonymous('a'))
  enter('b', 'b1', anonymous('b'))
  enter('c', 'c1', anonymous('c'))
  for (const name of ['d1', 'd2', 'd3']) enter('d', name, [['d', 2]])
  await settle()
  expect([started, queue.waiting()]).toEqual([['a1', 'b1', 'd1', 'd2'], 3])
  end('b1')
  await settle()
  expect(started.slice(4)).toEqual(['c1'])
  end('d1')
  end('a1')
  await settle()
  expect(started.slice(5)).toEqual(['d3', 'a2'])
})

test('one release admits a client of each limit that it frees', async () => {
  const { started, enter, end, settle } = recorder(fairQueue(4, 8, never))
  enter('user and team', 'write', [['user', 1], ['team', 1]])
  enter('user', 'read', [['user', 1]])
  enter('other and team', 'other write', [['other', 1], ['team', 1]])
  await settle()
  expect(started).toEqual(['write'])
  end('write')
  await settle()
  expect(started).toEqual(['write', 'read', 'other write'])
})

test('a full queue refuses the newest request of the client with the most, and one client fills half of it', async () => {
  const queue = fairQueue(1, 4, never)
  const { started, enter, settle } = recorder(queue)
  for (const name of ['a1', 'a2', 'a3', 'refused: a4']) enter('a', name)
  for (const name of ['b1', 'b2']) enter('b', name)
  await settle()
  expect([started, queue.waiting()]).toEqual([['a1', 'refused: a4'], 4])
  enter('c', 'c1')
  await settle()
  expect(started.slice(2)).toHaveLength(1)
  expect(queue.waiting()).toBe(4)
})

test('a request that waits for too long is refused', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const queue = fairQueue(1, 4, 20_000)
  const end = await queue.enter('a')
  const waits = queue.enter('b')
  vi.advanceTimersByTime(19_999)
  expect(queue.waiting()).toBe(1)
  vi.advanceTimersByTime(1)
  expect(await waits).toBeUndefined()
  end?.()
  expect([await queue.enter('c'), queue.waiting()]).toEqual([expect.any(Function), 0])
})

test('a client that leaves while it waits frees its place in the queue, and one that has a slot keeps it', async () => {
  const queue = fairQueue(1, 4, never)
  const [first, second] = [new EventEmitter(), new EventEmitter()]
  const end = await queue.enter('a', undefined, first)
  const waits = queue.enter('b', undefined, second)
  second.emit('close')
  expect([await waits, queue.waiting()]).toEqual([undefined, 0])
  first.emit('close')
  const next = queue.enter('c')
  expect(queue.waiting()).toBe(1)
  end?.()
  expect(await next).toBeInstanceOf(Function)
  expect([first, second].map((requester) => requester.listenerCount('close'))).toEqual([0, 0])
})
