/** The chart of the database, and the product on its cluster. Needs no cluster. */
import { expect, test } from 'vitest'
import { connectionsPerAuth } from '../../start/connection-limits.ts'
import {
  database,
  databaseExample,
  documents,
  environment,
  helm,
  one,
  onCluster,
  podOf,
  read,
  render,
  renderDatabase,
  secretFiles,
  workloads,
  type Manifest,
} from './chart.ts'
import { problemOf, schemaProblem, unknownFields } from './schemas.ts'

const name = 'money-database'
/** All optional parts. */
const full = [
  'monitoring={"enabled":true,"labels":{"release":"prometheus"}}',
  'networkPolicy.metrics=[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}}}]',
  'imagePullSecrets=[{"name":"registry"}]',
  'nodeSelector={"pool":"data"}',
  'tolerations=[{"key":"data","operator":"Exists"}]',
  'priorityClassName="important"',
  'serviceAccountAnnotations={"eks.amazonaws.com/role-arn":"arn:aws:iam::123456789012:role/b"}',
  `image.digest="sha256:${'0'.repeat(64)}"`,
  'ownerSecret="money-owner"',
]
const restored = [
  'recovery={"cluster":"money-former","time":"2026-11-30T10:15:00Z"}',
]
const clusterOf = (manifests: Manifest[]) => one(manifests, 'Cluster', name).spec

test.each([
  ['a new database', full],
  ['a restored one', [...full, ...restored]],
  ['the defaults', []],
])(
  'the database has objects that the published schemas of the operator accept: %s',
  async (_, values) => {
    const manifests = await renderDatabase(...values)
    // The plugin for backups has no package. Its only part with content is that of the operator.
    const [store, ...others] = manifests.toSorted((a, b) =>
      Number(b.kind === 'ObjectStore') - Number(a.kind === 'ObjectStore')
    )
    for (const manifest of others) expect(await schemaProblem(manifest), manifest.kind).toBe('')
    expect(await unknownFields(others)).toBe('')
    expect(store).toMatchObject({ apiVersion: 'barmancloud.cnpg.io/v1', kind: 'ObjectStore' })
    expect(Object.keys(store?.spec).toSorted()).toEqual(['configuration', 'retentionPolicy'])
    const folder =
      '@kubernetes-models/cloudnative-pg/github.com/cloudnative-pg/barman-cloud/pkg/api'
    const kind = 'BarmanObjectStoreConfiguration'
    expect(await problemOf(`${folder}/${kind}`, kind, store?.spec.configuration)).toBe('')
  },
)

test('the database’s schemas find a wrong value and an unknown field', async () => {
  const wrong = structuredClone(one(await renderDatabase(), 'Cluster', name))
  wrong.spec.postgresql.synchronous.number = 'one'
  expect(await schemaProblem(wrong)).toContain('synchronous/number')
  wrong.spec.postgresql.synchronous = { method: 'any', number: 1, quorum: true }
  expect(await unknownFields([wrong])).toContain('quorum')
})

test('the database has three instances on three nodes, and acknowledges a commit that a standby has', async () => {
  expect(clusterOf(await renderDatabase())).toMatchObject({
    instances: 3,
    postgresql: {
      synchronous: {
        method: 'any',
        number: 1,
        dataDurability: 'required',
        failoverQuorum: true,
      },
      parameters: { max_connections: '350', log_min_error_statement: 'panic' },
    },
    affinity: { topologyKey: 'kubernetes.io/hostname', podAntiAffinityType: 'required' },
    topologySpreadConstraints: [{ topologyKey: 'topology.kubernetes.io/zone' }],
    // The migration creates the logins of the services.
    bootstrap: { initdb: { postInitSQL: ['alter role "finance" createrole'] } },
  })
})

test('the database has backups and a log in the object storage, from which another cluster can be made', async () => {
  const manifests = await renderDatabase()
  const plugin = { name: 'barman-cloud.cloudnative-pg.io', parameters: { barmanObjectName: name } }
  expect(clusterOf(manifests).plugins).toEqual([{ ...plugin, isWALArchiver: true }])
  expect(one(manifests, 'ScheduledBackup', name).spec).toMatchObject({
    cluster: { name },
    method: 'plugin',
    pluginConfiguration: { name: plugin.name },
    schedule: '0 0 2 * * *',
  })
  expect(clusterOf(await renderDatabase(...restored))).toMatchObject({
    bootstrap: {
      recovery: { source: 'backups', recoveryTarget: { targetTime: '2026-11-30T10:15:00Z' } },
    },
    externalClusters: [{
      name: 'backups',
      plugin: {
        name: plugin.name,
        parameters: { ...plugin.parameters, serverName: 'money-former' },
      },
    }],
  })
  const without = await renderDatabase('backup.enabled=false')
  expect(without.map(({ kind }) => kind)).toEqual(['NetworkPolicy', 'Cluster'])
  expect(JSON.stringify(without)).not.toContain('barman')
})

