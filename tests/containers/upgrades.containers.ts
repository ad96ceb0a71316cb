/**
 * Upgrades of a deployment that builds its images: from the previous commit under load, with
 * failures, and back. One story.
 */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { imageSources } from '../support/rooms.ts'
import { load, root, run } from './deployment.ts'
import { briefly, lost, newStory, say, stoppedUncleanly, summaryOf, type Story } from './story.ts'

let story: Story
beforeAll(async () => {
  story = await newStory()
})
afterAll(async () => {
  await story.deployment.remove()
})

describe('an upgrade', () => {
  test('an upgrade from the previous commit keeps the data and loses no write', async (context) => {
    const git = (...args: string[]) => run('git', ['-C', root, ...args]).then((text) => text.trim())
    const changed = await git('status', '--porcelain', '--', ...imageSources, 'infra')
    const before = process.env['UPGRADE_FROM'] ?? (changed === '' ? 'HEAD^' : 'HEAD')
    if (
      await git('cat-file', '-e', `${before}:infra/docker/migrate.ts`).then(() => false, () => true)
    ) {
      context.skip(`NOT TESTED: ${before} is not there, or had no containers`)
    }
    // The deployment is that of the other version: its compose.yaml, images and place of secrets.
    // With the modes of a checkout, so that the build finds the layers of files that did not
    // change.
    const archive = `git -C '${root}' -c tar.umask=0022 archive ${before}`
    await run('bash', ['-ec', `mkdir now; mv $(ls -A | grep -vx now) now; ${archive} | tar -x`], {
      cwd: story.deployment.directory,
    })
    await story.deployment.command('setup', story.deployment.url)
    await story.deployment.configure({ RATE_LIMIT_ENABLED: 'false' })
    await story.deployment.compose('build', '--quiet')
    await story.deployment.up('--no-build')
    const migrated = await story.deployment.sql('select count(*) from private.migrations')
    await story.signUp('ben@example.org')
    await run('bash', [
      '-ec',
      'ls -A | grep -vxE "now|[.]env|secrets|backups|none|[.]deployed.*" | xargs rm -r; rm -rf now/.env now/secrets now/backups now/none now/.deployed.*; mv $(ls -d now/* now/.[!.]*) .; rmdir now',
    ], {
      cwd: story.deployment.directory,
    })
    const caddy = () => story.deployment.compose('ps', '-q', 'caddy')
    const served = await caddy()
    const stop = load(story.deployment, story.token, story.cookie())
    await sleep(1000)
    const started = Date.now()
    const tables = await git('diff', '--name-only', before, '--', 'db').then((list) =>
      list.split('\n').filter((name) => /tables\.sql$|^db\/migrations/.test(name))
    )
    if (tables.length > 0) {
      // before 1.0.0 a commit may change tables, and then refuses the other's database
      await expect(story.deployment.command('upgrade')).rejects.toThrow(
        'This database is from a version before 1.0.0.',
      )
      const counted = await stop()
      expect(await lost(story.deployment, counted)).toEqual([])
      expect(counted.failed).toEqual({})
      await story.deployment.remove()
      story = await newStory()
      await story.deployment.up()
      await story.signUp('ben@example.org')
      return
    }
    await story.deployment.command('upgrade')
    const took = Date.now() - started
    await sleep(1000)
    const counted = await stop()
    const missing = await lost(story.deployment, counted)
    const isSame = served === await caddy()
    say(
      `upgrade from ${await git('rev-parse', '--short', before)} in ${took} ms, ${
        isSame ? 'the same' : 'another'
      } Caddy, ${migrated.join()} → ${
        (await story.deployment.sql('select count(*) from private.migrations')).join()
      } migrations; ${summaryOf(counted, missing)}`,
    )
    expect(missing).toEqual([])
    // Two containers cannot use one port, so connections are refused and closed while Caddy is
    // replaced.
    const isExpected = (failure: string) =>
      briefly.test(failure) ||
      (!isSame && /^(ECONNREFUSED|ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(failure))
    expect(Object.keys(counted.failed).filter((failure) => !isExpected(failure))).toEqual([])
    expect((await story.ann.get('/get-session')).status).toBe(200)
    expect(await stoppedUncleanly(story.deployment)).toEqual([])
  })

  const version = async () =>
    /^VERSION=(.*)$/m.exec(await readFile(join(story.deployment.directory, '.env'), 'utf8'))?.[1]
  const serves = async () => {
    expect((await story.ann.get('/get-session')).status).toBe(200)
    expect((await story.data('/data/transactions?limit=1')).status).toBe(200)
  }

  const containers = async (service: string) =>
    (await story.deployment.compose('ps', '-q', service)).trim().split('\n')
  /** The settings of a running service that come from compose.yaml and postgrest.conf. */
  const settings = async () => {
    const container = async (service: string) =>
      JSON.parse(await run('docker', ['inspect', ...await containers(service)]))[0]
    return {
      memory: (await container('auth')).HostConfig.Memory / 1024 ** 2,
      log: (await container('postgrest')).Config.Env.find((variable: string) =>
        variable.startsWith('PGRST_LOG_LEVEL=')
      ),
      conf: (await story.deployment.compose('cp', 'postgrest:/etc/postgrest.conf', '-')).includes(
        '# of the next version',
      ),
    }
  }
  const old = { memory: 384, log: 'PGRST_LOG_LEVEL=crit', conf: false }
  const next = { memory: 400, log: 'PGRST_LOG_LEVEL=error', conf: true }

  test('an upgrade is necessary to apply another compose.yaml and postgrest.conf, and a start does not apply them', async () => {
    expect(await settings()).toEqual(old)
    await story.deployment.shell(`
      sed -i 's/AUTH_MEMORY:-384m/AUTH_MEMORY:-400m/; s/PGRST_LOG_LEVEL:-crit/PGRST_LOG_LEVEL:-error/' compose.yaml
      echo '# of the next version' >>postgrest.conf`)
    await story.deployment.up('--no-build')
    await story.deployment.compose('restart', 'postgrest')
    expect(await settings()).toEqual(old)
  })

  test('an upgrade that cannot migrate keeps the old version serving, and able to start', async () => {
    const before = await version()
    const broken = join(story.deployment.directory, 'db/migrations/9999_broken.sql')
    await writeFile(broken, 'select 1 / 0;')
    await expect(story.deployment.command('upgrade')).rejects.toThrow(
      'db/migrations/9999_broken.sql failed: division by zero',
    )
    await serves()
    await story.deployment.up('--no-build')
    await serves()
    expect(await version()).toBe(before)
    expect(await settings()).toEqual(old)
    await rm(broken)
  })

  test('an upgrade with services that do not become ready is rolled back automatically', async () => {
    const before = await version()
    const main = join(story.deployment.directory, 'auth/main.ts')
    const source = await readFile(main, 'utf8')
    await writeFile(main, 'process.exit(1)\n')
    const tags = async () =>
      (await story.deployment.shell(
        `docker image ls --format '{{.Tag}}' "$(docker compose config --images auth | cut -d: -f1)"`,
      )).trim().split('\n').toSorted()
    const kept = await tags()
    await expect(story.deployment.command('upgrade')).rejects.toThrow(
      `does not serve. Going back to ${before}`,
    )
    await serves()
    expect(
      (await tags()).filter((tag) => !kept.includes(tag)),
      'the images of the version that failed',
    ).toEqual([])
    expect(await version()).toBe(before)
    expect(await settings()).toEqual(old)
    await writeFile(main, source)
  })

  /** Sends forty requests. @returns how many of them each of the two auth services received */
  const shares = async () => {
    const ids = await containers('auth')
    expect(ids).toHaveLength(2)
    const answered = async (id: string) => {
      const text = await run('docker', [
        'exec',
        id,
        'node',
        '-e',
        `fetch('http://127.0.0.1:3000/metrics').then((answer) => answer.text()).then(console.log)`,
      ])
      return Number(
        /^auth_http_request_duration_seconds_count\{[^}]*get-session[^}]*\} (\d+)/m.exec(text)
          ?.[1] ?? 0,
      )
    }
    for (let request = 0; request < 40; request++)
      expect((await story.ann.get('/get-session')).status).toBe(200)
    const counted = await Promise.all(ids.map(answered))
    expect(counted.reduce((sum, count) => sum + count)).toBe(40)
    return counted
  }

  test("an upgrade to two auth services serves from both, is reverted with one command, for all services and their settings, and keeps the operator's own file", async () => {
    await writeFile(
      join(story.deployment.directory, 'mine.yaml'),
      'services: { auth: { labels: { mine: "yes" } } }\n',
    )
    const files = async () =>
      /^COMPOSE_FILE=(.*)$/m.exec(await readFile(join(story.deployment.directory, '.env'), 'utf8'))
        ?.[1]
    const mine = async () => [
      ...new Set(
        (await run('docker', [
          'inspect',
          '-f',
          '{{.Config.Labels.mine}}',
          ...await containers('auth'),
        ])).trim().split('\n'),
      ),
    ]
    const images = async () =>
      [
        ...new Set(
          (await story.deployment.compose('ps', '--format', '{{.Service}} {{.Image}}')).trim()
            .split('\n'),
        ),
      ].toSorted()
    const used = (await story.deployment.compose('config', '--images')).trim().split('\n')
    const auth = used.find((image) => image.includes('-backend:')) ?? ''
    const repository = auth.split(':')[0] ?? ''
    const tags = async (name: string) =>
      (await run('docker', ['image', 'ls', '--format', '{{.Tag}}', name])).trim().split('\n')
        .toSorted()
    await run('docker', ['tag', auth, `${repository}-of-another:old`])
    const [previous = '', served] = [await version(), await images()]
    await story.deployment.configure({
      COMPOSE_FILE: `${await files()}:mine.yaml`,
      AUTH_REPLICAS: '2',
    })

    await story.deployment.command('upgrade')
    expect(Math.min(...await shares()), 'the requests of the auth service that got fewer')
      .toBeGreaterThan(0)
    const now = await version() ?? ''
    expect(now).not.toBe(previous)
    expect(await images()).not.toEqual(served)
    expect(await settings()).toEqual(next)
    expect(await files()).toBe(`.deployed.${now}.yaml:mine.yaml`)
    expect(await mine()).toEqual(['yes'])
    // Images and files of older versions are removed, and those of other deployments are kept.
    expect(await tags(repository)).toEqual([now, previous].toSorted())
    expect(await tags(`${repository}-of-another`)).toEqual(['old'])
    // The images that all deployments of a machine share are kept: PostgreSQL's and PostgREST's.
    for (const image of used) await run('docker', ['image', 'inspect', image])
    expect(
      (await readdir(story.deployment.directory)).filter((name) =>
        /^\.deployed.*(?:conf|yaml)$/.test(name)
      ).toSorted(),
    ).toEqual(
      [now, previous].flatMap((name) => [`.deployed.${name}.conf`, `.deployed.${name}.yaml`])
        .toSorted(),
    )

    expect(await story.deployment.command('rollback')).toContain(`${previous} serves.`)
    expect(await images()).toEqual(served)
    expect(await settings()).toEqual(old)
    expect(await files()).toBe(`.deployed.${previous}.yaml:mine.yaml`)
    expect(await mine()).toEqual(['yes'])
    await story.deployment.up('--no-build')
    expect(await settings()).toEqual(old)
    await serves()
  })

  test('an upgrade refuses a version name for locally built images', async () => {
    await expect(story.deployment.shell('VERSION=1.2.4 infra/docker/upgrade')).rejects.toThrow(
      'VERSION is for published images',
    )
  })
})
