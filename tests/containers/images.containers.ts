/** The contents of the images, their build, and a deployment of published images. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '../../infra/local/ports.ts'
import { commandsOf, fencesOf, textOf } from '../support/doc-commands.ts'
import { deployment, root, run, type Deployment } from './deployment.ts'

const MB = 1_000_000
let it: Deployment
let auth: string

/** Returns the output of a program of the auth image. */
const inAuth = (...command: string[]) => run('docker', ['run', '--rm', auth, ...command])
const packagesOfImage = async () => {
  const { packages } = JSON.parse(await inAuth('node', '-p', 'require("fs").readFileSync("node_modules/.package-lock.json", "utf8")'))
  return new Set(Object.entries<any>(packages).map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`))
}

beforeAll(async () => {
  it = await deployment({ images: false })
  // The permissions of a git checkout under a strict umask.
  await it.shell('chmod -R go-rwx .')
  await it.compose('build', '--quiet')
  auth = (await it.compose('config', '--images')).split('\n').find((image) => image.includes('finance-test')) ?? ''
})
afterAll(async () => {
  await it.remove()
})

test('the auth image is smaller than 200 MB, unpacked', async () => {
  const bytes = Number(await run('docker', ['image', 'inspect', '-f', '{{.Size}}', auth]))
  process.stdout.write(`  ${(bytes / MB).toFixed(0)} MB\n`)
  expect(bytes).toBeLessThan(200 * MB)
})

test('the auth image has Node and the service, and no development tools, npm or shell', async () => {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const names = new Set([...await packagesOfImage()].map((name) => name.replace(/@[^@]*$/, '')))
  expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([])
  // Packages that production dependencies also use.
  expect(Object.keys(devDependencies).filter((name) => names.has(name)).toSorted((a, b) => a.localeCompare(b))).toEqual([
    '@types/node',
    '@types/pg',
    'standardwebhooks',
  ])
  const programs = 'process.env.PATH.split(":").flatMap((path) => require("fs").readdirSync(path)).join()'
  expect((await inAuth('node', '-p', programs)).trim()).toBe('node')
  await expect(inAuth('sh', '-c', 'true')).rejects.toThrow('sh')
  expect((await inAuth('node', '-p', 'require("fs").readdirSync("/app").sort().join()')).trim()).toBe(
    'admin,auth,client,common,db,description,edge,examples,infra,node_modules,package.json',
  )
  // The reference app's build, and none of its source.
  expect((await inAuth('node', '-p', 'require("fs").readdirSync("/app/examples/app").join()')).trim()).toBe('dist')
  const user = 'const { uid, username } = require("os").userInfo(); console.log(uid, username)'
  expect((await inAuth('node', '-e', user)).trim()).toBe('1000 node')
})

test('the bill of materials lists exactly the packages of the auth image', async () => {
  await run('docker', ['build', '--quiet', '--target', 'sbom', '--output', 'sbom', '-f', 'infra/docker/Dockerfile', '.'], {
    cwd: it.directory,
    env: { ...process.env, DOCKER_BUILDKIT: '1' },
  })
  expect(await readdir(join(it.directory, 'sbom'))).toEqual(['finance-backend.cdx.json'])
  const { bomFormat, components } = JSON.parse(await readFile(join(it.directory, 'sbom/finance-backend.cdx.json'), 'utf8'))
  expect(bomFormat).toBe('CycloneDX')
  expect(new Set(components.map(({ group, name, version }: any) => `${group === undefined ? '' : `${group}/`}${name}@${version}`))).toEqual(
    await packagesOfImage(),
  )
})

test('one command builds every image for two architectures, each with a bill of materials and provenance', async () => {
  const env = { ...process.env, VERSION: '1.2.3', REGISTRY: 'registry.example.org' }
  const { target: targets } = JSON.parse(await run('docker', ['buildx', 'bake', '-f', 'infra/docker/docker-bake.hcl', '--print'], { cwd: root, env }))
  expect(Object.entries<any>(targets).map(([name, { tags }]) => `${name}: ${tags.join()}`).toSorted()).toEqual([
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
  expect(await readFile(join(root, 'infra/docker/Dockerfile'), 'utf8')).not.toMatch(/x86|amd64|x64|arm64|aarch64/i)
})

describe.skipIf(!existsSync('/usr/bin/docker-registry'))('published images, deployed from a folder with the files of docs/images.md and no sources', () => {
  let registry: ChildProcess
  let storage: string
  let address: string
  const page = 'docs/images.md'
  const commands = commandsOf(page).filter(({ from, mark }) => from === 'fence' && mark === undefined)
  /** Runs the next command of the page, which must begin like this. */
  const paste = (start: string, ...replaced: [string, string]) => {
    const { text = '' } = commands.shift() ?? {}
    expect(text.slice(0, start.length)).toBe(start)
    return it.shell(text.replace(...replaced))
  }
  const env = () => readFile(join(it.directory, '.env'), 'utf8')
  const image = async (service: string) =>
    (await run('docker', ['inspect', '-f', '{{.Config.Image}}', (await it.compose('ps', '-q', service)).trim()])).trim().replace(`${address}/`, '')
  const publish = async (built: string, name: string) => {
    await run('docker', ['tag', built, `${address}/${name}`])
    await run('docker', ['push', '--quiet', `${address}/${name}`])
    await run('docker', ['image', 'rm', `${address}/${name}`])
  }

  beforeAll(async () => {
    storage = await mkdtemp(join(tmpdir(), 'finance-registry-'))
    address = `127.0.0.1:${await freePort()}`
    await writeFile(
      join(storage, 'config.yml'),
      `version: 0.1\nlog: { level: error }\nstorage: { filesystem: { rootdirectory: ${storage}/data } }\nhttp: { addr: "${address}" }\n`,
    )
    registry = spawn('docker-registry', ['serve', join(storage, 'config.yml')], { stdio: 'ignore' })
    await vi.waitFor(() => fetch(`http://${address}/v2/`), { timeout: 30_000 })
    await it.compose('--profile', 'backup', 'build', '--quiet', 'backup')
    const backup = `${auth.split(':')[0]?.replace(/backend$/, 'backup')}:latest-pg18`
    for (const version of ['1.2.3', '1.2.5']) {
      await publish(auth, `finance-backend:${version}`)
      await publish(backup, `finance-backup:${version}-pg18`)
    }
    // This image cannot migrate, because it is another program.
    await publish('caddy:2', 'finance-backend:1.2.4')
    await publish(backup, 'finance-backup:1.2.4-pg18')

    const list = /^Copy (.*?) of one version into a folder\./m.exec(textOf(page))?.[1] ?? ''
    await it.shell('find . -mindepth 1 -delete')
    for (const [, path = ''] of list.matchAll(/`([^`]+)`/g)) await cp(join(root, path), join(it.directory, path), { recursive: true })
  })
  afterAll(async () => {
    await it.compose('--profile', '*', 'down', '--volumes', '--timeout', '1')
    await run('bash', ['-c', `docker image ls --format '{{.Repository}}:{{.Tag}}' '${address}/*' | xargs -r docker image rm -f`])
    registry.kill()
    await rm(storage, { recursive: true })
  })

  test("serve after the page's two commands, and make backups", async () => {
    const file = fencesOf(page).find(({ info }) => info === 'env')?.content ?? ''
    await writeFile(join(it.directory, '.env'), `${file.replaceAll('registry.example.org', address)}COMPOSE_PROFILES=backup\n`)
    await paste('infra/docker/setup', 'https://money.example.org', it.url)
    await paste('docker compose pull', '', '')
    expect(await Promise.all(['auth', 'edge', 'backup'].map(image))).toEqual(['finance-backend:1.2.3', 'finance-backend:1.2.3', 'finance-backup:1.2.3-pg18'])
    expect((await fetch(`${it.plainUrl}/data/transactions`)).status).toBe(200)
    await it.shell('infra/docker/restore --drill "$(infra/docker/backup)"')
  })

  test('are not upgraded without a version', async () => {
    const before = await env()
    await expect(it.shell('infra/docker/upgrade')).rejects.toThrow(`Say which version of ${address}/finance-backend: VERSION=1.2.4 infra/docker/upgrade`)
    await expect(it.shell('VERSION=9.9.9 infra/docker/upgrade')).rejects.toThrow('Not upgraded, for the reason above: 1.2.3 serves on')
    expect(await env()).toBe(before)
  })

  test('are rolled back automatically if the new version does not serve, and .env stays the same', async () => {
    const before = await env()
    const backups = (await it.shell('ls backups/*.dump')).trim().split('\n').length
    await expect(paste('VERSION=1.2.4 infra/docker/upgrade', '', '')).rejects.toThrow('1.2.4 does not serve. Going back to 1.2.3.')
    expect(await env()).toBe(before)
    expect(await image('auth')).toBe('finance-backend:1.2.3')
    expect((await it.shell('ls backups/*.dump')).trim().split('\n')).toHaveLength(backups + 1)
  })

  test('are pulled by an upgrade and, if deleted, by a rollback', async () => {
    expect(await it.shell('VERSION=1.2.5 infra/docker/upgrade')).toContain('1.2.5 serves.')
    expect(await image('auth')).toBe('finance-backend:1.2.5')
    expect(await image('backup')).toBe('finance-backup:1.2.5-pg18')
    // The next command depends only on .env, because the containers of the last one are removed.
    await it.shell('docker compose up -d --wait --no-build')
    expect(await image('auth')).toBe('finance-backend:1.2.5')
    await it.shell(`docker image rm --force ${address}/finance-backend:1.2.3`)
    expect(await it.shell('infra/docker/rollback')).toContain('1.2.3 serves.')
    expect(await image('auth')).toBe('finance-backend:1.2.3')
    expect((await fetch(`${it.plainUrl}/data/transactions`)).status).toBe(200)
  })

  test('are restored on a new machine with the old .env and a backup', async () => {
    await it.compose('--profile', '*', 'down', '--volumes', '--timeout', '1')
    await it.shell(`rm .deployed.*; docker image ls --format '{{.Repository}}:{{.Tag}}' '${address}/*' | xargs docker image rm`)
    await it.shell('infra/docker/setup && docker compose pull --policy missing')
    expect(await it.shell('infra/docker/restore "$(ls backups/*.dump | tail -1)"')).toContain('Restored.')
    expect((await fetch(`${it.plainUrl}/data/transactions`)).status).toBe(200)
  })

  test('need only the commands of the page, and all of them were run', () => {
    expect(commands).toEqual([])
  })
})
