/** Live streams in pods of their own: realtime.enabled of the chart. Needs no cluster. */
import { expect, test } from 'vitest'
import { connectionsPerAuth, connectionsPerRealtime } from '../../start/connection-limits.ts'
import {
  environment,
  helm,
  chart,
  example,
  one,
  podOf,
  read,
  render,
  secretFiles,
  secretFolder,
  verified,
  workloads,
  type Manifest,
} from './chart.ts'

const on = 'realtime.enabled=true'
const variables = (manifests: Manifest[], name: string) =>
  environment(podOf(manifests, name).containers[0])

test('live streams are in the pods of the auth service by default, and no other one is mentioned', async () => {
  const manifests = await render('monitoring.enabled=true')
  expect(Object.keys(workloads(manifests)).toSorted()).toEqual(['auth', 'data', 'edge', 'migrate'])
  const { spec: _, ...rest } = one(manifests, 'PrometheusRule', 'money')
  const others = manifests.filter(({ kind }) => kind !== 'PrometheusRule')
  expect(JSON.stringify([rest, others])).not.toMatch(/realtime/i)
})

test('live streams move with one value: the edge, the auth service and the migration know it', async () => {
  const manifests = await render(on)
  expect(variables(manifests, 'edge')).toMatchObject({
    AUTH_UPSTREAM: 'http://money-auth:3000',
    REALTIME_UPSTREAM: 'http://money-realtime:3000',
  })
  expect(variables(manifests, 'auth')).toMatchObject({ AUTH_SERVES_REALTIME: 'false' })
  expect(variables(manifests, 'migrate')).toMatchObject({ REALTIME_REPLICAS: '2-6' })
  expect(
    variables(
      await render(on, 'realtime.autoscaling.enabled=false', 'realtime.replicas.minimum=3'),
      'migrate',
    ),
  ).toMatchObject({ REALTIME_REPLICAS: '3-3' })
  await expect(render(on, 'realtime.replicas.minimum=1')).rejects.toThrow('realtime')
  for (const name of ['AUTH_SERVES_REALTIME', 'REALTIME_UPSTREAM']) {
    await expect(render(`settings={"${name}":"x"}`)).rejects.toThrow(`'${name}' not allowed`)
    await expect(render(`extraEnv=[{"name":"${name}","value":"x"}]`)).rejects.toThrow(
      `'${name}' not allowed`,
    )
  }
})

test('pods of live streams have all objects of a service, the secrets of sessions and none of mail', async () => {
  const manifests = await render(on, 'monitoring.enabled=true', ...verified)
  const pod = podOf(manifests, 'realtime')
  expect(pod.containers[0].command).toEqual([
    'node',
    '--max-old-space-size-percentage=50',
    'realtime/main.ts',
  ])
  expect(secretFiles(pod).map(({ path }) => path)).toEqual([
    `${secretFolder}/AUTH_SERVICE_PASSWORD`,
    `${secretFolder}/BETTER_AUTH_SECRET`,
  ])
  expect(pod.containers[0].volumeMounts.map(({ mountPath }: any) => mountPath)).toEqual([
    secretFolder,
    '/etc/database-ca',
  ])
  expect(pod.containers[0].readinessProbe.httpGet).toEqual({ path: '/readyz', port: 3000 })
  expect(one(manifests, 'Service', 'money-realtime').spec.clusterIP).toBe('None')
  expect(one(manifests, 'HorizontalPodAutoscaler', 'money-realtime').spec).toMatchObject({
    minReplicas: 2,
    maxReplicas: 6,
  })
  expect(one(manifests, 'PodDisruptionBudget', 'money-realtime').spec.maxUnavailable).toBe(1)
  expect(
    one(manifests, 'PodMonitor', 'money-realtime').spec.podMetricsEndpoints[0].relabelings[0]
      .replacement,
  ).toBe('realtime')
  expect(await read('infra/monitoring/prometheus.yml')).toContain('job_name: realtime')
})

test('pods of live streams reach the receivers of webhooks instead of the auth service', async () => {
  const receivers = [
    'networkPolicy.webhooks={"port":8443,"to":[{"ipBlock":{"cidr":"198.51.100.0/24"}}]}',
    'monitoring.enabled=false',
  ]
  const reaches = (manifests: Manifest[], name: string) =>
    JSON.stringify(one(manifests, 'NetworkPolicy', `money-${name}`).spec.egress)
  expect(reaches(await render(...receivers), 'auth')).toContain('198.51.100.0/24')
  const manifests = await render(...receivers, on)
  expect(reaches(manifests, 'auth')).not.toContain('198.51.100.0/24')
  expect(one(manifests, 'NetworkPolicy', 'money-realtime').spec).toMatchObject({
    ingress: [{
      from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'edge' } } }],
      ports: [{ port: 3000 }],
    }],
    egress: [
      { ports: [{ port: 53 }, { port: 53 }] },
      { to: [{ ipBlock: { cidr: '10.20.0.0/24' } }], ports: [{ port: 5432 }] },
      { to: [{ ipBlock: { cidr: '198.51.100.0/24' } }], ports: [{ port: 8443 }] },
    ],
  })
  expect(reaches(manifests, 'edge')).toContain('"app.kubernetes.io/component":"realtime"')
})

test('connections of live streams count: more than the database has are refused', async () => {
  const most = (count: number) => `database.maxConnections=${count}`
  // 13 of each PostgREST, and one pod more of each during a rollout
  const without = connectionsPerAuth * 7 + 13 * 7
  const all = without + connectionsPerRealtime * 7
  await render(most(without))
  await expect(render(on, most(without))).rejects.toThrow(
    `the services can hold ${all} connections, and the database has ${without}. Lower auth.replicas, data.replicas, realtime.replicas or database.pool`,
  )
  await render(on, most(all))
  const notes = await helm(
    'install',
    'money',
    chart,
    '--values',
    example,
    '--set',
    on,
    '--dry-run=client',
  )
  expect(notes).toContain(`realtime ${connectionsPerRealtime} in each of 2-6`)
})
