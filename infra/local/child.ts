/**
 * A program that lives as long as this process wants it, and never longer. Every child has its own session, so that
 * Ctrl-C in a terminal reaches this process alone and the order of the stop is decided here. What a session of its own
 * would allow, namely outliving a `kill -9` of this process, a guard prevents.
 */
import { spawn, type StdioOptions } from 'node:child_process'
import { createInterface } from 'node:readline'
import { type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export type Child = {
  name: string
  process: ReturnType<typeof spawn>
  /** Says how the process ended, such as `stopped with exit code 1`. Never rejects. */
  exited: Promise<string>
  /** True as soon as the process is gone. */
  gone: () => boolean
  /** Sends each signal in turn until the process is gone. */
  stop: () => Promise<void>
  /** Skips the polite signal. */
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
  /** What is sent to end it, and how long each is given. The first is the polite one. */
  signals: readonly (readonly [signal: NodeJS.Signals, patienceMs: number])[]
}

/**
 * A shell that waits for this process to end, however it ends, and then sends the signal: its standard input closes with
 * us, even on `kill -9`. A line on it says that the child is gone and there is nothing left to guard. A shell, because
 * the parent-death signal exists on Linux only.
 */
function guard(pid: number, signal: NodeJS.Signals): () => Promise<void> {
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
    // waited for, or it would stay as a zombie where process 1 does not collect them
    shell.ref()
    shell.stdin.end('\n')
    await ended
  }
}

/** Starts a program. A program that cannot be run counts as one that ended at once. */
export function startChild(options: ChildOptions): Child {
  const { name, command, args = [], env, cwd, stdio, identity, signals } = options
  const child = spawn(command, args, { env, stdio, detached: true, ...(cwd !== undefined && { cwd }), ...identity })
  const release = child.pid === undefined ? () => Promise.resolve() : guard(child.pid, signals[0]?.[0] ?? 'SIGTERM')

  let gone = false
  const exited = new Promise<string>((resolve) => {
    const end = (how: string) => {
      gone = true
      void release().then(() => resolve(how))
    }
    child.once('error', (error: NodeJS.ErrnoException) => end(`could not be run (${error.code ?? error.message})`))
    child.once('exit', (code, signal) => end(signal === null ? `stopped with exit code ${String(code)}` : `was ended by ${signal}`))
  })

  return {
    name,
    process: child,
    exited,
    gone: () => gone,
    stop: async () => {
      for (const [signal, patienceMs] of signals) {
        if (gone) break
        child.kill(signal)
        const timer = new AbortController()
        await Promise.race([exited, sleep(patienceMs, undefined, { signal: timer.signal }).catch(() => undefined)])
        timer.abort()
      }
      if (gone) await exited
    },
    force: () => {
      const next = signals[1]
      if (!gone && next !== undefined) child.kill(next[0])
    },
  }
}

/** Hands over what a child writes, line by line. */
export function onLine(stream: Readable | null, take: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', take)
}
