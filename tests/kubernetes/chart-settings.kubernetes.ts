/** The settings that the chart gives to the services. Needs no cluster. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  chart,
  collector,
  documents,
  environment,
  example,
  helm,
  kubernetes,
  one,
  podOf,
  read,
  render,
  secretFolder,
  verified,
  without,
} from './chart.ts'

test('settings of the database connection are equal for both drivers: encrypted, verified, or neither', async () => {
  const of = async (...values: string[]) => {
    const pods = await render(...values)
    const [auth] = podOf(pods, 'auth').containers
    const [postgrest] = podOf(pods, 'data').containers
    return [
      new URL(environment(auth)['AUTH_DATABASE_URL'] ?? '').search,
      environment(postgrest)['PGSSLMODE'],
      environment(postgrest)['PGSSLROOTCERT'],
      ...auth.volumeMounts.map(({ mountPath }: any) => mountPath),
    ]
  }
  expect(await of()).toEqual(['?sslmode=no-verify', 'require', undefined, secretFolder, '/tmp'])
  expect(await of('database.sslMode="disable"')).toEqual([
    '?sslmode=disable',
    'disable',
    undefined,
    secretFolder,
    '/tmp',
  ])
  const file = '/etc/database-ca/ca.crt'
  expect(await of(...verified)).toEqual([
    `?sslmode=verify-full&sslrootcert=${file}`,
    'verify-full',
    file,
    secretFolder,
    '/etc/database-ca',
    '/tmp',
  ])
})

test('settings of each service are those of compose.yaml', async () => {
  const [compose] = documents(await read('compose.yaml')) as any[]
  const offered: [string, { secret: boolean, services: string[], values: string[] }][] = Object
    .entries(JSON.parse(await read('infra/settings.json')))
  const valuesOf = (isSecret: boolean) =>
    JSON.stringify(
      Object.fromEntries(
        offered.filter(([, { secret }]) => secret === isSecret).map((
          [name, { values }],
        ) => [name, values[0] ?? 'x']),
      ),
    )
  const all = [
    ...verified,
    'database.readers="standbys.example.org"',
    `settings=${valuesOf(false)}`,
    `secrets.keys=${valuesOf(true)}`,
    collector,
    'realtime.enabled=true',
  ]
  const rendered = [
    await render(...all),
    await render(...all, 'mail.provider="smtp"', 'networkPolicy.mail.port=587'),
  ]
  const ofChart = (name: string) =>
    new Set(
      rendered.flatMap((manifests) =>
        Object.keys(environment(podOf(manifests, name).containers[0]))
      ),
    )
  const ofCompose = (name: string) =>
    new Set<string>(Object.keys(compose.services[name].environment))
  // compose has one line for a number that may be 0, and the chart a value
  expect(without(ofCompose('auth'), ofChart('auth'))).toEqual(new Set(['REALTIME_REPLICAS']))
  expect(without(ofCompose('realtime'), ofChart('realtime'))).toEqual(new Set())
  // the service files has the variables of migrate, by the merge key <<
  expect(without(new Set([...ofCompose('migrate'), ...ofCompose('files')]), ofChart('migrate')))
    .toEqual(new Set(['<<']))
  expect(without(ofCompose('postgrest'), ofChart('data'))).toEqual(new Set())
  expect(without(ofChart('data'), ofCompose('postgrest'))).toEqual(
    new Set(['PGPORT', 'PGSSLMODE', 'PGSSLROOTCERT']),
  )
  for (
    const [service, ...others] of [['auth'], ['realtime'], ['edge'], ['migrate', 'files']] as const
  ) {
    const names = offered.filter(([, { services: readers }]) => readers.includes(service))
      .map(([name, { secret }]) => secret ? `${name}_FILE` : name)
    expect(
      without(
        new Set(names),
        new Set([service, ...others].flatMap((name) => [...ofCompose(name)])),
      ),
    ).toEqual(new Set())
  }
  expect(without(ofCompose('edge'), ofChart('edge'))).toEqual(new Set(['REALTIME_REPLICAS']))
})

test('settings of PostgREST and of the alerts are the files of the repository, also in a packed chart', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'finance-chart-'))
  try {
    await helm('package', chart, '--destination', directory)
    const [archive = ''] = await readdir(directory)
    const manifests = documents(
      await helm(
        'template',
        'money',
        join(directory, archive),
        '--values',
        example,
        '--kube-version',
        kubernetes,
        '--set',
        'monitoring.enabled=true',
      ),
    )
    expect(one(manifests, 'ConfigMap', 'money-postgrest').data['postgrest.conf']).toBe(
      await read('postgrest.conf'),
    )
    const [alerts] = documents(await read('infra/monitoring/alerts.yml'))
    expect(one(manifests, 'PrometheusRule', 'money').spec).toEqual(alerts)
    // Prometheus scrapes every job that an alert uses, except two of compose. Their alerts stay
    // silent without them.
    const jobs = manifests.filter(({ kind }) => kind === 'PodMonitor').map(({ spec }) =>
      spec.podMetricsEndpoints[0].relabelings[0].replacement
    )
    expect(new Set(jobs)).toEqual(new Set(['auth', 'edge', 'postgrest']))
    const alertJobs = [...(await read('infra/monitoring/alerts.yml')).matchAll(/job="(\w+)"/g)].map(
      ([, job]) => job,
    )
    expect(without(new Set(alertJobs), new Set(jobs))).toEqual(new Set(['backup', 'machine']))
  } finally {
    await rm(directory, { recursive: true })
  }
})
