/**
 * The chart's pods as containers of this machine: the images, commands, variables, rights and probes that a cluster would be
 * given, on a database of their own. What a cluster does around them (services, policies, hooks) is not here.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../infra/local/ports.ts'
import { confidential, cutAnswer, largeAnswer } from '../support/cut-answer.ts'
import { postgrestTag } from '../support/postgrest-tag.ts'
import { environment, one, podOf, render, root, type Manifest } from './chart.ts'

const docker = async (...args: string[]): Promise<string> => (await promisify(execFile)('docker', args, { cwd: root })).stdout.trim()
const secrets: Record<string, string> = {
  'better-auth-secret': 'a secret of a test, which has to be long enough',
  'auth-service-password': "an 'auth service' pass/word%",
  'authenticator-password': 'an authenticator: pass@word',
  'owner-password': 'an owner password',
  mail: 'no-key',
}
const name = `finance-pods-${process.pid}`
const owner = await freePort()
const subnet = `10.231.${owner % 256}.0/24`
let manifests: Manifest[]
let directory: string
let started = 0

/** Starts a container of a pod; the first of a pod brings the network that the others share, and opens a port of this machine. */
async function start(component: string, container: any, network: string[]): Promise<string> {
  const { securityContext, volumes = [] } = podOf(manifests, component)
  const id = `${name}-${started++}`
  // the Service of auth is what knows which port it has
  const valueOf = (value: string) => secrets[value.replace('pods/', '')] ?? value.replace('money-auth:80', 'money-auth:3000')
  const variables = Object.entries(environment(container)).flatMap(([key, value]) => ['-e', `${key}=${valueOf(value)}`])
  const mounts = await Promise.all((container.volumeMounts ?? []).map(async ({ name: volume, mountPath }: any) => {
    const { configMap } = volumes.find((each: any) => each.name === volume)
    // anybody may write to a cluster's
    if (configMap === undefined) return ['--tmpfs', `${mountPath}:mode=0777`]
    const files = Object.entries(one(manifests, 'ConfigMap', configMap.name).data)
    await Promise.all(files.map(([file, text]) => writeFile(join(directory, file), text as string)))
    return ['-v', `${directory}:${mountPath}:ro`]
  }))
  const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } = container.securityContext
  const rights = [
    ...(readOnlyRootFilesystem ? ['--read-only'] : []),
    ...(allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges']),
    ...capabilities.drop.flatMap((each: string) => ['--cap-drop', each]),
  ]
  const [program, ...rest] = container.command
  const user = ['--user', `${securityContext.runAsUser}:${securityContext.runAsGroup}`]
  const memory = ['--memory', container.resources.limits.memory.replace('i', '').toLowerCase()]
  const options = [...network, ...user, ...rights, ...memory, ...variables, ...mounts.flat()]
  await docker('run', '-d', '--name', id, ...options, '--entrypoint', program, container.image, ...rest)
  return id
}

/** Starts a pod. @returns its containers, and the address of this machine that leads to the port 3000 or 8080 of it */
async function pod(component: string, port: number) {
  const published = await freePort()
  const ids: string[] = []
  for (const container of podOf(manifests, component).containers) {
    const network = ids[0] === undefined
      ? ['--network', name, '--network-alias', `money-${component}`, '-p', `127.0.0.1:${published}:${port}`]
      : ['--network', `container:${ids[0]}`]
    ids.push(await start(component, container, network))
  }
  return { ids, url: `http://127.0.0.1:${published}` }
}
const status = (url: string, init?: RequestInit) => fetch(url, init).then(({ status: code }) => code, () => 0)
const logs = (id: string) => promisify(execFile)('docker', ['logs', id]).then(({ stdout, stderr }) => stdout + stderr)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'finance-pods-'))
  // the pods' user reads it
  await chmod(directory, 0o755)
  for (const target of ['auth', 'proxy']) {
    await docker('build', '-q', '-t', `${name}-${target}:1`, '--target', target, '-f', 'infra/docker/Dockerfile', '.')
  }
  manifests = await render(
    `images.auth={"repository":"${name}-auth","tag":"1"}`,
    `images.proxy={"repository":"${name}-proxy","tag":"1"}`,
    `images.postgrest.tag="${postgrestTag}"`,
    'database={"host":"database","sslMode":"disable"}',
    'secrets.name="pods"',
    `trustedProxies=["${subnet}"]`,
  )
  await docker('network', 'create', '--subnet', subnet, name)
  const password = `POSTGRES_PASSWORD=${secrets['owner-password']}`
  const database = ['-e', 'POSTGRES_DB=finance', '-e', password, 'postgres:18', '-c', 'fsync=off']
  await docker('run', '-d', '--name', `${name}-database`, '--network', name, '--network-alias', 'database', ...database)
})
afterAll(async () => {
  await docker('rm', '-f', '-v', `${name}-database`, ...Array.from({ length: started }, (_, number) => `${name}-${number}`))
  await docker('network', 'rm', name)
  await docker('image', 'rm', '-f', `${name}-auth:1`, `${name}-proxy:1`)
  await rm(directory, { recursive: true })
})

