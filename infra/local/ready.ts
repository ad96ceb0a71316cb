/** Waiting for a server of this machine to answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { onLine, type Child } from './child.ts'

const patienceMs = 20_000

/** Names our own questions in a server's log. */
export const probe = 'startup-probe'

/** The address to reach a server that listens on `host` from this machine. */
export function localUrl(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * Waits until an address answers without a server error.
 * @param listens whether it can be the child that answers
 * @throws Error when the child ends first, or the time is over
 */
async function untilAnswers(child: Child, url: string, listens: () => boolean, signal: AbortSignal | undefined): Promise<void> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    signal?.throwIfAborted()
    if (child.gone()) throw new Error(`${child.name} ${await child.exited}.`)
    const status = await fetch(url, { headers: { 'user-agent': probe }, signal: AbortSignal.timeout(2000) }).then(async (response) => {
      await response.body?.cancel()
      return response.status
    }, () => undefined)
    if (status !== undefined && status < 500 && listens()) return
    if (Date.now() > deadline) throw new Error(`${child.name} did not answer within ${patienceMs / 1000} s.`)
    await Promise.race([child.exited, sleep(50)])
  }
}

export type Waiting = {
  /** Asked until it answers. */
  url: string
  /** What a line of the child's says once the port is its own. Without it any answer counts, even another program's on the same port. */
  listening?: RegExp
  /** Told each line the child writes on the pipes it was given, once it answers. */
  log: (line: string) => void
  signal?: AbortSignal | undefined
}

/**
 * Waits until a child answers, and stops it when it does not.
 * @throws Error with the child's own last line, where it said why.
 */
export async function answering(child: Child, { url, listening, log, signal }: Waiting): Promise<Child> {
  const early: string[] = []
  let take = (line: string): void => {
    early.push(line)
  }
  for (const stream of [child.process.stdout, child.process.stderr]) onLine(stream, (line) => take(line))
  try {
    await untilAnswers(child, url, () => listening === undefined || early.some((line) => listening.test(line)), signal)
  } catch (error) {
    await child.stop()
    const reason = early.filter((line) => !line.includes('Attempting to reconnect')).at(-1)?.replace(/^(Cannot start|postgrest): /, '')
    throw reason === undefined ? error : new Error(`${child.name}: ${reason}`, { cause: error })
  }
  take = log
  early.forEach(log)
  return child
}
