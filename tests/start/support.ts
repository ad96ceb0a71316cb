/** Runs `npm start` as a process and observes its output, its addresses and its child processes. */
import { execFileSync, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { imageSources } from '../support/rooms.ts'
import { freePort } from '../../start/ports.ts'
import { belowFloors, databaseVersionsSql, type Versions } from '../../common/floors.ts'

export const root = join(import.meta.dirname, '../..')

/** Killed at the end of its scope with `await using`, even if the test fails. */
export type Run = AsyncDisposable & {
  pid: number
  url: string
  dataUrl: string
  /** Both streams, as a terminal shows them. */
  output: () => string
  /** Resolves when both addresses are printed. */
  ready: Promise<void>
  /** The exit code or signal, and the lifetime of the process. */
  ended: Promise<{ code: number | null, signal: string | null, ms: number }>
}

type RunOptions = {
  env?: Record<string, string>
  command?: [program: string, ...args: string[]]
  cwd?: string
  identity?: { uid: number, gid: number }
}

/** Creates an empty directory that is removed after the test, or by the caller. */
export async function emptyDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'finance start '))
}

export const remove = (directory: string): Promise<void> =>
  rm(directory, { recursive: true, force: true })

/** Copies the files of the checkout that `npm start` needs, without the packages. */
export async function copySources(checkout: string): Promise<void> {
  for (
    const name of [...imageSources, 'infra', 'postgrest.conf'].filter((source) => source !== 'app')
  )
    await cp(join(root, name), join(checkout, name), { recursive: true })
}

/**
 * Starts the product on free ports. Its environment has only PATH, HOME and the cache of compiled
 * modules of this process.
 */
export async function start(options: RunOptions = {}): Promise<Run> {
  const [port, dataPort] = [await freePort(), await freePort()]
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '/',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    PORT: String(port),
    DATA_PORT: String(dataPort),
    // The tests need the same server on each machine.
    POSTGRES_BIN: 'embedded',
    // The tests behave the same with and without the app, and its build takes seconds.
    APP_DIR: 'none',
    ...options.env,
  }
  const [program, ...args] = options.command ??
    [process.execPath, join(options.cwd ?? root, 'start/start.ts')]
  const begun = Date.now()
  // A process group of its own, so that a test can signal the entire group, like a terminal.
  const child = spawn(program, args, {
    cwd: options.cwd ?? root,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options.identity,
  })
  let output = ''
  const ended = new Promise<{ code: number | null, signal: string | null, ms: number }>(
    (resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, ms: Date.now() - begun }))
    },
  )
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
        if (/^data {2}http/m.test(output)) resolve()
      })
    }
    void ended.then(() => reject(new Error(`It ended before it was ready:\n${output}`)))
  })
  // A caller that awaits `ready` gets the error; a caller that expects the exit need not.
  ready.catch(() => undefined)
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${env['PORT']}`,
    dataUrl: `http://127.0.0.1:${env['DATA_PORT']}`,
    output: () => output,
    ready,
    ended,
    async [Symbol.asyncDispose]() {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      const all = [child.pid, ...descendants(child.pid)]
      child.kill('SIGTERM')
      await left(all, 10_000)
    },
  }
}

/**
 * Returns the warnings that a command must print for a database and its PostgREST, or for the given
 * versions.
 */
export async function floorsOf(databaseUrl: string, versions: Versions = {}): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: [database] } = await client.query<Versions>(databaseVersionsSql)
    return belowFloors({ ...database, ...versions }).map(({ line }) => `${line}\n`).join('')
  } finally {
    await client.end()
  }
}

const floorLine = /^(Error|Warning): \w+ [\d.]+ is below .*\n/gm

/**
 * Returns the warnings of old versions in an output. They depend on the versions of this machine.
 */
export const floorsIn = (output: string): string => (output.match(floorLine) ?? []).join('')

/** Returns an output without these warnings. */
export const withoutFloors = (output: string): string => output.replace(floorLine, '')

/** Returns the processes below a process, optionally filtered by command line. */
export function descendants(pid: number, pattern = /^/): number[] {
  // Lists processes once, because a server's workers start and end.
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim()
    .split('\n').map((row) => {
      const [, child, parent, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []
      return { child: Number(child), parent: Number(parent), command }
    })
  const below = (parent: number): typeof rows =>
    rows.filter((row) => row.parent === parent).flatMap((row) => [row, ...below(row.child)])
  return below(pid).filter(({ command }) => pattern.test(command)).map(({ child }) => child)
}

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns the processes that still run after the given time. */
export async function left(pids: number[], withinMs: number): Promise<number[]> {
  const deadline = Date.now() + withinMs
  while (pids.some(alive) && Date.now() < deadline) await sleep(20)
  return pids.filter(alive)
}

/** Returns the pid of the embedded server of a DATA_DIR. */
export const serverPid = async (directory: string): Promise<number> =>
  Number((await readFile(join(directory, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0])

/**
 * Sends a signal and waits for the exit. Returns the child processes that remain at that moment.
 */
export async function stop(
  run: Run,
  signal: NodeJS.Signals,
  to: 'process' | 'group' = 'process',
): Promise<{ ms: number, code: number | null, left: number[] }> {
  const all = descendants(run.pid)
  const begun = Date.now()
  process.kill(to === 'group' ? -run.pid : run.pid, signal)
  const { code } = await run.ended
  return { ms: Date.now() - begun, code, left: await left(all, 100) }
}
