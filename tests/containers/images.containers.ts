/** The contents of the images, their build, and a deployment of a release. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { releasedCompose, releaseEnv } from '../../infra/release/bundle.ts'
import about from '../../package.json' with { type: 'json' }
import { commandsOf } from '../support/doc-commands.ts'
import { newDeployment, root, run, type Deployment } from './deployment.ts'

const MB = 1_000_000
let deployment: Deployment
let auth: string

/** Returns the output of a program of the auth image. */
const inAuth = (...command: string[]) => run('docker', ['run', '--rm', auth, ...command])
const packagesOfImage = async () => {
  const { packages } = JSON.parse(
    await inAuth(
      'node',
      '-p',
      'require("fs").readFileSync("node_modules/.package-lock.json", "utf8")',
    ),
  )
  return new Set(
    Object.entries<any>(packages).map(([path, { version }]) =>
      `${path.split('node_modules/').at(-1)}@${version}`
    ),
  )
}

beforeAll(async () => {
  deployment = await newDeployment({ images: false })
  // The permissions of a git checkout under a strict umask.
  await deployment.shell('chmod -R go-rwx .')
  await deployment.compose('build', '--quiet')
  auth = (await deployment.compose('config', '--images')).split('\n').find((image) =>
    image.includes('finance-test')
  ) ?? ''
})
afterAll(async () => {
  await deployment.remove()
})

test('the auth image is smaller than 200 MB, unpacked', async () => {
  const bytes = Number(await run('docker', ['image', 'inspect', '-f', '{{.Size}}', auth]))
  process.stdout.write(`  ${(bytes / MB).toFixed(0)} MB\n`)
  expect(bytes).toBeLessThan(200 * MB)
})

test('the auth image names its version', async () => {
  expect(
    (await run('docker', [
      'image',
      'inspect',
      '-f',
      '{{index .Config.Labels "org.opencontainers.image.version"}}',
      auth,
    ])).trim(),
  ).toBe(about.version)
})

test('the auth image has Node and the service, and no development tools, npm or shell', async () => {
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(join(root, 'package.json'), 'utf8'),
  )
  const names = new Set([...await packagesOfImage()].map((name) => name.replace(/@[^@]*$/, '')))
  expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([])
  // resend also uses it
  expect(Object.keys(devDependencies).filter((name) => names.has(name))).toEqual([
    'standardwebhooks',
  ])
  const programs =
    'process.env.PATH.split(":").flatMap((path) => require("fs").readdirSync(path)).join()'
  expect((await inAuth('node', '-p', programs)).trim()).toBe('node')
  await expect(inAuth('sh', '-c', 'true')).rejects.toThrow('sh')
  expect((await inAuth('node', '-p', 'require("fs").readdirSync("/app").sort().join()')).trim())
    .toBe(
      'admin,app,auth,bank-files,client,common,db,edge,http,infra,node_modules,package.json,rates,realtime,start,storage',
    )
  // The reference app's build, and none of its source.
  expect((await inAuth('node', '-p', 'require("fs").readdirSync("/app/app").join()')).trim()).toBe(
    'dist',
  )
  const user = 'const { uid, username } = require("os").userInfo(); console.log(uid, username)'
  expect((await inAuth('node', '-e', user)).trim()).toBe('1000 node')
})

test('the bill of materials lists exactly the packages of the auth image', async () => {
  await run('docker', [
    'build',
    '--quiet',
    '--target',
    'sbom',
    '--output',
    'sbom',
    '-f',
    'infra/docker/Dockerfile',
    '.',
  ], {
    cwd: deployment.directory,
    env: { ...process.env, DOCKER_BUILDKIT: '1' },
  })
  expect(await readdir(join(deployment.directory, 'sbom'))).toEqual(['finance-backend.cdx.json'])
  const { bomFormat, components } = JSON.parse(
    await readFile(join(deployment.directory, 'sbom/finance-backend.cdx.json'), 'utf8'),
  )
  expect(bomFormat).toBe('CycloneDX')
  expect(
    new Set(
      components.map(({ group, name, version }: any) =>
        `${group === undefined ? '' : `${group}/`}${name}@${version}`
      ),
    ),
  ).toEqual(
    await packagesOfImage(),
  )
})

