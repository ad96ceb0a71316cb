/**
 * A log file of limited size. A full file becomes `<path>.1` and replaces the previous one. The
 * last `maxBytes` of the log therefore always remain, to explain a failure.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'

const defaultMaxBytes = 5 * 1024 * 1024

/**
 * Keeps only the end of a log that is too large. Earlier versions of this program wrote logs
 * without a limit.
 */
function truncate(path: string, maxBytes: number): void {
  const file = openSync(path, 'a+', 0o600)
  const { size } = fstatSync(file)
  if (size > maxBytes) {
    const end = Buffer.alloc(maxBytes)
    const length = readSync(file, end, 0, maxBytes, size - maxBytes)
    writeFileSync(`${path}.1`, end.subarray(0, length), { mode: 0o600 })
    ftruncateSync(file)
  }
  closeSync(file)
}

/**
 * Opens the log for appending. Only the owner can read the two files.
 * @param maxBytes maximum size of each file
 * @returns functions to write and to close. `write` never throws: if the disk is full, the bytes
 * are lost.
 */
export function boundedLog(
  path: string,
  maxBytes = defaultMaxBytes,
): { write: (bytes: Buffer) => void, close: () => void } {
  truncate(path, maxBytes)
  let file = openSync(path, 'a', 0o600)
  let { size } = fstatSync(file)
  const rotate = () => {
    // close the old file last, so that `file` is open even if a step fails
    renameSync(path, `${path}.1`)
    const full = file
    file = openSync(path, 'a', 0o600)
    size = 0
    closeSync(full)
  }
  const append = (bytes: Buffer) => {
    for (let rest = bytes; rest.length > 0;) {
      if (size >= maxBytes) rotate()
      const written = writeSync(file, rest.subarray(0, maxBytes - size))
      size += written
      rest = rest.subarray(written)
    }
  }
  return {
    write: (bytes) => {
      try {
        append(bytes)
      } catch {
        // a log that cannot be written must neither stop nor delay the program that logs
      }
    },
    close: () => closeSync(file),
  }
}
