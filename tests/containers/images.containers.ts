/** What is in the two images, who can build them, and a deployment of images that somebody else has built. */
import { readFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployment, root, run, type Deployment } from './deployment.ts'

const MB = 1_000_000
const published = { auth: 'registry.example.org/finance-backend', proxy: 'registry.example.org/finance-proxy' }
let it: Deployment
let images: { auth: string, proxy: string }

/** What a program of the auth image prints. */
const inAuth = (...command: string[]) => run('docker', ['run', '--rm', images.auth, ...command])
const packagesOfImage = async () => {
  const { packages } = JSON.parse(await inAuth('node', '-p', 'require("fs").readFileSync("node_modules/.package-lock.json", "utf8")'))
  return new Set(Object.entries<any>(packages).map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`))
}

beforeAll(async () => {
  it = await deployment()
  await it.compose('build', '--quiet')
  const [auth = '', proxy = ''] = [...new Set((await it.compose('config', '--images')).trim().split('\n').filter((image) => image.includes('finance-test')))]
    .toSorted((a, b) => a.localeCompare(b))
  images = { auth, proxy }
})
afterAll(async () => {
  await it.compose('down', '--volumes', '--timeout', '1')
  await run('docker', ['image', 'rm', '-f', `${published.auth}:1.2.3`, `${published.proxy}:1.2.3`])
  await it.remove()
})

test('each image is smaller than 200 MB, unpacked', async () => {
  for (const image of Object.values(images)) {
    const bytes = Number(await run('docker', ['image', 'inspect', '-f', '{{.Size}}', image]))
    process.stdout.write(`  ${image.replace(/.*-(\w+):.*/, '$1')}: ${(bytes / MB).toFixed(0)} MB\n`)
    expect(bytes, image).toBeLessThan(200 * MB)
  }
})

test('the auth image has Node, what it serves, and neither development tools, npm nor a shell', async () => {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const names = new Set([...await packagesOfImage()].map((name) => name.replace(/@[^@]*$/, '')))
  expect(Object.keys(dependencies).filter((name) => !names.has(name))).toEqual([])
  // packages that production uses too, by way of others
  expect(Object.keys(devDependencies).filter((name) => names.has(name)).toSorted((a, b) => a.localeCompare(b))).toEqual(['@types/node', '@types/pg', 'jose'])
  const programs = 'process.env.PATH.split(":").flatMap((path) => require("fs").readdirSync(path)).join()'
  expect((await inAuth('node', '-p', programs)).trim()).toBe('node')
  await expect(inAuth('sh', '-c', 'true')).rejects.toThrow('sh')
  const user = 'const { uid, username } = require("os").userInfo(); console.log(uid, username)'
  expect((await inAuth('node', '-e', user)).trim()).toBe('1000 node')
})

test('the bill of materials lists every package that is in the auth image, and no other', async () => {
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

test('one command builds both images for two architectures, with a bill of materials and where they come from', async () => {
  const env = { ...process.env, VERSION: '1.2.3', REGISTRY: 'registry.example.org' }
  const { group, target } = JSON.parse(await run('docker', ['buildx', 'bake', '-f', 'infra/docker/docker-bake.hcl', '--print'], { cwd: root, env }))
  expect(group.default.targets).toEqual(['auth', 'proxy'])
  for (const name of ['auth', 'proxy'] as const) {
    expect(target[name]).toMatchObject({
      target: name,
      dockerfile: 'infra/docker/Dockerfile',
      platforms: ['linux/amd64', 'linux/arm64'],
      attest: ['type=sbom', 'type=provenance,mode=max'],
      tags: [`${published[name]}:1.2.3`],
    })
  }
  // the one home of what an image is names no architecture
  expect(await readFile(join(root, 'infra/docker/Dockerfile'), 'utf8')).not.toMatch(/x86|amd64|x64|arm64|aarch64/i)
})

test('a deployment of published images needs no sources, and an upgrade of it builds nothing', async () => {
  await run('docker', ['tag', images.auth, `${published.auth}:1.2.3`])
  await run('docker', ['tag', images.proxy, `${published.proxy}:1.2.3`])
  for (const path of ['package.json', 'package-lock.json', 'admin', 'auth', 'db', 'infra/local', 'infra/shared']) {
    await rm(join(it.directory, path), { recursive: true })
  }
  const names = `AUTH_IMAGE=${published.auth} PROXY_IMAGE=${published.proxy} VERSION=1.2.3 PROXY_VERSION=1.2.3`
  const shell = (command: string) => it.shell(`export ${names} && ${command}`)
  expect(new Set((await shell('docker compose config --images')).trim().split('\n'))).toEqual(
    new Set(['postgres:18', 'postgrest/postgrest:v12.0.2', `${published.auth}:1.2.3`, `${published.proxy}:1.2.3`]),
  )
  await shell('docker compose up -d --wait --no-build')
  expect((await it.compose('ps', '-q')).trim().split('\n')).toHaveLength(4)

  await run('docker', ['tag', `${published.auth}:1.2.3`, `${published.auth}:1.2.4`])
  await shell('export VERSION=1.2.4 && infra/docker/replace')
  expect(await readFile(join(it.directory, '.env'), 'utf8')).toContain('VERSION=1.2.4\n')
  const auth = (await it.compose('ps', '-q', 'auth')).trim()
  expect((await run('docker', ['inspect', '-f', '{{.Config.Image}}', auth])).trim()).toBe(`${published.auth}:1.2.4`)
  await run('docker', ['image', 'rm', '-f', `${published.auth}:1.2.4`])
})
