/**
 * The manifests that the chart renders, their pods and the migration; the operator's command and the
 * files of a release. Needs no cluster.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import about from '../../package.json' with { type: 'json' }
import { stopTimeoutMs } from '../../common/shutdown.ts'
import {
  chart,
  documents,
  environment,
  everything,
  example,
  helm,
  kubernetes,
  one,
  podOf,
  podsOf,
  render,
  root,
  secretFiles,
  secretFolder,
  services,
  workloads,
  type Manifest,
} from './chart.ts'
import { schemaProblem, unknownFields } from './schemas.ts'

const run = promisify(execFile)
const containersOf = (manifests: Manifest[]) =>
  podsOf(manifests).flatMap(({ spec }) => [...(spec.initContainers ?? []), ...spec.containers])

test('every manifest has a supported version and a valid schema, with all optional parts enabled', async () => {
  const manifests = await render(...everything)
  expect(new Set(manifests.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))).toEqual(
    new Set([
      'v1 ServiceAccount',
      'v1 Service',
      'v1 ConfigMap',
      'apps/v1 Deployment',
      'batch/v1 Job',
      'autoscaling/v2 HorizontalPodAutoscaler',
      'policy/v1 PodDisruptionBudget',
      'networking.k8s.io/v1 NetworkPolicy',
      'networking.k8s.io/v1 Ingress',
      'gateway.networking.k8s.io/v1 HTTPRoute',
      'monitoring.coreos.com/v1 PodMonitor',
      'monitoring.coreos.com/v1 PrometheusRule',
      'v1 Pod',
    ]),
  )
  for (const manifest of manifests)
    expect(await schemaProblem(manifest), `${manifest.kind} ${manifest.metadata.name}`).toBe('')
  const broken = structuredClone(one(manifests, 'PodDisruptionBudget', 'money-auth'))
  broken.spec.maxUnavailable = true
  expect(await schemaProblem(broken)).toContain('maxUnavailable')
})

test('every manifest has no unknown field, which a schema ignores and a cluster drops', async () => {
  const manifests = await render(...everything)
  expect(await unknownFields(manifests)).toBe('')
  const broken = structuredClone(one(manifests, 'Deployment', 'money-data'))
  broken.spec.template.spec.containers[0].securityContext.readOnlyRootFileSystem = true
  expect(await unknownFields([broken])).toContain('readOnlyRootFileSystem')
})

test('every manifest can be read by kubectl', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'finance-manifests-'))
  const rendered = await helm(
    'template',
    'money',
    chart,
    '--values',
    example,
    '--kube-version',
    kubernetes,
  )
  await writeFile(join(directory, 'all.yaml'), rendered)
  const { stdout } = await run(process.env['KUBECTL'] ?? 'kubectl', [
    'label',
    '--local',
    '-f',
    join(directory, 'all.yaml'),
    'read=yes',
    '-o',
    'name',
  ])
  await rm(directory, { recursive: true })
  expect(stdout.trim().split('\n').filter((line) => line !== '')).toHaveLength(
    documents(rendered).length,
  )
})

test('every manifest contains no secret, also not in a variable: each pod gets its own secrets as files', async () => {
  const manifests = await render('secrets={"name":"money","owner":"money-owner"}')
  expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([])
  expect(JSON.stringify(manifests)).not.toContain('secretKeyRef')
  const files = Object.fromEntries(
    Object.entries(workloads(manifests)).map(([name, { spec }]) => [
      name,
      Object.fromEntries(
        secretFiles(spec.template.spec).map(({ path, secret, key }) => [path, `${secret}/${key}`]),
      ),
    ]),
  )
  expect(files).toEqual({
    edge: {},
    auth: {
      [`${secretFolder}/AUTH_SERVICE_PASSWORD`]: 'money/auth-service-password',
      [`${secretFolder}/BETTER_AUTH_SECRET`]: 'money/better-auth-secret',
      [`${secretFolder}/RESEND_API_KEY`]: 'money/mail',
    },
    data: { [`${secretFolder}/AUTHENTICATOR_PASSWORD`]: 'money/authenticator-url' },
    migrate: {
      [`${secretFolder}/OWNER_PASSWORD`]: 'money-owner/owner-password',
      [`${secretFolder}/AUTH_SERVICE_PASSWORD`]: 'money/auth-service-password',
      [`${secretFolder}/AUTHENTICATOR_PASSWORD`]: 'money/authenticator-url',
      [`${secretFolder}/BETTER_AUTH_SECRET`]: 'money/better-auth-secret',
    },
  })
  for (const container of containersOf(manifests)) {
    const named = Object.values(environment(container)).map((value) => value.replace(/^@/, ''))
      .filter((value) => value.startsWith(`${secretFolder}/`))
    expect(new Set(named), container.name).toEqual(
      new Set(Object.keys(files[container.name] ?? {})),
    )
  }
})

test('every manifest has the name of its release, so that two releases can share a namespace', async () => {
  const manifests = await render(...everything)
  for (const { metadata } of manifests) {
    expect(metadata.name).toMatch(/^money(-|$)/)
    expect(metadata.labels).toMatchObject({
      'app.kubernetes.io/name': 'finance',
      'app.kubernetes.io/instance': 'money',
    })
  }
  // Also if the name of one begins with that of the other.
  const named = ({ kind, metadata: { name } }: Manifest) => `${kind} ${name}`
  for (const release of ['money-test', 'money-edge']) {
    const beside = documents(
      await helm('template', release, chart, '--values', example, '--kube-version', kubernetes),
    )
    expect(beside.map(named).filter((each) => manifests.map(named).includes(each))).toEqual([])
  }
  // A cluster would refuse the Service, but only after the migration.
  await expect(helm('template', '2-money', chart, '--values', example)).rejects.toThrow(
    "fullnameOverride: the names of the objects would begin with '2-money'",
  )
})

test('pods run unprivileged: not as root, with a read-only file system, without capabilities and without a cluster token', async () => {
  const manifests = await render(...everything)
  expect(containersOf(manifests).map(({ name }) => name)).toEqual([
    'auth',
    'data',
    'edge',
    'realtime',
    'migrate',
    'test',
  ])
  for (const { spec } of podsOf(manifests)) {
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    })
    expect(one(manifests, 'ServiceAccount', spec.serviceAccountName)).toMatchObject({
      automountServiceAccountToken: false,
    })
    for (const volume of spec.volumes ?? [])
      expect(Object.keys(volume).filter((key) => key !== 'name')).toEqual([
        expect.stringMatching(/^(configMap|emptyDir|projected)$/),
      ])
  }
  for (const container of containersOf(manifests)) {
    expect(container, container.name).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: {
        requests: { cpu: expect.anything(), memory: expect.anything() },
        limits: { memory: expect.anything() },
      },
    })
  }
})

test('pods have probes, and keep serving while the cluster removes them from its endpoints', async () => {
  const manifests = await render()
  const probes = Object.fromEntries(services.map((name) => {
    const {
      containers: [{ livenessProbe, readinessProbe, lifecycle }],
      terminationGracePeriodSeconds,
    } = podOf(manifests, name)
    expect(terminationGracePeriodSeconds, name).toBeGreaterThan(
      lifecycle.preStop.sleep.seconds + stopTimeoutMs / 1_000,
    )
    return [
      name,
      [livenessProbe, readinessProbe].map(({ httpGet }) => `${httpGet.port} ${httpGet.path}`),
    ]
  }))
  expect(probes).toEqual({
    edge: ['9180 /livez', '9180 /readyz'],
    auth: ['3000 /livez', '3000 /readyz'],
    data: ['3001 /live', '3001 /ready'],
  })
  // The edge resolves these names, and DNS responses are cached for thirty seconds.
  for (const name of ['auth', 'data'])
    expect(podOf(manifests, name).containers[0].lifecycle.preStop.sleep.seconds).toBeGreaterThan(30)
})

test('pods match the selectors of their component only', async () => {
  const manifests = await render()
  const selects = (selector: Record<string, string>) =>
    Object.entries(workloads(manifests)).filter(([, { spec }]) =>
      Object.entries(selector).every(([name, value]) =>
        spec.template.metadata.labels[name] === value
      )
    ).map(([name]) => name)
  for (const name of services) {
    expect(selects(one(manifests, 'Deployment', `money-${name}`).spec.selector.matchLabels))
      .toEqual([name])
    expect(selects(one(manifests, 'Service', `money-${name}`).spec.selector)).toEqual([name])
    expect(
      selects(one(manifests, 'PodDisruptionBudget', `money-${name}`).spec.selector.matchLabels),
    ).toEqual([name])
    expect(one(manifests, 'HorizontalPodAutoscaler', `money-${name}`).spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: `money-${name}` },
      minReplicas: 2,
      maxReplicas: 6,
    })
    // The autoscaler sets this. A number here would undo its work at every upgrade.
    expect(one(manifests, 'Deployment', `money-${name}`).spec).not.toHaveProperty('replicas')
    for (
      const { labelSelector } of one(manifests, 'Deployment', `money-${name}`).spec.template.spec
        .topologySpreadConstraints
    ) {
      expect(selects(labelSelector.matchLabels)).toEqual([name])
    }
  }
})

test('pods are replaced if a setting changed that they read, and no others are', async () => {
  const templates = async (...values: string[]) =>
    Object.entries(workloads(await render(...values))).map((
      [name, { spec }],
    ) => [name, JSON.stringify(spec.template)])
  const before = Object.fromEntries(await templates())
  const changed = async (value: string) =>
    (await templates(value)).flatMap(([name = '', template]) =>
      template === before[name] ? [] : [name]
    )
  expect(await changed('settings={"SIGN_UP":"closed"}')).toEqual(['auth'])
  expect(await changed('settings={"LOG_LEVEL":"warn"}')).toEqual(['auth', 'edge'])
  expect(await changed('settings={"FILES_QUOTA":5000000}')).toEqual(['migrate'])
  expect(await changed('data.logLevel="info"')).toEqual(['data'])
  const [migration] =
    podOf(await render('settings={"FILES_QUOTA":5000000000}'), 'migrate').containers
  expect(environment(migration)).toMatchObject({ FILES_QUOTA: '5000000000' })
})

test('pods are replaced only if a secret or PostgREST’s settings changed', async () => {
  const annotations = async (...values: string[]) =>
    Object.values(workloads(await render(...values))).map(({ spec }) =>
      spec.template.metadata.annotations
    )
  expect(await annotations()).toEqual(await annotations())
  const [auth, data, edge] = await annotations('secrets.version=2')
  for (const each of [auth, data, edge])
    expect(each).toMatchObject({ 'finance/secrets-version': '2' })
  expect(data?.['finance/postgrest-conf']).toMatch(/^[0-9a-f]{64}$/)
})

test('the migration runs before an install, an upgrade and a rollback, and its dependencies are created before it', async () => {
  const manifests = await render(...everything)
  const hooks = manifests.filter(({ metadata }) =>
    metadata.annotations?.['helm.sh/hook']?.startsWith('pre-')
  )
  expect(
    hooks.map(({ kind, metadata: { name, annotations } }) => ({
      kind,
      name,
      weight: Number(annotations?.['helm.sh/hook-weight']),
    })).toSorted((a, b) => a.weight - b.weight || (a.kind > b.kind ? 1 : -1)),
  )
    .toEqual([
      { kind: 'NetworkPolicy', name: 'money-migrate', weight: -10 },
      { kind: 'ServiceAccount', name: 'money-migrate', weight: -10 },
      { kind: 'Job', name: 'money-migrate', weight: 0 },
    ])
  for (const { metadata } of hooks) {
    expect(metadata.annotations).toMatchObject({
      'helm.sh/hook': 'pre-install,pre-upgrade,pre-rollback',
      'helm.sh/hook-delete-policy': 'before-hook-creation',
    })
  }
  // Only the chart's own objects. The other mounts belong to the operator and exist already.
  const named = hooks.flatMap(({ spec }) => [
    spec?.template?.spec.serviceAccountName,
    ...(spec?.template?.spec.volumes ?? []).map((volume: any) => volume.configMap?.name),
  ])
  expect(named.filter((name) => name !== undefined)).toEqual([
    'money-migrate',
    'database-ca',
    'authorities',
  ])
})

test('the migration is tried three times and then fails the release; a disrupted node does not count', async () => {
  expect(one(await render(), 'Job', 'money-migrate').spec).toMatchObject({
    backoffLimit: 2,
    activeDeadlineSeconds: 900,
    podFailurePolicy: {
      rules: [{
        action: 'Ignore',
        onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
      }],
    },
    template: { spec: { restartPolicy: 'Never' } },
  })
})

test('the operator’s command runs the migration’s pod with another command, any arguments, and leaves no pod', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'finance-admin-'))
  try {
    const job = one(
      await render('podAnnotations={"example.org/mesh":"on"}', 'fullnameOverride="books"'),
      'Job',
      'books-migrate',
    )
    await writeFile(join(directory, 'spec'), JSON.stringify(job.spec.template.spec))
    await writeFile(join(directory, 'metadata'), JSON.stringify(job.spec.template.metadata))
    // The cluster's responses are fake. The rest is kubectl's own work.
    await writeFile(
      join(directory, 'kubectl'),
      `#!/usr/bin/env bash
echo "\${*//$'\\n'/ }" >>${directory}/calls
case "$*" in
  patch*) exec ${process.env['KUBECTL']} "$@" ;;
  *'get job --selector app.kubernetes.io/instance=other,'*) ;;
  *'get deployment --selector app.kubernetes.io/instance=money,app.kubernetes.io/component=auth -o name') echo deployment.apps/books-auth ;;
  *'get job --selector app.kubernetes.io/instance=money,app.kubernetes.io/component=migrate'*metadata*) cat ${directory}/metadata ;;
  *'get job --selector app.kubernetes.io/instance=money,app.kubernetes.io/component=migrate'*) cat ${directory}/spec ;;
  *create*) cat >${directory}/created ;;
  *'get pod'*) printf "$PHASE" ;;
  *logs*) echo granted ;;
  *exec*) echo archive ;;