test('the database stays at an uninstall of either release', async () => {
  for (const { kind, metadata } of await renderDatabase(...full))
    expect(metadata.annotations, kind).toEqual({ 'helm.sh/resource-policy': 'keep' })
  expect((await render(...onCluster)).map(({ kind }) => kind)).not.toContain('Cluster')
})

test('the database accepts connections of the product, of itself and of the operator, and no others', async () => {
  const { spec } = one(await renderDatabase(...full), 'NetworkPolicy', name)
  const instances = { matchLabels: { 'cnpg.io/cluster': name } }
  expect(spec.podSelector).toEqual(instances)
  const ports = (rule: any) => rule.ports.map(({ port }: any) => port)
  expect(spec.ingress.map(ports)).toEqual([[5432], [5432, 8000], [5432, 8000], [9187]])
  expect(spec.egress.map(ports)).toEqual([[53, 53], [5432, 8000], [6443], [443]])
  for (const rule of [spec.ingress[1].from, spec.egress[1].to])
    expect(rule).toEqual([{ podSelector: instances }])
  // The pods that may connect are those of the product that have a database.
  const product = await render(...onCluster)
  const [{ podSelector }] = spec.ingress[0].from
  for (const component of ['auth', 'data', 'readers', 'migrate']) {
    expect(workloads(product)[component]?.spec.template.metadata.labels).toMatchObject(
      podSelector.matchLabels,
    )
    expect(one(product, 'NetworkPolicy', `money-${component}`).spec.egress).toContainEqual({
      to: [{ podSelector: instances }],
      ports: [{ protocol: 'TCP', port: 5432 }],
    })
  }
  expect(JSON.stringify(one(product, 'NetworkPolicy', 'money-edge'))).not.toContain('cnpg.io')
})

test('the product connects to the cluster with its owner and verifies its certificate', async () => {
  const product = await render(...onCluster)
  const { initdb } = clusterOf(await renderDatabase()).bootstrap
  const tls = 'sslmode=verify-full&sslrootcert=/etc/database-ca/ca.crt'
  const [migration] = podOf(product, 'migrate').containers
  expect(environment(migration)['DATABASE_URL']).toBe(
    `postgresql://${initdb.owner}@${name}-rw:5432/${initdb.database}?${tls}`,
  )
  expect(secretFiles(podOf(product, 'migrate'))).toContainEqual({
    path: '/run/secrets/finance/OWNER_PASSWORD',
    secret: `${name}-app`,
    key: 'password',
  })
  for (const component of ['auth', 'data', 'readers', 'migrate']) {
    expect(podOf(product, component).volumes).toContainEqual({
      name: 'database-ca',
      secret: { secretName: `${name}-ca`, items: [{ key: 'ca.crt', path: 'ca.crt' }] },
    })
  }
  const named = await render(...onCluster, 'secrets.owner="money-owner"')
  expect(secretFiles(podOf(named, 'migrate'))).toContainEqual({
    path: '/run/secrets/finance/OWNER_PASSWORD',
    secret: 'money-owner',
    key: 'owner-password',
  })
})

test('readers are PostgREST on the standbys, which only the edge reaches and which are in no other Service', async () => {
  const manifests = await render(...onCluster)
  expect(environment(podOf(manifests, 'readers').containers[0])).toEqual({
    ...environment(podOf(manifests, 'data').containers[0]),
    PGHOST: `${name}-ro,${name}-rw`,
    PGTARGETSESSIONATTRS: 'prefer-standby',
    PGAPPNAME: 'postgrest-standby',
  })
  expect(secretFiles(podOf(manifests, 'readers'))).toEqual(secretFiles(podOf(manifests, 'data')))
  expect(environment(podOf(manifests, 'edge').containers[0])).toMatchObject({
    POSTGREST_UPSTREAM: 'http://money-data:3000',
    DATA_REPLICAS: 'money-readers:3000',
    DATA_REPLICAS_READY_PORT: '3001',
  })
  const labels = workloads(manifests)['readers']?.spec.template.metadata.labels
  const selecting = manifests.filter(({ kind, spec }) =>
    kind === 'Service' &&
    Object.entries(spec.selector).every(([key, value]) => labels[key] === value)
  )
  expect(selecting.map(({ metadata, spec }) => [metadata.name, spec.clusterIP])).toEqual([
    ['money-readers', 'None'],
  ])
  const { ingress } = one(manifests, 'NetworkPolicy', 'money-readers').spec
  expect(ingress).toEqual(
    JSON.parse(JSON.stringify(one(manifests, 'NetworkPolicy', 'money-data').spec.ingress)),
  )
  for (const kind of ['HorizontalPodAutoscaler', 'PodDisruptionBudget', 'ServiceAccount'])
    one(manifests, kind, 'money-readers')
  for (const manifest of manifests) expect(await schemaProblem(manifest), manifest.kind).toBe('')
  expect(await unknownFields(manifests)).toBe('')
  expect(JSON.stringify(await render())).not.toMatch(/readers|DATA_REPLICAS/)
})

