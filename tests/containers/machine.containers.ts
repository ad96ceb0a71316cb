/**
 * Failures of the machine: a full disk, a stopped engine. Needs an engine, and root for a small
 * disk and a separate second engine.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { newDeployment, root, run, type Deployment } from './deployment.ts'

const soon = { timeout: 30_000, interval: 200 }

describe('on a full disk', () => {
  let deployment: Deployment
  /**
   * The disk of the database. It is mounted on this machine and not by Docker, so that it keeps its
   * content while the container is down.
   */
  let disk: string
  const file = (name: string) => join(deployment.directory, name)
  const fill = async () => {
    await run('dd', ['if=/dev/zero', `of=${file('filler')}`, 'bs=4096']).catch((error: Error) =>
      expect(error.message).toContain('No space left')
    )
  }
  const refusal = async (...command: [string, ...string[]]) => {
    const { stderr } = await deployment.command(...command).then(
      () => ({ stderr: 'it succeeded' }),
      (error: { stderr: string }) => error,
    )
    return stderr.trim().split('\n')
  }
  /** The state that must not change: the running services, and the services of a next start. */
  const untouched = async (env: string) => {
    expect(await readFile(file('.env'), 'utf8')).toBe(env)
    expect((await readdir(deployment.directory)).filter((name) => name.startsWith('.env'))).toEqual(
      ['.env'],
    )
    expect((await fetch(`${deployment.url}/data/transactions`)).status).toBe(200)
    await deployment.up('--no-build')
    expect((await fetch(`${deployment.url}/data/transactions`)).status).toBe(200)
  }

  beforeAll(async () => {
    deployment = await newDeployment({ size: '32m' })
    disk = await mkdtemp(join(tmpdir(), 'finance-disk-'))
    await run('mount', ['-t', 'tmpfs', '-o', 'size=400m,mode=1777', 'tmpfs', disk])
    const volume = `${
      /"name": "(finance-test-\d+)",/.exec(await deployment.compose('config', '--format', 'json'))
        ?.[1]
    }_small`
    await run('docker', [
      'volume',
      'create',
      '--opt',
      'type=none',
      '--opt',
      `device=${disk}`,
      '--opt',
      'o=bind',
      volume,
    ])
    await deployment.configure({ DATABASE_VOLUME: volume })
    await deployment.up()
  })
  afterAll(async () => {
    await deployment.remove()
    await run('umount', [disk])
    await rm(disk, { recursive: true })
  })

  test('a backup fails, its last line says why, its metric shows it, and no partial file stays', async () => {
    const report = (value: 0 | 1) =>
      run('bash', [
        '-c',
        `. infra/docker/backups/common.sh; gauge finance_backup_failed "1 if the last attempt failed." ${value} | put_failed failed.prom`,
      ], {
        cwd: deployment.directory,
      })
    await report(0)
    await fill()
    await report(1)
    expect(await readFile(file('failed.prom'), 'utf8')).toContain('\nfinance_backup_failed 1\n')
    expect((await readdir(deployment.directory)).filter((name) => name.startsWith('failed')))
      .toEqual(['failed.prom'])
    expect((await refusal('backup')).at(-1)).toMatch(
      /^No backup was made: the disk is full \(.*No space left on device\)\.$/i,
    )
    expect((await readdir(file('backups'))).filter((name) => name.startsWith('finance'))).toEqual(
      [],
    )
    await rm(file('filler'))
    expect(await deployment.command('backup')).toContain('.dump')
  })

  const take = (name: string) =>
    run('dd', ['if=/dev/zero', `of=${join(disk, name)}`, 'bs=4096']).catch(() => '')
  const said = async (words: string) =>
    (await deployment.compose('logs', '--no-log-prefix', 'db')).includes(words)
  const isRead = async () => (await fetch(`${deployment.url}/data/transactions`)).status === 200

  test('on a full disk of the database its reserve is given up first, which the log says, and nobody notices', async () => {
    await expect.poll(
      async () => (await stat(join(disk, 'reserve')).catch(() => undefined))?.size,
      soon,
    ).toBe(80 * 1024 ** 2)
    await take('filler')
    await expect.poll(() => said('its reserve of 80 MiB is given up'), soon).toBe(true)
    expect(await isRead()).toBe(true)
    await take('filler-of-the-reserve')
    const kept = await readdir(file('backups'))
    expect((await refusal('backup')).at(-1)).toMatch(
      /^No backup was made: the disk is full \(.*No space left on device\)\.$/i,
    )
    expect(await readdir(file('backups'))).toEqual(kept)
  })

  test('on a full disk of the database PostgreSQL ends when it cannot write its log. Sign-ins are 503, and a backup names the disk', async () => {
    // The log gets no other file than those that it has.
    const write = () =>
      deployment.sql(
        `select count(pg_logical_emit_message(false, 'filler', repeat('x', 1000000))) from generate_series(1, 200)`,
      )
    await expect(write()).rejects.toThrow()
    await expect.poll(() => said('PostgreSQL starts again when there is room'), soon).toBe(true)
    const response = await fetch(`${deployment.url}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ann@example.org', password: 'a long password' }),
    })
    expect([response.status, (await response.json() as { error: string }).error]).toEqual([
      503,
      'SERVICE_BUSY',
    ])
    expect((await refusal('backup')).at(-1)).toMatch(
      /^No backup was made: the disk is full \(no space left on device of the database: /,
    )
  })

  test('on a full disk of the database it comes back within ten seconds of room, without a restart of its container, and makes its reserve again', async () => {
    await rm(join(disk, 'filler'))
    await expect.poll(isRead, { timeout: 10_000, interval: 200 }).toBe(true)
    const container = (await deployment.compose('ps', '-q', 'db')).trim()
    expect((await run('docker', ['inspect', '--format', '{{.RestartCount}}', container])).trim())
      .toBe('0')
    await rm(join(disk, 'filler-of-the-reserve'))
    await expect.poll(
      async () => (await stat(join(disk, 'reserve')).catch(() => undefined))?.size,
      soon,
    ).toBe(80 * 1024 ** 2)
    expect(await deployment.command('backup')).toContain('.dump')
  })

  test('an upgrade fails with this reason and changes nothing', async () => {
    const env = await readFile(file('.env'), 'utf8')
    await fill()
    expect(await refusal('upgrade')).toEqual([
      expect.stringMatching(/^No backup was made: the disk is full/),
      expect.stringMatching(
        /^Not upgraded, for the reason above: .* serves on, and nothing is changed\.$/,
      ),
    ])
    await untouched(env)
    await rm(file('filler'))
  })

  test('an upgrade that lacks space only for the new .env changes nothing either', async () => {
    const env = await readFile(file('.env'), 'utf8')
    await writeFile(file('infra/docker/backup'), '#!/bin/sh\necho somewhere-else\n')
    await fill()
    // The size of all three copies, in whole pages.
    const room = (await Promise.all(
      ['compose.yaml', 'postgrest.conf', 'infra/docker/Caddyfile'].map((name) => stat(file(name))),
    )).map(({ size }) => Math.ceil(size / 4096) * 4096)
    await truncate(
      file('filler'),
      (await stat(file('filler'))).size - room.reduce((sum, size) => sum + size),
    )
    expect((await refusal('upgrade')).at(-1)).toMatch(/^Not upgraded, for the reason above/)
    await untouched(env)
    await rm(file('filler'))
  })

  test('on a full disk setup keeps .env complete', async () => {
    const env = (await readFile(file('.env'), 'utf8')).replace(/^BACKUP_USER=.*\n/m, '')
    await writeFile(file('.env'), env)
    await fill()
    expect((await refusal('setup')).at(-1)).toMatch(/^\.env stays as it is/)
    await untouched(env)
  })
})

describe('a stopped engine', () => {
  let folder: string
  let engine: ChildProcess | undefined
  // It runs in its own network, because it would remove the bridge of this machine's engine.
  const start = async () => {
    const options = [
      '--host',
      `unix://${folder}/socket`,
      '--data-root',
      `${folder}/data`,
      '--exec-root',
      `${folder}/exec`,
      '--pidfile',
      `${folder}/pid`,
    ]
    engine = spawn('unshare', [
      '--net',
      'dockerd',
      ...options,
      '--bridge',
      'none',
      '--iptables=false',
      '--ip6tables=false',
    ], { stdio: 'ignore' })
    await vi.waitFor(() => docker('info'), { timeout: 60_000, interval: 200 })
  }
  const stop = async () => {
    engine?.kill('SIGTERM')
    if (engine?.exitCode === null) await once(engine, 'exit')
    engine = undefined
  }
  const docker = (...args: string[]) =>
    run('docker', args, {
      cwd: root,
      env: {
        ...process.env,
        DOCKER_HOST: `unix://${folder}/socket`,
        COMPOSE_PROJECT_NAME: 'finance-stopped',
        PUBLIC_URL: 'https://localhost',
        SITE_HOST: 'localhost',
      },
    })
  const compose = (...args: string[]) =>
    docker('compose', '-f', 'compose.yaml', '-f', join(folder, 'alone.yaml'), ...args)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'finance-engine-'))
    await writeFile(
      join(folder, 'alone.yaml'),
      'services: { db: { networks: !reset null, network_mode: none } }\n',
    )
    await start()
    await run('bash', [
      '-c',
      `docker save postgres:${
        process.env['POSTGRES_TAG'] ?? '18'
      } | docker -H unix://${folder}/socket load`,
    ])
  })
  afterAll(async () => {
    try {
      await docker('rm', '--force', 'finance-stopped-db-1')
    } finally {
      await stop()
    }
    await rm(folder, { recursive: true, force: true })
  })

  test('a stopped engine stops the database properly, as at a reboot, and its restart has all writes', async () => {
    await compose('up', '-d', '--wait', 'db')
    const sql = async (query: string) =>
      (await compose(
        'exec',
        '-T',
        'db',
        'psql',
        '-XqAt',
        '-U',
        'postgres',
        '-d',
        'finance',
        '-c',
        query,
      )).trim()
    await sql('create table kept (at int); insert into kept values (1)')
    // A client is connected, as the services are.
    const session = spawn('docker', [
      '-H',
      `unix://${folder}/socket`,
      'exec',
      'finance-stopped-db-1',
      'psql',
      '-U',
      'postgres',
      '-c',
      'select pg_sleep(600)',
    ])
    await expect.poll(() =>
      sql(
        `select count(*) from pg_stat_activity where query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`,
      )
    ).toBe('1')
    const before = (await compose('logs', '--no-log-prefix', 'db')).length
    await stop()
    session.kill()
    await start()
    await expect.poll(() => sql('select count(*) from kept').catch(() => ''), { timeout: 60_000 })
      .toBe('1')
    const since = (await compose('logs', '--no-log-prefix', 'db')).slice(before)
    expect(since).toContain('database system is shut down')
    expect(since).not.toMatch(/not properly shut down|interrupted/)
  })
})
