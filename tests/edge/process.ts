/** Starts the edge as a process in front of given upstreams. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../start/ports.ts'

const root = join(import.meta.dirname, '../..')

export type EdgeProcess = AsyncDisposable & {
  url: string
  /** The address of probes and metrics. */
  adminUrl: string
  pid: number
  /** The output of both streams. */
  output: () => string
  /** The exit code, or the signal that ended the process. */
  ended: Promise<number | string>
  /** Starts it again on the same ports, after a crash. */
  again: () => Promise<EdgeProcess>
}

/**
 * The environment of started processes: nothing of the test's environment except the path of node.
 */
const bare = () => ({ PATH: process.env['PATH'] ?? '' })

/** Runs `node edge/main.ts` until it exits. @returns its exit code and its output */
export async function endOfEdge(
  env: Record<string, string>,
): Promise<{ code: number | null, output: string }> {
  const child = spawn(process.execPath, ['edge/main.ts'], {
    cwd: root,
    env: { ...bare(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (output += data.toString()))
  const [code] = await once(child, 'close') as [number | null]
  return { code, output }
}

/** Starts the edge, and waits until it listens. */
export async function startEdgeProcess(
  env: Record<string, string>,
  ports?: [number, number],
): Promise<EdgeProcess> {
  const [port, adminPort] = ports ?? [await freePort(), await freePort()]
  const child = spawn(process.execPath, ['edge/main.ts'], {
    cwd: root,
    env: {
      ...bare(),
      PORT: String(port),
      EDGE_ADMIN_PORT: String(adminPort),
      APP_DIR: 'none',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const listening = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString()
      if (output.includes('edge listening')) listening.resolve()
    })
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  await Promise.race([
    listening.promise,
    ended.then(() => {
      throw new Error(output)
    }),
  ])
  return {
    url: `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    again: () => startEdgeProcess(env, [port, adminPort]),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