test('the migration brings an empty database to the present and ends; run again, it has nothing to do', async () => {
  const ready = ['exec', `${name}-database`, 'pg_isready', '-q', '-h', '127.0.0.1']
  await expect.poll(() => docker(...ready).then(() => true, () => false)).toBe(true)
  for (let time = 0; time < 2; time++) {
    const id = await start('migrate', podOf(manifests, 'migrate').containers[0], ['--network', name])
    expect(await docker('wait', id), await logs(id)).toBe('0')
  }
})

test("the operator's command runs where the migration does", async () => {
  const [container] = podOf(manifests, 'migrate').containers
  const id = await start('migrate', { ...container, command: ['node', 'admin/main.ts', 'products'] }, ['--network', name])
  expect(await docker('wait', id), await logs(id)).toBe('0')
  expect(await logs(id)).toContain('teams')
})

test('auth becomes ready by its own probes, and its quarter of a second follows the sleep when it is told to stop', async () => {
  const { ids: [id = ''], url } = await pod('auth', 3000)
  const [{ livenessProbe, readinessProbe }] = podOf(manifests, 'auth').containers
  await expect.poll(() => status(url + livenessProbe.httpGet.path)).toBe(200)
  await expect.poll(() => status(url + readinessProbe.httpGet.path)).toBe(200)
  expect(await (await fetch(`${url}/api/auth/jwks`)).json()).toMatchObject({ keys: [expect.objectContaining({ alg: expect.any(String) })] })
  // half of its memory limit
  const heap = ['-p', 'Math.round(require("v8").getHeapStatistics().heap_size_limit / 2 ** 20)']
  const [, flag = ''] = podOf(manifests, 'auth').containers[0].command
  expect(Math.abs(Number(await docker('exec', id, 'node', flag, ...heap)) - 256)).toBeLessThan(16)
  await docker('stop', '--time', '20', id)
  expect(await docker('inspect', '-f', '{{.State.ExitCode}}', id)).toBe('0')
})

test('PostgREST becomes ready behind its edge, answers under both prefixes, and cannot be asked but through it', async () => {
  const { ids: [proxy = '', postgrest = ''], url } = await pod('data', 8080)
  const { containers } = podOf(manifests, 'data')
  await expect.poll(() => status(url + containers[0].readinessProbe.httpGet.path)).toBe(200)
  expect(await status(url + containers[1].livenessProbe.httpGet.path)).toBe(200)
  expect(await (await fetch(`${url}/data/transactions?select=id`)).json()).toEqual([])
  expect(await status(`${url}/rest/v1/transactions?select=id`)).toBe(200)
  expect(await status(`${url}/data/transactions?select=${'a'.repeat(3_000)}`)).toBe(414)
  // whether both are up, while auth is not and when it is
  expect(await status(`${url}/healthz`)).toBe(503)
  await pod('auth', 3000)
  await expect.poll(() => status(`${url}/healthz`)).toBe(200)
  const address = await docker('inspect', '-f', `{{(index .NetworkSettings.Networks "${name}").IPAddress}}`, proxy)
  expect([
    await status(`http://${address}:8080/data/transactions?select=id`),
    await status(`http://${address}:3000/`),
    await status(`http://${address}:3001/ready`),
  ]).toEqual([200, 0, 0])

  // an edge that lost its PostgREST lives on, and is given no requests
  await docker('pause', postgrest)
  await expect.poll(() => status(`${url}/ready`, { signal: AbortSignal.timeout(4_000) })).not.toBe(200)
  await docker('unpause', postgrest)
  await expect.poll(() => status(`${url}/ready`)).toBe(200)

  // and says of an answer that is cut off whose it was, without what was asked
  await docker('exec', `${name}-database`, 'psql', '-qU', 'postgres', '-d', 'finance', '-c', largeAnswer)
  await expect.poll(() => status(`${url}/data/rpc/large_answer?note=small`)).toBe(200)
  const { id } = await cutAnswer(url, undefined, () => docker('kill', postgrest))
  await expect.poll(() => logs(proxy)).toContain(id)
  const logged = await logs(proxy)
  expect(logged).toContain('aborting with incomplete response')
  for (const value of Object.values(confidential)) expect(logged).not.toContain(value)
})
