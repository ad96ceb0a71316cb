/** Waits until a server on this machine responds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { onLine, type Child } from './child-process.ts'

const timeoutMs = 20_000

/** User agent of the requests, to recognize them in a server's log. */
export const probeUserAgent = 'startup-probe'

/** Returns the address at which this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * Waits until the URL responds without a server error.
 * @param isListening whether the child has opened its port, and so whether the response can be the child's
 * @throws Error if the child exits first, or after the timeout
 */
async function waitForResponse(child: Child, url: string, isListening: () => boolean, signal: AbortSignal | undefined): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    signal?.throwIfAborted()
    if (child.hasExited()) throw new Error(`${child.name} ${await child.exited}.`)
    const status = await fetch(url, { headers: { 'user-agent': probeUserAgent }, signal: AbortSignal.timeout(2000) }).then(async (response) => {
      await response.body?.cancel()
      return response.status
    }, () => undefined)
    if (status !== undefined && status < 500 && isListening()) return
    if (Date.now() > deadline) throw new Error(`${child.name} did not answer within ${timeoutMs / 1000} s.`)
    await Promise.race([child.exited, sleep(50)])
  }
}

export type WaitOptions = {
  /** The URL to poll. */
  url: string
  /** A log line of the child after it has opened its port. Without it any response counts, even of another program on that port. */
  listening?: RegExp
  /** Receives each line that the child writes to its pipes, after it has responded. */
  log: (line: string) => void
  signal?: AbortSignal | undefined
}

/**
 * Waits until a child responds, and stops it if it does not.
 * @throws Error with the last line of the child, if it wrote any
 */
export async function waitForServer(child: Child, { url, listening, log, signal }: WaitOptions): Promise<Child> {
  const startLines: string[] = []
  let onOutput = (line: string): void => {
    startLines.push(line)
  }
  for (const stream of [child.process.stdout, child.process.stderr]) onLine(stream, (line) => onOutput(line))
  try {
    await waitForResponse(child, url, () => listening === undefined || startLines.some((line) => listening.test(line)), signal)
  } catch (error) {
    await child.stop()
    const reason = startLines.filter((line) => !line.includes('Attempting to reconnect')).at(-1)?.replace(/^(Cannot start|postgrest): /, '')
    throw reason === undefined ? error : new Error(`${child.name}: ${reason}`, { cause: error })
  }
  onOutput = log
  startLines.forEach(log)
  return child
}
