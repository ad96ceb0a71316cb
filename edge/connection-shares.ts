/**
 * Fair share of PostgREST's connections. One user, one network of anonymous clients or one team's
 * writes use at most a share of the pool at once. Further requests wait here in order, without a
 * connection. docs/decisions/edge.md#requests-beyond-a-share-of-the-connections-wait-in-the-edge
 * has the reasons.
 */
import type { EventEmitter } from 'node:events'
import { fairQueue, type FairQueue, type SlotLimit } from '../common/fair-queue.ts'
import type { Caller } from './callers.ts'
import type { Upstream, Upstreams } from './upstreams.ts'

/** Maximum number of requests that wait for one PostgREST. One caller may have half of them. */
const queueLength = 1_024

/** Maximum wait, in milliseconds. */
export const longestMs = 20_000

/** The share of a request: the caller in the queue, and the limits that apply. */
type Share = { caller: string, limits: readonly SlotLimit[] }

export type ConnectionShares = {
  /** @param network the network of the client @param isWrite whether the request may change rows */
  shareOf: (caller: Caller | undefined, network: string, isWrite: boolean) => Share
  /**
   * Waits for a connection of a PostgREST.
   * @param requester emits `close` when the client leaves
   * @returns the function that releases the connection; undefined if the queue is full or the wait
   * too long
   */
  enter: (
    upstream: Upstream,
    share: Share,
    requester: EventEmitter,
  ) => Promise<(() => void) | undefined>
  /** The number of requests that wait. */
  waiting: (upstreams: Upstreams) => number
}

/**
 * Returns the number of connections of each PostgREST that one edge may use.
 * @param edges the most edges that there can be
 */
export const poolOfEdge = (pool: number, edges: number): number =>
  Math.max(1, Math.floor(pool / edges))

/**
 * @param pool the number of connections of each PostgREST
 * @param timeoutMs maximum wait in milliseconds
 */
export function connectionShares(pool: number, timeoutMs = longestMs): ConnectionShares {
  const part = (divisor: number) => Math.max(1, Math.floor(pool / divisor))
  const [third, sixth] = [part(3), part(6)]
  const queues = new WeakMap<Upstream, FairQueue>()
  const queueOf = (upstream: Upstream): FairQueue => {
    const queue = queues.get(upstream) ?? fairQueue(pool, queueLength, timeoutMs)
    queues.set(upstream, queue)
    return queue
  }
  return {
    shareOf: (caller, network, isWrite) => {
      if (caller === undefined)
        return {
          caller: `network ${network}`,
          limits: [[`network ${network}`, sixth], ['anonymous', third]],
        }
      const user = `user ${caller.user}`
      if (!isWrite || caller.team === undefined) return { caller: user, limits: [[user, third]] }
      // Writes of a team wait for each other in the database, where each of them holds a
      // connection.
      const team = `team ${caller.team}`
      return { caller: `${user} ${team}`, limits: [[user, third], [team, third]] }
    },
    enter: (upstream, { caller, limits }, requester) =>
      queueOf(upstream).enter(caller, limits, requester),
    waiting: (upstreams) =>
      upstreams.list().reduce((sum, upstream) => sum + queueOf(upstream).waiting(), 0),
  }
}
