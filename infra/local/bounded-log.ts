/**
 * A log file that does not fill the disk, whatever is written: what is full becomes `<path>.1`, in the place of the one
 * before, so that at least the last `maxBytes` are always there to say why something failed.
 */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeFileSync, writeSync } from 'node:fs'

const maxBytesOfEach = 5 * 1024 * 1024

/** An earlier version's file may be of any size. Its end is what is worth keeping. */
function shorten(path: string, maxBytes: number): void {
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
 * Opens the log to append to it. Both files are for their owner alone.
 * @param maxBytes of each of the two
 * @returns what takes the next bytes, and what closes the file. A disk that is full loses what is written, and fails nothing.
 */
export function boundedLog(path: string, maxBytes = maxBytesOfEach): { write: (bytes: Buffer) => void, close: () => void } {
  shorten(path, maxBytes)
  let file = openSync(path, 'a', 0o600)
  let { size } = fstatSync(file)
  const rotate = () => {
    // the old one is closed last, so that a step that fails leaves a file that is open
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
        // whoever is being logged must not end, or wait, because nobody can write down what it says
      }
    },
    close: () => closeSync(file),
  }
}
