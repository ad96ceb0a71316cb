/** Starts the programs that benchmarks measure from outside. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Starts a program and waits until it responds. The disposal of `resources` stops it.
 * @returns its process id, and a function that reads its CPU time in milliseconds; 0 on other
 * systems than Linux
 */
export async function runProgram(
  resources: AsyncDisposableStack,
  args: string[],
  env: Record<string, string>,
  port: number,
  path: string,
): Promise<{ pid: number, cpuMs: () => number }> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'], ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  resources.defer(async () => {
    child.kill('SIGTERM')
    await exited
  })
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${port}${path}`).then(
      (response) => response.body?.cancel().then(() => true),
      () => false,
    )
    if (isUp) {
      const cpuMs = () => {
        if (process.platform !== 'linux') return 0
        const [, ...fields] =
          readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
        // clock ticks of ten milliseconds
        return (Number(fields[10]) + Number(fields[11])) * 10
      }
      return { pid: child.pid ?? 0, cpuMs }
    }
    if (child.exitCode !== null) throw new Error(`${args.join(' ')} ended with ${child.exitCode}`)
  }
}
