/**
 * The queue in front of password hashing. One hash takes about 90 ms of a core and 32 MiB, so thirty at once would delay all by
 * seconds. A request waits before it opens a transaction.
 */
import { fairQueue, type FairQueue } from '../../common/fair-queue.ts'
import { refusal } from '../errors.ts'

export type HashingQueue = Pick<FairQueue, 'waiting'> & {
  /**
   * Waits for a slot.
   * @param client the address, or the network of an IPv6 address
   * @returns the function that releases the slot
   * @throws Refusal SERVICE_BUSY
   */
  enter: (client: string) => Promise<() => void>
}

/**
 * @param places maximum number of concurrent hashes
 * @param queueLength maximum number of waiting requests; one client may have half of them
 * @param patienceMs maximum wait in milliseconds
 * @param onRefusal called for each request without a slot
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
