/**
 * Runs the chart's pods as containers of this machine: with the images, commands, variables, rights
 * and probes of a cluster, on a new database. Services, network policies and hooks of a cluster are
 * not tested here.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../start/ports.ts'
import { postgrestTag } from '../support/postgrest-tag.ts'
import { environment, one, podOf, render, root, secretFiles, type Manifest } from './chart.ts'

const docker = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('docker', args, { cwd: root })).stdout.trim()
const secrets: Record<string, string> = {
  'better-auth-secret': 'a secret of a test, which has to be long enough',
  'auth-service-password': "an 'auth service' pass/word%",
  'authenticator-url': `postgresql://authenticator:${
    encodeURIComponent('an authenticator: pass@word')
  }@`,
  'owner-password': 'an owner password',
  mail: 'no-key',
}
const name = `finance-pods-${process.pid}`
const owner = await freePort()
const subnet = `10.231.${owner % 256}.0/24`
let manifests: Manifest[]
let directory: string
let started = 0

/**
 * The folders in which a cluster mounts tokens of its own: that of EKS for a role, and that of the
 * service account.
 */
const tokens = ['eks.amazonaws.com', 'kubernetes.io'].map((issuer) =>
  `secrets/${issuer}/serviceaccount`
)

/**
 * Starts the container of a pod, with its files. A cluster adds its tokens below /var/run, which is
 * /run in many images.
 */
async function start(component: string, container: any, network: string[]): Promise<string> {
  const { securityContext, volumes } = podOf(manifests, component)
  const id = `${name}-${started++}`
  const variables = Object.entries(environment(container)).flatMap((
    [key, value],
  ) => ['-e', `${key}=${value}`])
  const mounts = await Promise.all(
    container.volumeMounts.map(async ({ name: volume, mountPath }: any) => {
      const { configMap, projected } = volumes.find((each: any) => each.name === volume)
      // Every user may write to an emptyDir.
      if (configMap === undefined && projected === undefined)
        return ['--tmpfs', `${mountPath}:mode=0777`]
      const folder = join(directory, `${id}-${volume}`)
      await mkdir(folder)
      const files = projected === undefined
        ? Object.entries(one(manifests, 'ConfigMap', configMap.name).data)
        : secretFiles(podOf(manifests, component)).map((
          { path, key },
        ) => [basename(path), secrets[key]])
      await Promise.all(
        files.map(([file, text]) => writeFile(join(folder, file as string), text as string)),
      )
      return ['-v', `${folder}:${mountPath}:ro`]
    }),
  )
  for (const path of tokens)
    for (const run of ['/run', '/var/run'])
      mounts.push([
        '-v',
        `${join(directory, 'token')}:${run}/${path}:ro`,
      ])
  const { readOnlyRootFilesystem, allowPrivilegeEscalation, capabilities } =
    container.securityContext
  const rights = [
    ...(readOnlyRootFilesystem ? ['--read-only'] : []),
    ...(allowPrivilegeEscalation ? [] : ['--security-opt', 'no-new-privileges']),
    ...capabilities.drop.flatMap((each: string) => ['--cap-drop', each]),
  ]
  const [program, ...rest] = container.command
  const user = ['--user', `${securityContext.runAsUser}:${securityContext.runAsGroup}`]
  const memory = ['--memory', container.resources.limits.memory.replace('i', '').toLowerCase()]
  const options = [...network, ...user, ...rights, ...memory, ...variables, ...mounts.flat()]
  await docker(
    'run',
    '-d',
    '--name',
    id,
    ...options,
    '--entrypoint',
    program,
    container.image,
    ...rest,
  )
  return id
}

/** Starts a pod. @returns its container, and the local address of one of its ports */
async function pod(component: string, port: number) {
  const published = await freePort()
  const network = [
    '--network',
    name,
    '--network-alias',
    `money-${component}`,
    '-p',
    `127.0.0.1:${published}:${port}`,
  ]
  return {
    id: await start(component, podOf(manifests, component).containers[0], network),
    url: `http://127.0.0.1:${published}`,
  }
}
/** Runs the pod of `helm test` to its end. */
async function runTest(container: any): Promise<{ code: string, log: string }> {
  const id = await start('edge', container, ['--network', name])
  return { code: await docker('wait', id), log: await logs(id) }
}
const status = (url: string, init?: RequestInit) =>
  fetch(url, init).then(({ status: code }) => code, () => 0)
const logs = (id: string) =>
  promisify(execFile)('docker', ['logs', id]).then(({ stdout, stderr }) => stdout + stderr)

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'finance-pods-'))
  // The pods' user reads it.
  await chmod(directory, 0o755)
  await mkdir(join(directory, 'token'))
  await writeFile(join(directory, 'token', 'token'), 'a token of the cluster')
  await docker(
    'build',
    '-q',
    '-t',
    `${name}-auth:1`,
    '--target',
    'auth',
    '-f',
    'infra/docker/Dockerfile',
    '.',
  )
  manifests = await render(
    `images.auth={"repository":"${name}-auth","tag":"1"}`,
    `images.postgrest.tag="${postgrestTag}"`,
    'database={"host":"database","sslMode":"disable"}',
    'secrets.name="pods"',
    `trustedProxies=["${subnet}"]`,
    `podRanges=["${subnet}"]`,
  )
  await docker('network', 'create', '--subnet', subnet, name)
  const password = `POSTGRES_PASSWORD=${secrets['owner-password']}`
  const database = ['-e', 'POSTGRES_DB=finance', '-e', password, 'postgres:18', '-c', 'fsync=off']
  await docker(
    'run',
    '-d',
    '--name',
    `${name}-database`,
    '--network',
    name,
    '--network-alias',
    'database',
    ...database,
  )
})
afterAll(async () => {
  await docker(
    'rm',
    '-f',
    '-v',
    `${name}-database`,
    ...Array.from({ length: started }, (_, number) => `${name}-${number}`),
  )
  await docker('network', 'rm', name)
  await docker('image', 'rm', '-f', `${name}-auth:1`)
  await rm(directory, { recursive: true })
})

