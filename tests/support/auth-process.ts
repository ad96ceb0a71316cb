/** The auth service as a process that a test can kill. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { authDatabaseUrl } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { passwords } from './database.ts'
import { isReady } from './followed-list.ts'
import type { Stack } from './stack.ts'

export type AuthProcess = {
  url: string
  /** Starts the process and waits until it is ready. */
  start: () => Promise<void>
  /** Kills it without a stop, and waits for its end. */
  kill: () => Promise<void>
}

/** @param stack its database */
export async function authProcess(stack: Stack): Promise<AuthProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let service: ChildProcess | undefined
  return {
    url,
    start: async () => {
      service = spawn(process.execPath, ['auth/main.ts'], {
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
          PUBLIC_URL: stack.publicUrl,
          PORT: String(port),
          AUTH_DATABASE_URL: authDatabaseUrl(stack.ownerUrl, passwords.authService),
          BETTER_AUTH_SECRET: stack.secret,
          RATE_LIMIT_ENABLED: 'false',
          LOG_LEVEL: 'silent',
        },
        stdio: 'ignore',
      })
      await isReady(url)
    },
    kill: async () => {
      if (service === undefined || service.exitCode !== null) return
      const exited = once(service, 'exit')
      service.kill('SIGKILL')
      await exited
    },
  }
}
