/**
 * A thread that does nothing but scrypt. It asks the system for a low priority, so that it takes what of a processor nobody
 * else of the service wants: a thread of libuv's pool could not, because signing and looking names up share those.
 */
import { scryptSync } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** What is asked of the thread: both are text, as the engine stores them. */
export type Task = { password: string, salt: string }

// the engine's own cost, which stored hashes were made with: 128 N r is 32 MiB
const [N, r, p, length] = [16_384, 16, 1, 64]

try {
  // Linux gives each thread a priority of its own, and says here which thread this is
  setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // another system has no such file; its threads hash with everybody's priority
}

parentPort?.on('message', ({ password, salt }: Task) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is a window's; a thread has none
  parentPort?.postMessage(scryptSync(password.normalize('NFKC'), salt, length, { N, r, p, maxmem: 256 * N * r }).toString('hex'))
})
