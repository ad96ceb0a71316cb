/** Notices edits of SQL files, for `npm run dev`. */
import { watch } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** An editor writes a file in several steps; this long after the first, in milliseconds, it has mostly done. */
const settleMs = 100

/**
 * Calls `apply` after any SQL file below db/ was written, made or deleted, one call at a time.
 * @param apply must not reject
 * @returns when the signal has fired
 */
export async function onSqlChange(apply: () => Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    for await (const { filename } of watch(join(import.meta.dirname, '../../db'), { recursive: true, signal })) {
      if (filename?.endsWith('.sql') !== true) continue
      await sleep(settleMs, undefined, { signal })
      await apply()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