test('the migration of an empty database succeeds, and a second run has nothing to do', async () => {
  const ready = ['exec', `${name}-database`, 'pg_isready', '-q', '-h', '127.0.0.1']
  await expect.poll(() => docker(...ready).then(() => true, () => false)).toBe(true)
  for (let time = 0; time < 2; time++) {
    const id = await start('migrate', podOf(manifests, 'migrate').containers[0], [
      '--network',
      name,
    ])
    expect(await docker('wait', id), await logs(id)).toBe('0')
  }
})

test('the operator’s command runs in the migration’s pod', async () => {
  const [container] = podOf(manifests, 'migrate').containers
  const id = await start('migrate', {
    ...container,
    command: ['node', 'admin/main.ts', 'products'],
  }, ['--network', name])
  expect(await docker('wait', id), await logs(id)).toBe('0')
  expect(await logs(id)).toContain('teams')
})

test('the auth service becomes ready by its probes, and shuts down 0.25 s after the sleep of its preStop hook', async () => {
  const { id, url } = await pod('auth', 3000)
  const [{ livenessProbe, readinessProbe }] = podOf(manifests, 'auth').containers
  await expect.poll(() => status(url + livenessProbe.httpGet.path)).toBe(200)
  await expect.poll(() => status(url + readinessProbe.httpGet.path)).toBe(200)
  expect(await (await fetch(`${url}/api/auth/jwks`)).json()).toMatchObject({
    keys: [expect.objectContaining({ alg: expect.any(String) })],
  })
  for (const path of tokens)
    expect(
      await docker('exec', id, 'node', '-p', `fs.readFileSync('/var/run/${path}/token', 'utf8')`),
    ).toBe('a token of the cluster')
  // Half of its memory limit.
  const heap = ['-p', 'Math.round(require("v8").getHeapStatistics().heap_size_limit / 2 ** 20)']
  const [, flag = ''] = podOf(manifests, 'auth').containers[0].command
  expect(Math.abs(Number(await docker('exec', id, 'node', flag, ...heap)) - 256)).toBeLessThan(16)
  await docker('stop', '--time', '20', id)
  expect(await docker('inspect', '-f', '{{.State.ExitCode}}', id)).toBe('0')
})

test('the edge becomes ready, resolves auth and PostgREST by name, and serves the app and both surfaces', async () => {
  const { id, url } = await pod('edge', 8080)
  const [{ livenessProbe, readinessProbe }] = podOf(manifests, 'edge').containers
  const probe = (path: string) =>
    docker(
      'exec',
      id,
      'node',
      '-e',
      `fetch('http://127.0.0.1:9180${path}').then(({ status }) => console.log(status), () => console.log(0))`,
    )
  await expect.poll(() => probe(livenessProbe.httpGet.path)).toBe('200')
  expect(await probe(readinessProbe.httpGet.path)).toBe('200')
  expect(await status(`${url}/healthz`)).toBe(503)

  const data = await pod('data', 3001)
  await pod('auth', 3000)
  const [postgrest] = podOf(manifests, 'data').containers
  await expect.poll(() => status(data.url + postgrest.readinessProbe.httpGet.path)).toBe(200)
  expect(await status(data.url + postgrest.livenessProbe.httpGet.path)).toBe(200)
  await expect.poll(() => status(`${url}/healthz`)).toBe(200)
  expect(await (await fetch(`${url}/data/transactions?select=id`)).json()).toEqual([])
  expect(await status(`${url}/api/auth/jwks`)).toBe(200)
  expect(await (await fetch(url)).text()).toContain('<!doctype html>')
  // `helm test`; the port of the Service is the cluster's.
  const { spec } = one(manifests, 'Pod', 'money-test')
  const [container] = spec.containers
  expect(
    await runTest({ ...container, env: [{ name: 'EDGE_URL', value: 'http://money-edge:8080' }] }),
  ).toMatchObject({ code: '0' })
  const { code, log } = await runTest(container)
  expect(code).toBe('1')
  expect(log).toMatch(/^\/healthz .*\n\/api\/auth\/jwks .*\n\/data\/transactions\S* /)
  expect([await status(`${url}/metrics`), await status(`${url}/readyz`)]).not.toContain(200)

  // A paused PostgREST becomes unready, and ready again when it responds.
  await docker('pause', data.id)
  await expect.poll(() => status(`${url}/healthz`)).toBe(503)
  await docker('unpause', data.id)
  await expect.poll(() => status(`${url}/healthz`)).toBe(200)
})