test('readers are replaced with each version, whose schema they load, and are counted as connections', async () => {
  const version = async (...values: string[]) =>
    workloads(await render(...onCluster, ...values))['readers']?.spec.template.metadata.annotations
  expect(await version('images.auth.tag="0.3.0"')).toMatchObject({ 'finance/version': '0.3.0' })
  const [migration] = podOf(await render(...onCluster), 'migrate').containers
  expect(environment(migration)).toMatchObject({ POSTGREST_REPLICAS: '4-12' })
  // One pod more of each during a rollout.
  const connections = 7 * connectionsPerAuth + 2 * 7 * (12 + 1)
  await render(...onCluster, `database.maxConnections=${connections}`)
  await expect(render(...onCluster, `database.maxConnections=${connections - 1}`)).rejects.toThrow(
    `can hold ${connections} connections`,
  )
  // The cluster has as many.
  const { max_connections: all } = clusterOf(await renderDatabase()).postgresql.parameters
  expect(Number(all) - 3).toBeGreaterThanOrEqual(connections)
})

test('readers can have another server than a cluster', async () => {
  const manifests = await render('database.readers="standbys.example.org"')
  expect(environment(podOf(manifests, 'readers').containers[0])).toMatchObject({
    PGHOST: 'standbys.example.org,postgres.example.org',
    PGSSLMODE: 'require',
  })
})

test.each([
  ['backups without a storage', 'backup.store={"destinationPath":null}', '/backup/store'],
  ['a storage that names a cluster', 'backup.store.serverName="other"', '/backup/store/serverName'],
  ['a single standby', 'instances=2', '/instances'],
  ['an untested PostgreSQL', 'image.tag="16.4"', '/image/tag'],
  ['the superuser as owner', 'owner="postgres"', '/owner'],
  ['no API server', 'networkPolicy.apiServer.to=[]', '/networkPolicy/apiServer/to'],
  [
    'an asynchronous database',
    'parameters={"synchronous_commit":"off"}',
    '/parameters/synchronous_commit',
  ],
  ['a schedule without seconds', 'backup.schedule="0 2 * * *"', '/backup/schedule'],
  ['a time without a cluster', 'recovery.time="2026-11-30T10:15:00Z"', 'recovery.time: name'],
  ['a restore over itself', `recovery.cluster="${name}"`, 'needs another name'],
  [
    'a restore without a storage',
    ['recovery.cluster="other"', 'backup.enabled=false'],
    'recovery.cluster: set backup.store',
  ],
])('the database’s values are refused: %s', async (_, values, named) => {
  await expect(renderDatabase(...[values].flat())).rejects.toThrow(named)
})

test('the notes of the database’s install name the values of the product', async () => {
  const notes = await helm(
    'install',
    name,
    database,
    '--values',
    databaseExample,
    '--dry-run=client',
  )
  expect(notes).toContain(`database.cluster=${name} and database.maxConnections=347`)
  await expect(helm('template', '2-money', database, '--values', databaseExample)).rejects.toThrow(
    "The release's name '2-money'",
  )
})

test('the page’s values for a database of its own and its object for a vault are accepted', async () => {
  const page = await read('docs/kubernetes.md')
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].flatMap(([, text = '']) =>
    documents(text) as any[]
  )
  const { database: values } = blocks.find((block) => block.database?.cluster !== undefined)
  await render(
    `database=${JSON.stringify({ host: '', ...values })}`,
    'networkPolicy.database=[]',
  )
  const secret: Manifest = blocks.find(({ kind }) => kind === 'ExternalSecret')
  expect(await schemaProblem(secret)).toBe('')
  expect(await unknownFields([secret])).toBe('')
})
