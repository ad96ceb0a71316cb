/**
 * A queue that limits concurrency fairly: it serves the waiting clients round-robin, one request each. A client that floods the
 * queue delays only its own requests. The queue refuses a request if it is full or if the wait exceeds the timeout.
 */

export type FairQueue = {
  /**
   * Waits for a slot.
   * @param client the key that a client's requests share, such as a clientNetwork()
   * @returns the function that releases the slot; undefined if the queue refuses
   */
  enter: (client: string) => Promise<(() => void) | undefined>
  waiting: () => number
}

type Waiter = { admit: () => void, refuse: () => void }

/**
 * @param slots maximum number of requests at once
 * @param queueLength maximum number of waiting requests; one client may hold half of them
 * @param timeoutMs maximum wait in milliseconds
 */
export function fairQueue(slots: number, queueLength: number, timeoutMs: number): FairQueue {
  const maxPerClient = Math.ceil(queueLength / 2)
  let free = slots
  let length = 0
  // in round-robin order; contains only clients with waiting requests
  const queues = new Map<string, Waiter[]>()

  const remove = (client: string, waiter: Waiter) => {
    const queue = queues.get(client) ?? []
    queue.splice(queue.indexOf(waiter), 1)
    length -= 1
    if (queue.length === 0) queues.delete(client)
  }
  const release = () => {
    const [next] = queues
    const waiter = next?.[1][0]
    if (next === undefined || waiter === undefined) {
      free += 1
      return
    }
    const [client, queue] = next
    remove(client, waiter)
    if (queue.length > 0) {
      // move the client to the end of the round
      queues.delete(client)
      queues.set(client, queue)
    }
    waiter.admit()
  }
  const releaseOnce = () => {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      release()
    }
  }
  /** Whether one more request of this client may wait. If the queue is full, refuses the newest request of the client with the most. */
  const makeRoom = (client: string): boolean => {
    const count = queues.get(client)?.length ?? 0
    if (count >= maxPerClient) return false
    if (length < queueLength) return true
    const longest = [...queues.values()].reduce((most, queue) => (queue.length > most.length ? queue : most))
    // with a difference of one, two clients would displace each other's requests forever
    if (count + 1 >= longest.length) return false
    longest.at(-1)?.refuse()
    return true
  }
  return {
    waiting: () => length,
    enter: (client) => {
      if (free > 0) {
        free -= 1
        return Promise.resolve(releaseOnce())
      }
      if (!makeRoom(client)) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const waiter: Waiter = {
          admit: () => {
            clearTimeout(timer)
            resolve(releaseOnce())
          },
          refuse: () => {
            clearTimeout(timer)
            remove(client, waiter)
            resolve(undefined)
          },
        }
        const timer = setTimeout(waiter.refuse, timeoutMs)
        const queue = queues.get(client) ?? []
        queue.push(waiter)
        queues.set(client, queue)
        length += 1
      })
    },
  }
}
