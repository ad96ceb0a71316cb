/**
 * The queue in front of password hashing. One hash takes some 90 ms of a core and 32 MiB: thirty at once make everybody
 * who hashes wait for seconds. A request waits before it opens a transaction.
 */
import { fairQueue, type FairQueue } from '../../infra/shared/fair-queue.ts'
import { refusal } from '../errors.ts'

export type HashingQueue = Pick<FairQueue, 'waiting'> & {
  /**
   * Waits for a turn.
   * @param client whose turn it is counted as: an address, or an IPv6 network
   * @returns the function that ends it
   * @throws Refusal SERVICE_BUSY
   */
  enter: (client: string) => Promise<() => void>
}

/**
 * @param places how many may hash at once
 * @param queueLength how many may wait; one client may be half of them
 * @param patienceMs how long one waits, in milliseconds
 * @param onRefusal told of each that had no turn
 */
export function hashingQueue(places: number, queueLength: number, patienceMs: number, onRefusal: () => void = () => undefined): HashingQueue {
  const queue = fairQueue(places, queueLength, patienceMs)
  return {
    waiting: queue.waiting,
    enter: async (client) => {
      const leave = await queue.enter(client)
      if (leave === undefined) {
        onRefusal()
        throw refusal('SERVICE_BUSY', undefined, 5)
      }
      return leave
    },
  }
}
