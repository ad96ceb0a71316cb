/**
 * Passwords: the queue and the worker threads that hash them, and the check that a verified
 * password is still the current one. Hashes have better-auth's format, `salt:hash` in hex.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { fairQueue, type FairQueue } from '../../common/fair-queue.ts'
import type { AuthDatabase } from '../../http/database.ts'
import { rejection, reject } from '../../http/errors.ts'
import { currentRequest, type CurrentRequest } from '../../http/policy.ts'
import type { Task } from './password-thread.ts'

/**
 * The queue in front of the threads. One hash takes about 90 ms of a core and 32 MiB, so thirty at
 * once would delay all requests by seconds. A request waits before it opens a transaction.
 */
export type HashingQueue = Pick<FairQueue, 'waiting'> & {
  /**
   * Waits for a slot.
   * @param client the address, or the network of an IPv6 address
   * @returns the function that releases the slot
   * @throws Rejection SERVICE_BUSY
   */
  enter: (client: string) => Promise<() => void>
}

/**
 * @param slots maximum number of concurrent hashes
 * @param queueLength maximum number of waiting requests; one client may have half of them
 * @param timeoutMs maximum wait in milliseconds
 * @param onRejection called for each request without a slot
 */
export function createHashingQueue(
  slots: number,
  queueLength: number,
  timeoutMs: number,
  onRejection: () => void = () => undefined,
): HashingQueue {
  const queue = fairQueue(slots, queueLength, timeoutMs)
  return {
    waiting: queue.waiting,
    enter: async (client) => {
      const leave = await queue.enter(client)
      if (leave === undefined) {
        onRejection()
        throw rejection('SERVICE_BUSY', undefined, 5)
      }
      return leave
    },
  }
}

export type Passwords = {
  hash: (password: string) => Promise<string>
  verify: (given: { hash: string, password: string }) => Promise<boolean>
  /** Ends the threads and rejects the waiting jobs. */
  stop: () => Promise<void>
}

type Job = {
  task: Task
  attempts: number
  resolve: (key: string) => void
  reject: (error: Error) => void
}

/** Maximum attempts of a job. A job that ended three threads is probably the cause. */
const maxAttempts = 3

/**
 * Starts a thread.
 * @param onKey called with each derived key
 * @param onEnd called when the thread ends; twice if it ends by an error
 */
function startThread(
  onKey: (thread: Worker, key: string) => void,
  onEnd: (thread: Worker, error: Error) => void,
): Worker {
  // The thread inherits no flags of the process. The memory of a hash is outside of the heap, so
  // these limits do not include it.
  const thread = new Worker(new URL('password-thread.ts', import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
  })
  thread.on('message', (key: string) => onKey(thread, key))
  thread.on('error', (error: Error) => onEnd(thread, error))
  thread.on('exit', () => onEnd(thread, new Error('A password hashing thread exited.')))
  return thread
}

/** Derives keys in threads. The parameters are those of createPasswords(). */
function keyThreads(size: number, onLoss: (error: Error) => void) {
  const waiting: Job[] = []
  const idle: Worker[] = []
  const threads = new Map<Worker, Job | undefined>()
  let isStopped = false

  const lost = (thread: Worker, error: Error) => {
    if (!threads.has(thread)) return
    const job = threads.get(thread)
    threads.delete(thread)
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
    if (!isStopped) onLoss(error)
    if (job !== undefined) {
      job.attempts += 1
      if (isStopped || job.attempts >= maxAttempts) job.reject(error)
      else waiting.unshift(job)
    }
    next()
  }
  const done = (thread: Worker, key: string) => {
    threads.get(thread)?.resolve(key)
    threads.set(thread, undefined)
    idle.push(thread)
    // an idle thread does not keep the process alive
    thread.unref()
    next()
  }
  const next = (): void => {
    if (isStopped || waiting.length === 0) return
    const thread = idle.pop() ?? (threads.size < size ? startThread(done, lost) : undefined)
    const job = thread === undefined ? undefined : waiting.shift()
    if (thread === undefined || job === undefined) return
    threads.set(thread, job)
    thread.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is a window's; a thread has none
    thread.postMessage(job.task)
  }
  return {
    derive: (password: string, salt: string): Promise<string> =>
      new Promise((resolve, fail) => {
        if (isStopped)
          return fail(new Error('The service is shutting down and hashes no more passwords.'))
        waiting.push({ task: { password, salt }, attempts: 0, resolve, reject: fail })
        return next()
      }),
    stop: async () => {
      isStopped = true
      for (const job of waiting.splice(0))
        job.reject(new Error('The service is shutting down and hashes no more passwords.'))
      await Promise.all([...threads.keys()].map((thread) => thread.terminate()))
    },
  }
}

