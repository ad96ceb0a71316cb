/**
 * A queue that limits concurrency fairly: it serves the waiting clients round-robin, one request
 * each. A client that floods the queue delays only its own requests. Limits keep slots free for
 * others if requests are long. The queue refuses a request if it is full or if the wait exceeds the
 * timeout.
 */
import type { EventEmitter } from 'node:events'

/** The maximum number of slots of all requests with the same name at once. */
export type SlotLimit = readonly [name: string, slots: number]

export type FairQueue = {
  /**
   * Waits for a slot.
   * @param client the key that a client's requests share, such as a clientNetwork()
   * @param limits the limits of this request, the same for all requests of the client; by default
   * the client's own
   * @param requester emits `close` when the client leaves, which ends the wait
   * @returns the function that releases the slot; undefined if the queue refuses, or if the client
   * has left
   */
  enter: (
    client: string,
    limits?: readonly SlotLimit[],
    requester?: EventEmitter,
  ) => Promise<(() => void) | undefined>
  waiting: () => number
}

type Waiter = { limits: readonly SlotLimit[], admit: () => void, reject: () => void }

/** Counts the slots. @param onRelease called after a request has released its slot */
function slotCounter(slots: number, onRelease: () => void) {
  let free = slots
  // by the names of limits
  const taken = new Map<string, number>()
  return {
    hasFree: () => free > 0,
    mayTake: (limits: readonly SlotLimit[]) =>
      free > 0 && limits.every(([name, most]) => (taken.get(name) ?? 0) < most),
    /** Takes a slot. @returns the function that releases it and admits the next request */
    take: (limits: readonly SlotLimit[]) => {
      free -= 1
      for (const [name] of limits) taken.set(name, (taken.get(name) ?? 0) + 1)
      let isReleased = false
      return () => {
        if (isReleased) return
        isReleased = true
        free += 1
        for (const [name] of limits) {
          const rest = (taken.get(name) ?? 1) - 1
          if (rest === 0) taken.delete(name)
          else taken.set(name, rest)
        }
        onRelease()
      }
    },
  }
}

type SlotCounter = ReturnType<typeof slotCounter>

/** Keeps the waiting requests, by client. @param maxLength maximum number of requests */
function waitingList(maxLength: number) {
  const maxPerClient = Math.ceil(maxLength / 2)
  let length = 0
  // in round-robin order; contains only clients with waiting requests
  const queues = new Map<string, Waiter[]>()

  const remove = (client: string, waiter: Waiter) => {
    const queue = queues.get(client) ?? []
    queue.splice(queue.indexOf(waiter), 1)
    length -= 1
    if (queue.length === 0) queues.delete(client)
  }
  return {
    length: () => length,
    remove,
    add: (client: string, waiter: Waiter) => {
      const queue = queues.get(client) ?? []
      queue.push(waiter)
      queues.set(client, queue)
      length += 1
    },
    /** Admits the next requests of the round, as long as there are slots. */
    admitNext: (counter: SlotCounter) => {
      for (const [client, queue] of queues) {
        if (!counter.hasFree()) return
        const [waiter] = queue
        if (waiter === undefined || !counter.mayTake(waiter.limits)) continue
        remove(client, waiter)
        if (queue.length > 0) {
          // move the client to the end of the round
          queues.delete(client)
          queues.set(client, queue)
        }
        waiter.admit()
      }
    },
    /**
     * Whether one more request of this client may wait. If the queue is full, refuses the newest
     * request of the client with the most.
     */
    makeRoom: (client: string): boolean => {
      const count = queues.get(client)?.length ?? 0
      if (count >= maxPerClient) return false
      if (length < maxLength) return true
      const longest = [...queues.values()].reduce((
        most,
        queue,
      ) => (queue.length > most.length ? queue : most))
      // with a difference of one, two clients would displace each other's requests forever
      if (count + 1 >= longest.length) return false
      longest.at(-1)?.reject()
      return true
    },
  }
}

/**
 * @param slots maximum number of requests at once
 * @param queueLength maximum number of waiting requests; one client may hold half of them
 * @param timeoutMs maximum wait in milliseconds
 * @param slotsPerClient maximum number of requests of one client at once
 */
export function fairQueue(
  slots: number,
  queueLength: number,
  timeoutMs: number,
  slotsPerClient = slots,
): FairQueue {
  const waiting = waitingList(queueLength)
  const counter: SlotCounter = slotCounter(slots, () => waiting.admitNext(counter))
  return {
    waiting: waiting.length,
    enter: (client, limits = [[client, slotsPerClient]], requester) => {
      if (counter.mayTake(limits)) return Promise.resolve(counter.take(limits))
      if (!waiting.makeRoom(client)) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const settle = (release: (() => void) | undefined) => {
          clearTimeout(timer)
          requester?.off('close', waiter.reject)
          resolve(release)
        }
        const waiter: Waiter = {
          limits,
          admit: () => settle(counter.take(limits)),
          reject: () => {
            waiting.remove(client, waiter)
            settle(undefined)
          },
        }
        const timer = setTimeout(waiter.reject, timeoutMs)
        requester?.once('close', waiter.reject)
        waiting.add(client, waiter)
      })
    },
  }
}
