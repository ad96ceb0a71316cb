/** Unpacks an entry of an untrusted ZIP archive, for exports and for bank files. */
import type { FileEntry } from '@zip.js/zip.js/lib/zip-core-native.js'

/**
 * Streams the content of an entry and checks its CRC.
 *
 * @param tooLarge returns the error to throw above `maxBytes`
 */
export async function* entryBytes(
  entry: FileEntry,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const reader = readable.getReader()
  let failed: unknown
  const copied = entry.getData(writable, { useWebWorkers: false, checkCrc32: true }).catch(
    async (error: unknown) => {
      failed = error
      await writable.abort(error).catch(() => undefined)
    },
  )
  let count = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      count += value.length
      if (count > maxBytes) throw tooLarge()
      yield value
    }
    await copied
    if (failed !== undefined) throw failed as Error
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
