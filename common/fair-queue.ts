/**
 * A queue in front of work of which only a little may be done at a time. It lets a few in, makes the rest wait, and refuses
 * when it is full or too slow. Those who wait are served in turn by client, so that a client that floods the queue waits for
 * itself.
 */

export type FairQueue = {
  /**
   * Waits for a place.
   * @param client whose turn it is counted as; see clientNetwork
   * @returns the function that gives it back; undefined when the queue refuses
   */
  enter: (client: string) => Promise<(() => void) | undefined>
  waiting: () => number
}

type Waiter = { admit: () => void, refuse: () => void }

/**
 * @param places how many are let in at once
 * @param queueLength how many may wait; one client may be half of them
 * @param patienceMs how long one waits, in milliseconds
 */
export function fairQueue(places: number, queueLength: number, patienceMs: number): FairQueue {
  const share = Math.ceil(queueLength / 2)
  let free = places
  let length = 0
  // in the order of their turns; a client without anybody waiting is not in it
  const queues = new Map<string, Waiter[]>()

  const remove = (client: string, waiter: Waiter) => {
    const queue = queues.get(client) ?? []
    queue.splice(queue.indexOf(waiter), 1)
    length -= 1
    if (queue.length === 0) queues.delete(client)
  }
  const leave = () => {
    const [next] = queues
    const waiter = next?.[1][0]
    if (next === undefined || waiter === undefined) {
      free += 1
      return
    }
    const [client, queue] = next
    remove(client, waiter)
    if (queue.length > 0) {
      // to the end of the turns
      queues.delete(client)
      queues.set(client, queue)
    }
    waiter.admit()
  }
  const once = () => {
    let left = false
    return () => {
      if (left) return
      left = true
      leave()
    }
  }
  /** Whether there is room for one more of this client, which whoever waits most may have to make. */
  const hasRoom = (client: string): boolean => {
    const own = queues.get(client)?.length ?? 0
    if (own >= share) return false
    if (length < queueLength) return true
    const most = [...queues.values()].reduce((longest, queue) => (queue.length > longest.length ? queue : longest))
    // one fewer would only trade places, and the two clients would refuse each other for ever
    if (own + 1 >= most.length) return false
    most.at(-1)?.refuse()
    return true
  }
  return {
    waiting: () => length,
    enter: (client) => {
      if (free > 0) {
        free -= 1
        return Promise.resolve(once())
      }
      if (!hasRoom(client)) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        const waiter: Waiter = {
          admit: () => {
            clearTimeout(timer)
            resolve(once())
          },
          refuse: () => {
            clearTimeout(timer)
            remove(client, waiter)
            resolve(undefined)
          },
        }
        const timer = setTimeout(waiter.refuse, patienceMs)
        const queue = queues.get(client) ?? []
        queue.push(waiter)
        queues.set(client, queue)
        length += 1
      })
    },
  }
}
