/** Waits until a server on this machine responds. */
import { setTimeout as sleep } from 'node:timers/promises'
import { onLine, type Child } from './child-process.ts'

/** User agent of the requests, to recognize them in a server's log. */
export const probeUserAgent = 'startup-probe'

/** Returns the address at which this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * Waits until the URL responds without a server error. There is no limit, because a busy machine
 * may need minutes, and the user can stop the start.
 * @param isListening whether the child has opened its port, and so whether the response can be the
 * child's
 * @param report receives a line after each interval of `reportMs`
 * @throws Error if the child exits first
 */
async function waitForResponse(
  child: Child,
  { url, reportMs = 20_000, signal }: Pick<WaitOptions, 'url' | 'reportMs' | 'signal'>,
  isListening: () => boolean,
  report: (line: string) => void,
): Promise<void> {
  const begun = Date.now()
  for (let reports = 1;;) {
    signal?.throwIfAborted()
    if (child.hasExited()) throw new Error(`${child.name} ${await child.exited}.`)
    const status = await fetch(url, {
      headers: { 'user-agent': probeUserAgent },
      signal: AbortSignal.timeout(2000),
    }).then(async (response) => {
      await response.body?.cancel()
      return response.status
    }, () => undefined)
    if (status !== undefined && status < 500 && isListening()) return
    const seconds = Math.round((Date.now() - begun) / 1000)
    if (Date.now() - begun >= reports * reportMs) {
      report(
        `${child.name} is not ready after ${seconds} s${
          status === undefined ? '' : ` (status ${status})`
        }. Still waiting.`,
      )
      reports += 1
    }
    await Promise.race([child.exited, sleep(50)])
  }
}

export type WaitOptions = {
  /** The URL to poll. */
  url: string
  /**
   * A log line of the child after it has opened its port. Without it any response counts, even of
   * another program on that port.
   */
  listening?: RegExp
  /** Receives each line that the child writes to its pipes, after it has responded. */
  log: (line: string) => void
  /** The interval of the lines about a slow start, in milliseconds. Default: 20,000. */
  reportMs?: number
  signal?: AbortSignal | undefined
}

/**
 * Waits until a child responds.
 * @throws Error with the last line of the child, if it wrote any and exits first
 */
export async function waitForServer(child: Child, options: WaitOptions): Promise<Child> {
  const { listening, log } = options
  const startLines: string[] = []
  let onOutput = (line: string): void => {
    startLines.push(line)
  }
  for (const stream of [child.process.stdout, child.process.stderr])
    onLine(stream, (line) => onOutput(line))
  try {
    const isListening = () =>
      listening === undefined || startLines.some((line) => listening.test(line))
    await waitForResponse(
      child,
      options,
      isListening,
      (line) => log([line, startLines.at(-1)].join(' ').trim()),
    )
  } catch (error) {
    await child.stop()
    const reason = startLines.filter((line) => !line.includes('Attempting to reconnect')).at(-1)
      ?.replace(/^(Cannot start|postgrest): /, '')
    throw reason === undefined ? error : new Error(`${child.name}: ${reason}`, { cause: error })
  }
  onOutput = log
  startLines.forEach(log)
  return child
}
