/**
 * The values with which a platform team adds to the chart: additions to pods, scaling, names, a
 * gateway, and `helm test`. Needs no cluster.
 */
import { expect, test } from 'vitest'
import { connectionsPerAuth } from '../../start/connection-limits.ts'
import {
  chart,
  environment,
  everything,
  example,
  extras,
  helm,
  one,
  podOf,
  podsOf,
  render,
  services,
  workloads,
  type Manifest,
} from './chart.ts'

test('pods have the additions of a platform team, and all that the chart gives them', async () => {
  const [plain, manifests] = [await render(), await render(...extras)]
  for (const name of [...services, 'migrate'] as const) {
    const [before, after] = [podOf(plain, name), podOf(manifests, name)]
    expect(after, name).toMatchObject({
      affinity: { podAntiAffinity: expect.anything() },
      nodeSelector: { pool: 'money' },
      tolerations: [{ key: 'money', operator: 'Exists' }],
      priorityClassName: 'important',
      volumes: [...before.volumes, { name: 'authorities', configMap: { name: 'authorities' } }],
    })
    const [container] = after.containers
    const [{ env, volumeMounts, ...others }] = before.containers
    expect(container).toMatchObject(others)
    expect(container.volumeMounts).toEqual([...volumeMounts, {
      name: 'authorities',
      mountPath: '/etc/authorities',
      readOnly: true,
    }])
    expect(container.env).toEqual([
      ...env,
      { name: 'NODE_EXTRA_CA_CERTS', value: '/etc/authorities/ca.crt' },
      { name: 'NODE_IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
    ])
    // A variable could replace any setting of PostgREST.
    expect(container.envFrom).toEqual(
      name === 'data' ? undefined : [{ configMapRef: { name: 'region' } }],
    )
    const metadata = workloads(manifests)[name]?.spec.template.metadata
    expect(metadata).toMatchObject(workloads(plain)[name]?.spec.template.metadata)
    expect(metadata).toMatchObject({
      annotations: { 'example.org/mesh': 'on' },
      labels: { 'example.org/cost': '4711' },
    })
    expect(one(manifests, 'ServiceAccount', `money-${name}`).metadata.annotations).toMatchObject({
      'example.org/role': 'reader',
    })
  }
  for (const { kind, metadata } of await render(...everything))
    expect(metadata.annotations, kind).toMatchObject({ 'example.org/team': 'finance' })
})

test('pods of one component can have additions of their own, which win in a map and follow in a list', async () => {
  const additions = JSON.stringify({
    nodeSelector: { pool: 'fast' },
    podLabels: { own: 'yes' },
    priorityClassName: 'own',
    tolerations: [{ key: 'own' }],
    extraEnv: [{ name: 'NODE_OPTIONS', value: '--trace-warnings' }],
    serviceAccount: { name: 'existing', create: false },
  })
  const manifests = await render(...extras, `auth=${additions}`)
  const auth = podOf(manifests, 'auth')
  expect(auth).toMatchObject({
    nodeSelector: { pool: 'fast' },
    priorityClassName: 'own',
    tolerations: [{ key: 'money', operator: 'Exists' }, { key: 'own' }],
    serviceAccountName: 'existing',
  })
  expect(auth.containers[0].env.slice(-3).map(({ name }: any) => name)).toEqual([
    'NODE_EXTRA_CA_CERTS',
    'NODE_IP',
    'NODE_OPTIONS',
  ])
  expect(workloads(manifests)['auth']?.spec.template.metadata.labels).toMatchObject({
    own: 'yes',
    'example.org/cost': '4711',
  })
  expect(
    manifests.filter(({ kind }) => kind === 'ServiceAccount').map(({ metadata }) => metadata.name),
  ).not.toContain('existing')
  expect(podOf(manifests, 'edge')).toMatchObject({
    nodeSelector: { pool: 'money' },
    serviceAccountName: 'money-edge',
  })
  // One existing account for all pods.
  const shared = await render('serviceAccount={"create":false,"name":"finance"}')
  expect(podsOf(shared).map(({ spec }) => spec.serviceAccountName)).toEqual([
    'finance',
    'finance',
    'finance',
    'finance',
    'finance',
  ])
  expect(shared.filter(({ kind }) => kind === 'ServiceAccount')).toEqual([])
})

test('pods scale by CPU, by memory or not at all, and the migration and the edge know the numbers that there can be', async () => {
  const scaling = async (...values: string[]) => {
    const manifests = await render(...values)
    return {
      metrics: manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
        .map(({ metadata, spec }) => [
          metadata.name,
          ...spec.metrics.map(({ resource }: any) =>
            `${resource.name} ${resource.target.averageUtilization}`
          ),
        ]),
      replicas: services.map((name) => one(manifests, 'Deployment', `money-${name}`).spec.replicas),
      counted: [['AUTH_REPLICAS', 'migrate'], ['POSTGREST_REPLICAS', 'migrate'], [
        'EDGE_REPLICAS',
        'edge',
      ], ['PGRST_DB_POOL', 'edge']].map(
        ([name = '', pod = '']) => environment(podOf(manifests, pod).containers[0])[name],
      ),
    }
  }
  expect(
    await scaling(
      'edge.autoscaling={"targetMemoryUtilizationPercentage":80}',
      'data={"autoscaling":{"enabled":false},"replicas":{"minimum":3,"maximum":6}}',
    ),
  )
    .toEqual({
      metrics: [['money-auth', 'cpu 60'], ['money-edge', 'cpu 60', 'memory 80']],
      replicas: [undefined, undefined, 3],
      counted: ['2-6', '3-3', '2-6', '12'],
    })
  expect(await scaling('autoscaling.enabled=false')).toEqual({
    metrics: [],
    replicas: [2, 2, 2],
    counted: ['2-2', '2-2', '2-2', '12'],
  })
})

test('pods hold no more connections than the operator named, and the notes of an install say how many', async () => {
  const rollout = (pods: number) => (pods + 1) * (connectionsPerAuth + 12 + 1)
  await expect(render(`database.maxConnections=${rollout(6) - 1}`)).rejects.toThrow(
    `can hold ${rollout(6)} connections`,
  )
  await render(`database.maxConnections=${rollout(6)}`)
  await render(`database.maxConnections=${rollout(2)}`, 'autoscaling.enabled=false')
  const notes = await helm(
    'install',
    'money',
    chart,
    '--values',
    example,
    '--dry-run=client',
    '--set',
    'autoscaling.enabled=false',
  )
  expect(notes).toContain(
    `at most ${
      rollout(2)
    } connections to the database: auth 20 in each of 2-2 pods, PostgREST 13 in each of 2-2`,
  )
})

test('a gateway routes every path of the one host to the edge, beside the ingress or instead of it', async () => {
  const route =
    'httpRoute={"enabled":true,"parentRefs":[{"name":"public","namespace":"gateways"}],"annotations":{"example.org/a":"b"}}'
  const { spec, metadata } = one(
    await render(route, 'publicUrl="https://money.example.org:8443"'),
    'HTTPRoute',
    'money',
  )
  expect(metadata.annotations).toEqual({ 'example.org/a': 'b' })
  expect(spec).toEqual({
    parentRefs: [{ name: 'public', namespace: 'gateways' }],
    hostnames: ['money.example.org'],
    rules: [{
      matches: [{ path: { type: 'PathPrefix', value: '/' } }],
      backendRefs: [{ name: 'money-edge', port: 80 }],
    }],
  })
  const kinds = async (...values: string[]) =>
    (await render(...values)).map(({ kind }) => kind).filter((kind) =>
      kind === 'Ingress' || kind === 'HTTPRoute'
    )
  expect(new Set(await kinds(route))).toEqual(new Set(['Ingress', 'HTTPRoute']))
  expect(await kinds(route, 'ingress.enabled=false')).toEqual(['HTTPRoute'])
  expect(await kinds()).toEqual(['Ingress'])
})

test('helm test starts a pod that may reach only the edge, which lets it in only meanwhile', async () => {
  const manifests = await render()
  const hooks = manifests.filter(({ metadata }) =>
    metadata.annotations?.['helm.sh/hook'] === 'test'
  )
  expect(
    hooks.map(({ kind, metadata }) =>
      `${kind} ${metadata.name} ${metadata.annotations?.['helm.sh/hook-delete-policy']}`
    ),
  ).toEqual([
    'NetworkPolicy money-test before-hook-creation,hook-succeeded',
    'NetworkPolicy money-tested before-hook-creation,hook-succeeded',
    // Its log outlives its success.
    'Pod money-test before-hook-creation',
  ])
  const pod = one(manifests, 'Pod', 'money-test')
  expect(one(manifests, 'NetworkPolicy', 'money-test').spec.podSelector.matchLabels).toEqual(
    pod.metadata.labels,
  )
  expect(one(manifests, 'NetworkPolicy', 'money-tested').spec).toMatchObject({
    podSelector: { matchLabels: { 'app.kubernetes.io/component': 'edge' } },
    ingress: [{
      from: [{ podSelector: { matchLabels: pod.metadata.labels } }],
      ports: [{ protocol: 'TCP', port: 8080 }],
    }],
  })
  expect(environment(pod.spec.containers[0])).toEqual({ EDGE_URL: 'http://money-edge' })
  // Without network policies there is nothing to open.
  expect(
    (await render('networkPolicy.enabled=false')).filter(({ kind }) => kind === 'NetworkPolicy'),
  ).toEqual([])
})

test.each([
  ['the release', [], 'money', 'finance'],
  ['the release and nameOverride', ['nameOverride="books"'], 'money-books', 'books'],
  ['fullnameOverride', ['fullnameOverride="books"'], 'books', 'finance'],
  [
    'fullnameOverride before nameOverride',
    ['fullnameOverride="books"', 'nameOverride="ours"'],
    'books',
    'ours',
  ],
])('the names begin with %s', async (_, values, begin, label) => {
  const manifests = await render(...everything, ...values)
  for (const { metadata } of manifests) {
    expect(metadata.name).toMatch(
      new RegExp(`^${begin}(-(edge|auth|data|realtime|migrate|test|tested|default|postgrest))?$`),
    )
    expect(metadata.labels).toMatchObject({
      'app.kubernetes.io/name': label,
      'app.kubernetes.io/instance': 'money',
    })
  }
  expect(environment(podOf(manifests, 'edge').containers[0])).toMatchObject({
    AUTH_UPSTREAM: `http://${begin}-auth:3000`,
    POSTGREST_UPSTREAM: `http://${begin}-data:3000`,
    REALTIME_UPSTREAM: `http://${begin}-realtime:3000`,
  })
  const named = ({ spec }: Manifest) =>
    spec.scaleTargetRef?.name ?? spec.rules[0].backendRefs?.[0].name ??
      spec.rules[0].http.paths[0].backend.service.name
  const references = manifests.filter(({ kind }) =>
    ['HorizontalPodAutoscaler', 'Ingress', 'HTTPRoute'].includes(kind)
  ).map(named)
  expect(new Set(references)).toEqual(
    new Set([`${begin}-auth`, `${begin}-data`, `${begin}-edge`, `${begin}-realtime`]),
  )
  expect(podOf(manifests, 'data').volumes.flatMap(({ configMap }: any) => configMap?.name ?? []))
    .toContain(
      one(manifests, 'ConfigMap', `${begin}-postgrest`).metadata.name,
    )
  for (const name of services)
    expect(podOf(manifests, name).serviceAccountName).toBe(
      one(manifests, 'ServiceAccount', `${begin}-${name}`).metadata.name,
    )
})