test('one command builds every image for two architectures, each with a bill of materials and provenance', async () => {
  const env = { ...process.env, VERSION: '1.2.3', REGISTRY: 'registry.example.org' }
  const { target: targets } = JSON.parse(
    await run('docker', ['buildx', 'bake', '-f', 'infra/docker/docker-bake.hcl', '--print'], {
      cwd: root,
      env,
    }),
  )
  expect(
    Object.entries<any>(targets).map(([name, { tags }]) => `${name}: ${tags.join()}`).toSorted(),
  ).toEqual([
    'auth: registry.example.org/finance-backend:1.2.3',
    // The tag that compose looks for.
    'backup: registry.example.org/finance-backup:1.2.3-pg18',
  ])
  for (const [name, target] of Object.entries(targets)) {
    expect(target).toMatchObject({
      target: name,
      dockerfile: 'infra/docker/Dockerfile',
      platforms: ['linux/amd64', 'linux/arm64'],
      attest: ['type=sbom', 'type=provenance,mode=max'],
    })
  }
  // The definition of the images names no architecture.
  expect(await readFile(join(root, 'infra/docker/Dockerfile'), 'utf8')).not.toMatch(
    /x86|amd64|x64|arm64|aarch64/i,
  )
})

describe.skipIf(!existsSync('/usr/bin/docker-registry'))(
  'a release, unpacked into an empty folder as docs/images.md says',
  () => {
    let registry: ChildProcess
    let storage: string
    let address: string
    const page = 'docs/images.md'
    const commands = commandsOf(page).filter(({ from, mark }) =>
      from === 'fence' && mark === undefined
    )
    /** Runs the next command of the page, which must begin like this. */
    const paste = (start: string, ...replaced: [string, string]) => {
      const { text = '' } = commands.shift() ?? {}
      expect(text.slice(0, start.length)).toBe(start)
      return deployment.shell(text.replace(...replaced))
    }
    const env = () => readFile(join(deployment.directory, '.env'), 'utf8')
    const image = async (service: string) =>
      (await run('docker', [
        'inspect',
        '-f',
        '{{.Config.Image}}',
        (await deployment.compose('ps', '-q', service)).trim(),
      ])).trim().replace(`${address}/`, '')
    /** Pushes an image of its own, with its name as a label. @returns its name with the digest */
    const publish = async (from: string, name: string) => {
      await deployment.shell(
        `printf 'FROM %s\\nLABEL release=%s\\n' '${from}' '${name}' | docker build --quiet --tag '${address}/${name}' -`,
      )
      await run('docker', ['push', '--quiet', `${address}/${name}`])
      const [digest = ''] = (await run('docker', [
        'image',
        'inspect',
        '-f',
        '{{join .RepoDigests " "}}',
        `${address}/${name}`,
      ])).match(/sha256:\w+/) ?? []
      await run('docker', ['image', 'rm', `${address}/${name}`])
      return `${address}/${name}@${digest}`
    }
    /**
     * Publishes both images, and writes the release's file. The images of other projects have no
     * digest here: this engine has none of them.
     */
    const release = async (version: string, backend: string, backup: string) => {
      const pushed = await Promise.all([
        publish(backend, `finance-backend:${version}`),
        publish(backup, `finance-backup:${version}-pg18`),
      ])
      const compose = await readFile(join(root, 'compose.yaml'), 'utf8')
      const none = [...compose.matchAll(/^ +image: ([a-z/]+):\$\{\w+:-([^}]+)\}$/gm)]
        .map(([, name, tag]) => `${name}:${tag}@none`)
      const folder = join(storage, `finance-${version}`)
      await run(process.execPath, ['infra/release/bundle.ts', storage, address], { cwd: root })
      await run('bash', [
        '-c',
        `mkdir '${folder}' && tar -xzf '${storage}/finance-${about.version}.tar.gz' -C '${folder}' --strip-components=1`,
      ])
      await writeFile(
        join(folder, 'compose.yaml'),
        releasedCompose(compose, address, [...pushed, ...none], version).replaceAll('@none', ''),
      )
      await writeFile(join(folder, 'release.env'), releaseEnv(address, version))
      await run('tar', [
        '-czf',
        join(deployment.directory, `finance-${version}.tar.gz`),
        '-C',
        storage,
        `finance-${version}`,
      ])
    }
    const unpack = (version: string) =>
      deployment.shell(`tar -xzf finance-${version}.tar.gz --strip-components=1`)

    beforeAll(async () => {
      storage = await mkdtemp(join(tmpdir(), 'finance-registry-'))
      address = `127.0.0.1:${await freePort()}`
      await writeFile(
        join(storage, 'config.yml'),
        `version: 0.1\nlog: { level: error }\nstorage: { filesystem: { rootdirectory: ${storage}/data } }\nhttp: { addr: "${address}" }\n`,
      )
      registry = spawn('docker-registry', ['serve', join(storage, 'config.yml')], {
        stdio: 'ignore',
      })
      await vi.waitFor(() => fetch(`http://${address}/v2/`), { timeout: 30_000 })
      await deployment.compose('--profile', 'backup', 'build', '--quiet', 'backup')
      const backup = `${auth.split(':')[0]?.replace(/backend$/, 'backup')}:latest-pg18`
      await deployment.shell('find . -mindepth 1 -delete')
      await release('1.2.3', auth, backup)
      await release('1.2.4', auth, backup)
      // This one cannot migrate, because it is another program.
      await release('1.2.5', 'caddy:2', backup)
    })
    afterAll(async () => {
      await deployment.compose('--profile', '*', 'down', '--volumes', '--timeout', '1')
      await run('bash', [
        '-c',
        `docker image ls --format '{{.ID}}' '${address}/*' | sort -u | xargs -r docker image rm -f`,
      ])
      registry.kill()
      await rm(storage, { recursive: true })
    })

    test("serves after the page's commands, builds nothing, and makes backups", async () => {
      await paste('tar -xzf finance-1.2.3.tar.gz', '', '')
      await paste('infra/docker/setup', 'https://money.example.org', deployment.url)
      await deployment.configure({ COMPOSE_PROFILES: 'backup' })
      await paste('infra/docker/up', '', '')
      const digest = expect.stringMatching(/^finance-backend:1\.2\.3@sha256:\w{64}$/)
      expect(await Promise.all(['auth', 'edge', 'backup'].map(image))).toEqual([
        digest,
        digest,
        expect.stringMatching(/^finance-backup:1\.2\.3-pg18@sha256:\w{64}$/),
      ])
      expect((await fetch(`${deployment.plainUrl}/data/transactions`)).status).toBe(200)
      await deployment.shell('infra/docker/restore --drill "$(infra/docker/backup)"')
    })

    test('is not upgraded to a version that is not in the folder', async () => {
      const before = await env()
      await expect(deployment.shell('VERSION=9.9.9 infra/docker/upgrade')).rejects.toThrow(
        'The files in this folder are of 1.2.3, not of 9.9.9. Unpack 9.9.9 here first',
      )
      expect(await env()).toBe(before)
    })

    test('is rolled back automatically if the new version does not serve, and .env stays the same', async () => {
      const before = await env()
      const backups = (await deployment.shell('ls backups/*.dump')).trim().split('\n').length
      await unpack('1.2.5')
      await expect(deployment.shell('infra/docker/upgrade')).rejects.toThrow(
        '1.2.5 does not serve. Going back to 1.2.3.',
      )
      expect(await env()).toBe(before)
      expect(await image('auth')).toContain('finance-backend:1.2.3@')
      expect((await deployment.shell('ls backups/*.dump')).trim().split('\n')).toHaveLength(
        backups + 1,
      )
    })

    test('is pulled by an upgrade and, if deleted, by a rollback', async () => {
      const before = await image('auth')
      await paste('tar -xzf finance-1.2.4.tar.gz', '', '')
      expect(await paste('infra/docker/upgrade', '', '')).toContain('1.2.4 serves.')
      expect(await image('auth')).toContain('finance-backend:1.2.4@')
      expect(await image('backup')).toContain('finance-backup:1.2.4-pg18@')
      // The next command depends only on .env, because the containers of the last one are removed.
      await deployment.shell('infra/docker/up --no-build')
      expect(await image('auth')).toContain('finance-backend:1.2.4@')
      await deployment.shell(
        `docker image rm --force '${address}/${before.replace(/:[^@]*@/, '@')}'`,
      )
      expect(await deployment.shell('infra/docker/rollback')).toContain('1.2.3 serves.')
      expect(await image('auth')).toBe(before)
      expect((await fetch(`${deployment.plainUrl}/data/transactions`)).status).toBe(200)
    })

    test('is restored on a new machine with its own files, the old .env and a backup', async () => {
      await deployment.compose('--profile', '*', 'down', '--volumes', '--timeout', '1')
      await deployment.shell(
        `rm .deployed.*; docker image ls --format '{{.ID}}' '${address}/*' | sort -u | xargs docker image rm -f`,
      )
      await expect(deployment.shell('infra/docker/setup')).rejects.toThrow(
        'The files in this folder are of 1.2.4. Unpack 1.2.3 here first',
      )
      await unpack('1.2.3')
      await deployment.shell('infra/docker/setup')
      expect(await deployment.shell('infra/docker/restore "$(ls backups/*.dump | tail -1)"'))
        .toContain('Restored.')
      expect((await fetch(`${deployment.plainUrl}/data/transactions`)).status).toBe(200)
    })

    test('needs only the commands of the page, and all of them were run', () => {
      expect(commands).toEqual([])
    })
  },
)
