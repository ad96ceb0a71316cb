/** PgBouncer between the auth service and PostgreSQL. It needs the package pgbouncer of Debian. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../db/migrate.ts'
import { authDatabaseUrl } from '../../start/environment.ts'
import { freePort } from '../../start/ports.ts'
import { startPostgres } from '../../start/postgres.ts'
import { emptyDirectory, remove } from '../start/support.ts'
import { passwords, publicUrl, secret } from '../support/database.ts'

/** Starts a migrated database, and PgBouncer with these settings in front of it. */
async function pooled(settings: string): Promise<string> {
  const directory = await emptyDirectory()
  onTestFinished(() => remove(directory))
  await chmod(directory, 0o755)
  const server = await startPostgres({ directory, password: 'owner' })
  onTestFinished(() => server.stop())
  const logins = { authServicePassword: passwords.authService, authenticatorPassword: 'unused' }
  await migrate({ databaseUrl: server.url, publicUrl, ...logins })
  const port = await freePort()
  const configuration = join(directory, 'pgbouncer.ini')
  const users = join(directory, 'users.txt')
  await writeFile(users, `"auth_service" "${passwords.authService}"\n`)
  const { hostname, port: serverPort } = new URL(server.url)
  await writeFile(
    configuration,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = plain
auth_file = ${users}
unix_socket_dir =
${settings}
`,
  )
  const child = spawn('pgbouncer', [
    // it refuses to run as root
    ...(process.getuid?.() === 0 ? ['-u', 'postgres'] : []),
    configuration,
  ], {
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let log = ''
  child.stderr.on('data', (data: Buffer) => {
    log += data.toString()
  })
  await expect.poll(() => log).toContain('process up')
  const url = new URL(authDatabaseUrl(server.url, passwords.authService))
  url.port = String(port)
  return url.href
}

/** Starts the auth service, and waits until it listens or ends. @returns its output */
async function outputOfStart(databaseUrl: string): Promise<string> {
  const child = spawn(process.execPath, [
    fileURLToPath(new URL('../../auth/main.ts', import.meta.url)),
  ], {
    env: {
      PATH: process.env['PATH'],
      PUBLIC_URL: publicUrl,
      PORT: String(await freePort()),
      AUTH_DATABASE_URL: databaseUrl,
      BETTER_AUTH_SECRET: secret,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  let output = ''
  const listens = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        output += data.toString()
        if (output.includes('auth service listening')) resolve()
      })
    }
  })
  await Promise.race([listens, ended])
  return output
}

const refused =
  'Cannot start: AUTH_DATABASE_URL leads to a transaction pooler, such as PgBouncer. Connect to PostgreSQL itself: docs/cluster.md\n'
const ignored =
  'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,extra_float_digits'

test.each([
  ['as Debian installs it', 'pool_mode = transaction'],
  ['that ignores the settings of a session', `pool_mode = transaction\n${ignored}`],
  ['that changes sessions in turn', `pool_mode = transaction\nserver_round_robin = 1\n${ignored}`],
])('the auth service refuses to start behind a transaction pooler %s', async (_, settings) => {
  expect(await outputOfStart(await pooled(settings))).toBe(refused)
})

test('the auth service starts behind a pooler that gives each connection a session', async () => {
  expect(await outputOfStart(await pooled(`pool_mode = session\n${ignored}`))).toContain(
    'auth service listening',
  )
})
