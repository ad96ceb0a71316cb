/**
 * A worker thread that runs scrypt. It has a low priority, so that hashing uses only idle time of
 * the processor. Threads of libuv's pool cannot have one: signing and name lookups share them.
 */
import { scryptSync } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'

/** A hashing task. Salt and password are text, in the format that better-auth stores. */
export type Task = { password: string, salt: string }

// better-auth's cost parameters, with which stored hashes were made: 128 N r is 32 MiB
const [N, r, p, length] = [16_384, 16, 1, 64]

try {
  // Linux has a priority per thread, and this file names the current thread.
  setPriority(
    Number(readlinkSync('/proc/thread-self').split('/').at(-1)),
    constants.priority.PRIORITY_BELOW_NORMAL,
  )
} catch {
  // Other systems have no such file. Their threads keep the normal priority.
}

parentPort?.on('message', ({ password, salt }: Task) => {
  const hash = scryptSync(password.normalize('NFKC'), salt, length, {
    N,
    r,
    p,
    maxmem: 256 * N * r,
  })
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is a window's; a thread has none
  parentPort?.postMessage(hash.toString('hex'))
})