/**
 * Starts threads of low priority on demand and keeps them.
 * @param size maximum number of threads
 * @param onLoss called for each thread that ended unexpectedly
 */
export function createPasswords(size: number, onLoss: (error: Error) => void): Passwords {
  const { derive, stop } = keyThreads(size, onLoss)
  return {
    hash: async (password) => {
      const salt = randomBytes(16).toString('hex')
      return `${salt}:${await derive(password, salt)}`
    },
    verify: async ({ hash, password }) => {
      const [salt, key] = hash.split(':')
      if (salt === undefined || key === undefined)
        throw new Error('A stored password hash has an invalid format.')
      const [given, right] = [
        Buffer.from(await derive(password, salt), 'hex'),
        Buffer.from(key, 'hex'),
      ]
      return given.length === right.length && timingSafeEqual(given, right)
    },
    stop,
  }
}

/**
 * The stored hash that each request's password was compared with. The password can change during
 * the tenth of a second that the comparison takes. The request with the old password is then
 * refused. Otherwise an attacker could keep a session or a password that the change invalidates.
 */
const verifiedHashes = new WeakMap<CurrentRequest, string>()

/**
 * Wraps a verification: records the hash, and takes the counted guess back if the password is
 * correct.
 */
export const recordVerifiedHash =
  (verify: Passwords['verify']): Passwords['verify'] => async (given) => {
    const request = currentRequest.getStore()
    if (request !== undefined) verifiedHashes.set(request, given.hash)
    const isCorrect = await verify(given)
    if (isCorrect) await request?.onCorrectPassword()
    return isCorrect
  }

/**
 * Checks that the password of this request still is the one of the account.
 * @param newUserId user of a new session; undefined checks the caller
 * @throws Rejection INVALID_CREDENTIALS at a sign-in, else INVALID_PASSWORD
 */
export async function checkVerifiedPassword(db: AuthDatabase, newUserId?: string): Promise<void> {
  const request = currentRequest.getStore()
  const verified = request && verifiedHashes.get(request)
  const userId = newUserId ?? request?.caller?.user.id
  if (verified === undefined || userId === undefined) return
  const account = await db.selectFrom('auth.accounts').select('password').where(
    'userId',
    '=',
    userId,
  ).where('providerId', '=', 'credential')
    // waits for a transaction that changes the password
    .$if(newUserId !== undefined, (of) => of.forShare()).$if(
      newUserId === undefined,
      (of) => of.forNoKeyUpdate(),
    ).executeTakeFirst()
  if (account?.password !== verified)
    reject(newUserId === undefined ? 'INVALID_PASSWORD' : 'INVALID_CREDENTIALS')
}

/**
 * Refuses a new session if the password changed since its check. It runs after the session is
 * stored: a later change of the password deletes the session, and the check waits for a concurrent
 * one.
 */
export async function checkPasswordOfSession(db: AuthDatabase, userId: string): Promise<void> {
  // a session that replaces the caller's own, after a change of the password
  if (currentRequest.getStore()?.caller === undefined) await checkVerifiedPassword(db, userId)
}