esac
`,
      { mode: 0o755 },
    )
    const ask = (phase: string, ...command: string[]) =>
      run(join(root, 'infra/kubernetes/admin'), ['--namespace', 'finance', 'money', ...command], {
        env: { ...process.env, PATH: `${directory}:${process.env['PATH']}`, PHASE: phase },
      })
    const { stdout } = await ask('Succeeded', 'grant', 'ann"\\ $(id)@example.org', "it's")
    expect(stdout).toBe('granted\n')
    const pod = JSON.parse(await readFile(join(directory, 'created'), 'utf8'))
    expect(pod.spec.containers[0].command).toEqual([
      'node',
      'admin/main.ts',
      'grant',
      'ann"\\ $(id)@example.org',
      "it's",
    ])
    expect(pod.spec.containers[0].env).toEqual(job.spec.template.spec.containers[0].env)
    // Otherwise the network policy would not select the pod.
    expect(pod.metadata).toMatchObject(job.spec.template.metadata)
    const calls = (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n')
    expect(calls.filter((line) => !line.startsWith('patch --local'))).toEqual(
      calls.filter((line) => line.startsWith('--namespace finance ')),
    )
    expect(calls.at(-1)).toContain(`delete pod ${pod.metadata.name}`)
    // Personal data does not reach a log.
    expect((await ask('Running', 'export', "o'brien@example.org")).stdout).toBe('archive\n')
    const callsOfExport = (await readFile(join(directory, 'calls'), 'utf8')).trim().split('\n')
    expect(callsOfExport.at(-2)).toMatch(
      /exec \S+ -- node admin\/main\.ts export o'brien@example\.org$/,
    )
    // Only the auth service has the mail settings.
    await ask('Running', 'mail-test', 'ann@example.org')
    expect((await readFile(join(directory, 'calls'), 'utf8')).trim()).toMatch(
      /exec deployment\.apps\/books-auth -- node admin\/main\.ts mail-test ann@example\.org$/,
    )
    // A move of files takes longer than the start of a pod may.
    expect((await ask('Running', 'files', 'move')).stdout).toBe('archive\n')
    await expect(ask('Failed', 'keys')).rejects.toMatchObject({ code: 1, stdout: 'granted\n' })
    await expect(
      run(join(root, 'infra/kubernetes/admin'), ['--namespace', 'finance', 'other', 'keys'], {
        env: { ...process.env, PATH: `${directory}:${process.env['PATH']}` },
      }),
    ).rejects
      .toMatchObject({
        code: 1,
        stderr: 'There is no job of the migration of the release other in this namespace.\n',
      })
  } finally {
    await rm(directory, { recursive: true })
  }
})

test("a release's files are the deployment with compose, the npm packages and the chart, each with the version and its checksum", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'finance-release-'))
  try {
    await run(join(root, 'infra/release/build'), [folder, 'registry.example.org/team'])
    const names = [
      `finance-${about.version}.tar.gz`,
      ...['bank-files', 'chart', 'client', 'database', 'mcp'].map((name) =>
        `finance-${name}-${about.version}.tgz`
      ),
    ]
    expect((await readdir(folder)).toSorted()).toEqual(
      ['SHA256SUMS', ...names, 'notes.md'].toSorted(),
    )
    expect((await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder })).stdout).toBe(
      names.map((name) => `${name}: OK\n`).toSorted().join(''),
    )
    for (const name of ['chart', 'database'])
      expect(await helm('show', 'chart', join(folder, `finance-${name}-${about.version}.tgz`)))
        .toMatch(`appVersion: ${about.version}\n`)
    for (const name of ['bank-files', 'client', 'mcp']) {
      const { stdout } = await run('tar', [
        '-xzOf',
        join(folder, `finance-${name}-${about.version}.tgz`),
        'package/package.json',
      ])
      expect(JSON.parse(stdout)).toMatchObject({ name: `finance-${name}`, version: about.version })
    }
    expect(await readFile(join(folder, 'notes.md'), 'utf8')).toContain(
      '### What an operator must do',
    )
  } finally {
    await rm(folder, { recursive: true })
  }
})
