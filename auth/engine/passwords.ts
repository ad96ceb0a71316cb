/**
 * Hashes passwords in better-auth's format, `salt:hash` in hex, on worker threads with a low priority. The hashing queue limits the
 * number of requests.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Task } from './password-thread.ts'

export type Passwords = {
  hash: (password: string) => Promise<string>
  verify: (given: { hash: string, password: string }) => Promise<boolean>
  /** Ends the threads and rejects the waiting jobs. */
  stop: () => Promise<void>
}

type Job = { task: Task, attempts: number, resolve: (key: string) => void, reject: (error: Error) => void }

/** Attempts of a job. A job that ends several threads may be the cause. */
const maxAttempts = 3

/**
 * Starts threads on demand and keeps them.
 * @param size maximum number of threads
 * @param onLoss called for each thread that ended unexpectedly
 */
export function createPasswords(size: number, onLoss: (error: Error) => void): Passwords {
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
  const start = (): Worker => {
    // Flags of the process do not apply: the memory of a hash is outside of the heap.
    const thread = new Worker(new URL('password-thread.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 4 },
    })
    thread.on('message', (key: string) => {
      threads.get(thread)?.resolve(key)
      threads.set(thread, undefined)
      idle.push(thread)
      // an idle thread does not keep the process alive
      thread.unref()
      next()
    })
    thread.on('error', (error: Error) => lost(thread, error))
    thread.on('exit', () => lost(thread, new Error('A thread that hashes passwords has ended.')))
    return thread
  }
  const next = (): void => {
    if (isStopped || waiting.length === 0) return
    const thread = idle.pop() ?? (threads.size < size ? start() : undefined)
    const job = thread === undefined ? undefined : waiting.shift()
    if (thread === undefined || job === undefined) return
    threads.set(thread, job)
    thread.ref()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is a window's; a thread has none
    thread.postMessage(job.task)
  }
  const derive = (password: string, salt: string): Promise<string> =>
    new Promise((resolve, reject) => {
      if (isStopped) return reject(new Error('Passwords are not hashed any more.'))
      waiting.push({ task: { password, salt }, attempts: 0, resolve, reject })
      return next()
    })

  return {
    hash: async (password) => {
      const salt = randomBytes(16).toString('hex')
      return `${salt}:${await derive(password, salt)}`
    },
    verify: async ({ hash, password }) => {
      const [salt, key] = hash.split(':')
      if (salt === undefined || key === undefined) throw new Error('A stored password has not the form of a hash.')
      const [given, right] = [Buffer.from(await derive(password, salt), 'hex'), Buffer.from(key, 'hex')]
      return given.length === right.length && timingSafeEqual(given, right)
    },
    stop: async () => {
      isStopped = true
      for (const { reject } of waiting.splice(0)) reject(new Error('Passwords are not hashed any more.'))
      await Promise.all([...threads.keys()].map((thread) => thread.terminate()))
    },
  }
}
