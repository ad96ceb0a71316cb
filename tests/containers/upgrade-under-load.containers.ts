/**
 * Upgrades, rollbacks and changed settings while people work: requests wait, and none fails. A
 * second folder leaves the deployment as it is. All tests use the same deployment, so each starts
 * where the last one ended. Needs an engine.
 */
import { cp, readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { stopTimeoutMs } from '../../common/shutdown.ts'
import {
  newDeployment,
  load,
  run,
  services,
  tokenOf,
  type Deployment,
  type Load,
} from './deployment.ts'

let deployment: Deployment
let token: string
let cookie: string

/** The folder of another deployment with the same project name. */
const second = () => join(deployment.directory, 'second')

beforeAll(async () => {
  deployment = await newDeployment()
  // The load is one address with more requests than a user would send.
  await deployment.configure({ RATE_LIMIT_ENABLED: 'false' })
  await deployment.up()
  const ann = deployment.person('Ann', 'ann@example.org')
  token = await tokenOf(ann)
  cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
})
afterAll(async () => {
  await deployment.remove()
})

/**
 * Calls a function repeatedly, over a new connection each time. The upgrade changes its parameters.
 * @returns stops it, and counts every result but 200
 */
function callers(): () => Promise<Record<string, number>> {
  const failed: Record<string, number> = {}
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const call = () =>
    new Promise<string>((resolve) => {
      const outgoing = request(`${deployment.url}/data/rpc/get_upcoming`, {
        method: 'POST',
        agent: false,
        timeout: 30_000,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      }, (answer) => {
        let body = ''
        answer.setEncoding('utf8').on('data', (text: string) => (body += text))
          // Errors of Caddy have no body, and those of the edge have a code.
          .once('end', () =>
            resolve(
              answer.statusCode === 200
                ? '200'
                : `${answer.statusCode} ${/"code":"(\w+)"/.exec(body)?.[1] ?? ''}`.trim(),
            ))
          .once('error', (error) => resolve(error.message))
      })
      outgoing.once('timeout', () => outgoing.destroy(new Error('timeout'))).once(
        'error',
        (error) => resolve('code' in error ? String(error.code) : error.message),
      )
      outgoing.end('{"preset":"this_month"}')
    })
  const calling = (async () => {
    while (!stop.signal.aborted) {
      const outcome = await call()
      if (outcome !== '200') failed[outcome] = (failed[outcome] ?? 0) + 1
      await sleep(20)
    }
  })()
  return async () => {
    stop.abort()
    await calling
    return failed
  }
}

/**
 * Runs writers, readers and callers during an operation. @returns the unexpected results, and the
 * acknowledged writes that are missing
 */
async function whilePeopleWork(
  happens: () => Promise<unknown>,
): Promise<{ counted: Load, failed: Record<string, number>, lost: string[] }> {
  const [stopLoad, stopCallers] = [load(deployment, token, cookie), callers()]
  await sleep(500)
  await happens()
  await sleep(500)
  const [counted, failedCalls] = await Promise.all([stopLoad(), stopCallers()])
  const there = new Set(
    await deployment.sql(`select external_id from api.transactions where source = 'load'`),
  )
  return {
    counted,
    failed: { ...counted.failed, ...failedCalls },
    lost: counted.acknowledged.filter((id) => !there.has(id)),
  }
}

/** Expects that every request succeeds and that every acknowledged write is stored. */
async function expectNothing(happens: () => Promise<unknown>): Promise<void> {
  const { counted, failed, lost } = await whilePeopleWork(happens)
  expect(failed).toEqual({})
  expect(lost).toEqual([])
  expect(counted.acknowledged.length).toBeGreaterThan(0)
}

describe('while users write and read, no request is refused, interrupted or failed', () => {
  const caddy = async () => (await deployment.compose('ps', '-q', 'caddy')).trim()

  test('while users write and read, no request is refused, interrupted or failed by an upgrade with a migration, and with functions whose parameters change', async () => {
    const edit = async (path: string, ...changes: [string, string][]) => {
      let sql = await readFile(join(deployment.directory, path), 'utf8')
      for (const [was, is] of changes) {
        expect(sql).toContain(was)
        sql = sql.replaceAll(was, is)
      }
      await writeFile(join(deployment.directory, path), sql)
    }
    await edit(
      'db/recurring/get_upcoming.sql',
      ['preset text', 'preset jsonb'],
      ['(text, text, text)', '(text, text, jsonb)'],
      ['coalesce(preset,', `coalesce(preset #>> '{}',`],
      ['else preset end', `else preset #>> '{}' end`],
    )
    await edit(
      'db/core/tenants.sql',
      [
        'lock_tenant_of_request(p_tenant text)',
        'lock_tenant_of_request(p_tenant text, p_why text)',
      ],
      ['lock_tenant_of_request(text)', 'lock_tenant_of_request(text, text)'],
      ['(private.personal_tenant());', `(private.personal_tenant(), 'a write');`],
      [`'create'));`, `'create'), 'a write');`],
    )
    await writeFile(
      join(deployment.directory, 'db/migrations/9999_next.sql'),
      `alter table private.settings add column next text;\ncomment on column private.settings.next is 'Of the next version.';\n`,
    )
    const before = await caddy()
    await expectNothing(() => deployment.command('upgrade'))
    expect(
      await deployment.sql(
        `select count(*) from private.migrations where name = 'migrations/9999_next'`,
      ),
    ).toEqual(['1'])
    // A new container would close its clients' connections.
    expect(await caddy()).toBe(before)
  })

  test('while users write and read, no request is refused, interrupted or failed by a rollback', async () => {
    await expectNothing(() => deployment.command('rollback'))
    expect(
      await deployment.sql(
        `select to_regprocedure('api.get_upcoming(text, text, text)') is not null, to_regprocedure('api.get_upcoming(text, text, jsonb)') is null`,
      ),
    ).toEqual(['t|t'])
  })

  test('while users write and read, no request is refused, interrupted or failed by `docker compose up` after a change of a setting of the auth service and the edge', async () => {
    const postgrest = () => deployment.compose('ps', '-q', 'postgrest')
    const before = await postgrest()
    await deployment.configure({ LOG_LEVEL: 'warn' })
    await expectNothing(() => deployment.up('--no-build'))
    expect(await postgrest(), 'PostgREST, which did not change').toBe(before)
    expect(await deployment.compose('exec', '-T', 'auth', 'node', '-p', 'process.env.LOG_LEVEL'))
      .toBe('warn\n')
  })
})

// After a reboot Docker starts the same containers: none that it takes for stopped by an operator.
// The engine itself does not restart here, because other tests use it.
test.each(services)(
  'after an upgrade and a rollback Docker starts %s again after a crash',
  async (service) => {
    const restarts = async () =>
      (await run('docker', [
        'inspect',
        '-f',
        '{{.RestartCount}} {{.State.Running}}',
        ...(await deployment.compose('ps', '-aq', service)).trim().split('\n'),
      ]))
        .trim()
    expect(await restarts()).toBe('0 true')
    await deployment.crash(service)
    await expect.poll(restarts, { timeout: 60_000 }).toBe('1 true')
    await expect.poll(
      async () => (await fetch(`${deployment.url}/healthz`).catch(() => undefined))?.status,
      { timeout: 60_000 },
    ).toBe(200)
  },
)

test.each(['auth', 'edge'])('Docker gives %s more time than a stop takes', async (service) => {
  const seconds = await run('docker', [
    'inspect',
    '-f',
    '{{.Config.StopTimeout}}',
    (await deployment.compose('ps', '-q', service)).trim(),
  ])
  expect(Number(seconds)).toBeGreaterThan(stopTimeoutMs / 1_000)
})

test('a mistake in .env replaces no container: infra/docker/up names every problem at once, and users notice nothing', async () => {
  const before = await deployment.compose('ps', '-aq')
  await deployment.configure({ SIGN_UP: 'never', MAIL_FROM: 'money@example.org', LOG_LEVL: 'info' })
  await expectNothing(async () => {
    const refusal = await deployment.command('up', '--no-build').then(
      () => 'it started',
      ({ stderr }: { stderr: string }) => stderr,
    )
    expect(refusal.trim().split('\n')).toEqual([
      expect.stringMatching(/^LOG_LEVL on line \d+ of \.env is not a setting: write LOG_LEVEL\.$/),
      'SIGN_UP must be open, invitation or closed.',
      expect.stringContaining('RESEND_API_KEY or SMTP_URL must be set in production'),
      'Nothing was changed, for the reasons above.',
    ])
  })
  expect(await deployment.compose('ps', '-aq')).toBe(before)
  const env = await readFile(join(deployment.directory, '.env'), 'utf8')
  await writeFile(
    join(deployment.directory, '.env'),
    env.replaceAll(/^(SIGN_UP|LOG_LEVL|MAIL_FROM)=.*\n/gm, ''),
  )
  await expectNothing(() => deployment.command('up', '--no-build'))
  expect(await deployment.compose('ps', '-aq')).toBe(before)
})

test('a mistake in .env does not make Caddy unhealthy, so the next start succeeds after the correction', async () => {
  await deployment.configure({ MAIL_FROM: 'money@example.org' })
  await expect(deployment.up('--no-build')).rejects.toThrow('auth')
  const id = (await deployment.compose('ps', '-q', 'caddy')).trim()
  const [{ Config: { Healthcheck: { Test: [, ...check] } }, State: { Health } }] = JSON.parse(
    await run('docker', ['inspect', id]),
  )
  expect(Health).toMatchObject({ Status: 'healthy', FailingStreak: 0 })
  // the file of an earlier check, with which this one would watch for half a minute
  await run('docker', ['exec', id, 'rm', '-f', '/dev/shm/ready'])
  await run('docker', ['exec', id, ...check])
  await deployment.configure({ MAIL_FROM: '' })
  await deployment.up('--no-build')
  expect((await fetch(`${deployment.url}/healthz`)).status).toBe(200)
})

describe('a second folder', () => {
  const containers = async () =>
    (await deployment.compose('ps', '-aq', 'db', 'auth', 'postgrest', 'edge', 'caddy')).split('\n')
      .toSorted()
  const inSecond = (script: string) => deployment.shell(`cd '${second()}'; ${script}`)

  test('a second folder does not replace the first one by setup, which names the other folder', async () => {
    for (const path of ['compose.yaml', 'postgrest.conf', 'infra/docker'])
      await cp(join(deployment.directory, path), join(second(), path), { recursive: true })
    await expect(inSecond('infra/docker/setup https://localhost')).rejects.toThrow(
      `its containers belong to ${deployment.directory}, and this folder does not have its secrets`,
    )
    await expect(readFile(join(second(), '.env'))).rejects.toThrow('ENOENT')
  })

  test("a second folder with other secrets cannot migrate the first one's database, and its services continue", async () => {
    const before = await containers()
    await inSecond('COMPOSE_PROJECT_NAME=finance-test-second infra/docker/setup https://localhost')
    // The operator forgot only this.
    await inSecond(`sed -i '/^COMPOSE_PROJECT_NAME=/d' .env`)
    await expect(inSecond('docker compose run --rm --no-deps -T migrate')).rejects.toThrow(
      'Cannot migrate: BETTER_AUTH_SECRET is not the secret of the signing keys in this database, so nothing was changed.',
    )
    // New connections to the database work with the former passwords.
    await deployment.compose('restart', 'auth', 'postgrest')
    await expect.poll(async () => (await fetch(`${deployment.url}/healthz`)).status, {
      timeout: 60_000,
    }).toBe(200)
    await expectNothing(() => Promise.resolve())
    expect(await containers()).toEqual(before)
  })
})
