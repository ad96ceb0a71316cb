/**
 * Child processes that never outlive this process. Each child runs in its own session, so that
 * Ctrl-C reaches only this process, which then stops the children in order. A guard stops the
 * children after a `kill -9` of this process.
 */
import { spawn, type StdioOptions } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export type Child = {
  name: string
  process: ReturnType<typeof spawn>
  /**
   * Resolves with the way in which the process ended, such as `stopped with exit code 1`. Never
   * rejects.
   */
  exited: Promise<string>
  hasExited: () => boolean
  /** Sends the signals one after the other until the process exits. */
  stop: () => Promise<void>
  /** Sends the second signal at once. */
  force: () => void
}

export type ChildOptions = {
  name: string
  command: string
  args?: string[]
  env: Record<string, string | undefined>
  cwd?: string
  stdio: StdioOptions
  identity?: { uid: number, gid: number } | undefined
  /**
   * The signals that stop the process, each with the time to wait before the next. The first one
   * asks for a graceful stop.
   */
  signals: readonly (readonly [signal: NodeJS.Signals, timeoutMs: number])[]
}

/**
 * Starts a shell that sends the signal to the child if this process dies. Its standard input closes
 * together with this process, even on `kill -9`. It is a shell because only Linux has a
 * parent-death signal.
 * @returns the function that ends the guard after the child has exited
 */
function startGuard(pid: number, signal: NodeJS.Signals): () => Promise<void> {
  const script = 'read -r _ || kill -s "$1" "$2"'
  const shell = spawn('/bin/sh', ['-c', script, 'guard', signal.slice('SIG'.length), String(pid)], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => {
    shell.once('exit', () => resolve())
    shell.once('error', () => resolve())
  })
  shell.stdin.on('error', () => undefined)
  shell.unref()
  return async () => {
    // wait for the shell, otherwise it stays a zombie on systems where process 1 does not reap
    // orphans
    shell.ref()
    shell.stdin.end('\n')
    await ended
  }
}

/** Starts a program. If it cannot be run, the child counts as exited. */
export function startChild(options: ChildOptions): Child {
  const { name, command, args = [], env, cwd, stdio, identity, signals } = options
  const child = spawn(command, args, {
    env,
    stdio,
    detached: true,
    ...(cwd !== undefined && { cwd }),
    ...identity,
  })
  const endGuard = child.pid === undefined
    ? () => Promise.resolve()
    : startGuard(child.pid, signals[0]?.[0] ?? 'SIGTERM')

  let hasExited = false
  const exited = new Promise<string>((resolve) => {
    const end = (how: string) => {
      hasExited = true
      void endGuard().then(() => resolve(how))
    }
    child.once(
      'error',
      (error: NodeJS.ErrnoException) => end(`could not be run (${error.code ?? error.message})`),
    )
    child.once(
      'exit',
      (code, signal) =>
        end(signal === null ? `stopped with exit code ${String(code)}` : `was ended by ${signal}`),
    )
  })

  return {
    name,
    process: child,
    exited,
    hasExited: () => hasExited,
    stop: async () => {
      for (const [signal, timeoutMs] of signals) {
        if (hasExited) break
        child.kill(signal)
        const timer = new AbortController()
        await Promise.race([
          exited,
          sleep(timeoutMs, undefined, { signal: timer.signal }).catch(() => undefined),
        ])
        timer.abort()
      }
      if (hasExited) await exited
    },
    force: () => {
      const second = signals[1]
      if (!hasExited && second !== undefined) child.kill(second[0])
    },
  }
}

/** Calls the listener with each line of the child's output. */
export function onLine(stream: Readable | null, listener: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', listener)
}
