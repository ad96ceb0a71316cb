/**
 * A gate in front of password hashing. One hash takes some 90 ms of a core on libuv's thread pool, which signing and
 * cookie checks share; let thirty in at once and everybody waits for seconds. The gate lets a few through and queues the
 * rest, outside any transaction, and refuses clearly when the queue is full or too slow.
 */
import { refusal } from './errors.ts'

export type Gate = {
  /** Waits for a place. @returns the function that gives it back @throws Refusal SERVICE_BUSY */
  enter: () => Promise<() => void>
  waiting: () => number
}

/**
 * @param places how many may hash at once
 * @param queueLength how many may wait
 * @param patienceMs how long one waits, in milliseconds
 */
export function gate(places: number, queueLength: number, patienceMs: number): Gate {
  let free = places
  const queue: (() => void)[] = []
  const leave = () => {
    const next = queue.shift()
    if (next === undefined) free += 1
    else next()
  }
  const once = () => {
    let left = false
    return () => {
      if (left) return
      left = true
      leave()
    }
  }
  return {
    waiting: () => queue.length,
    enter: () => {
      if (free > 0) {
        free -= 1
        return Promise.resolve(once())
      }
      if (queue.length >= queueLength) return Promise.reject(refusal('SERVICE_BUSY', undefined, 5))
      return new Promise((resolve, reject) => {
        const admitted = () => {
          clearTimeout(timer)
          resolve(once())
        }
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(admitted), 1)
          reject(refusal('SERVICE_BUSY', undefined, 5))
        }, patienceMs)
        queue.push(admitted)
      })
    },
  }
}
