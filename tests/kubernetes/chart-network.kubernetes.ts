/** The network policies and the routes that the chart renders. Needs no cluster. */
import { describe, expect, test } from 'vitest'
import {
  environment,
  one,
  podOf,
  render,
  secretFiles,
  secretFolder,
  services,
  traced,
  type Manifest,
} from './chart.ts'

describe('the network policies', () => {
  /** Returns every allowed connection as a sentence. */
  const flows = (manifests: Manifest[]) =>
    manifests.filter(({ kind, metadata }) =>
      kind === 'NetworkPolicy' && metadata.annotations?.['helm.sh/hook'] !== 'test'
    ).flatMap(({ metadata, spec }) => {
      const peer = ({ ipBlock, namespaceSelector, podSelector }: any) =>
        ipBlock?.cidr ??
          Object.values({ ...namespaceSelector?.matchLabels, ...podSelector?.matchLabels }).join(
            '/',
          )
      const rules = (rule: any, peers: any[]) =>
        peers.flatMap((to) =>
          rule.ports.map(({ protocol, port }: any) => `${peer(to)} ${protocol} ${port}`)
        )
      return [
        ...(spec.ingress ?? []).flatMap((rule: any) =>
          rules(rule, rule.from).map((from: string) => `${metadata.name} < ${from}`)
        ),
        ...(spec.egress ?? []).flatMap((rule: any) =>
          rules(rule, rule.to).map((to: string) => `${metadata.name} > ${to}`)
        ),
      ]
    })

  const expected = [
    'money-edge < ingress-nginx TCP 8080',
    ...['auth TCP 3000', 'data TCP 3000', 'data TCP 3001'].flatMap((flow) => [
      `money-edge > finance/money/${flow}`,
      `money-${flow.replace(' ', ' < finance/money/edge ')}`,
    ]),
    ...['edge', 'auth', 'data', 'migrate'].flatMap((name) => [
      `money-${name} > kube-system/kube-dns UDP 53`,
      `money-${name} > kube-system/kube-dns TCP 53`,
    ]),
    ...['auth', 'data', 'migrate'].map((name) => `money-${name} > 10.20.0.0/24 TCP 5432`),
    'money-auth > 0.0.0.0/0 TCP 443',
  ]

  test('the network policies let the ingress controller reach the edge, the edge reach auth and PostgREST, and nothing else', async () => {
    const manifests = await render()
    expect(new Set(flows(manifests))).toEqual(new Set(expected))
    expect(one(manifests, 'NetworkPolicy', 'money-default').spec).toEqual({
      podSelector: {
        matchLabels: { 'app.kubernetes.io/name': 'finance', 'app.kubernetes.io/instance': 'money' },
      },
      policyTypes: ['Ingress', 'Egress'],
    })
    // Mail may not go to private addresses, so neither to other pods nor to the metadata of the
    // machines.
    expect(JSON.stringify(one(manifests, 'NetworkPolicy', 'money-auth'))).toContain(
      '169.254.0.0/16',
    )
    for (
      const policy of manifests.filter(({ kind, metadata: { name } }) =>
        kind === 'NetworkPolicy' && name !== 'money-tested'
      )
    )
      expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress'])
  })

  test('the network policies let Prometheus reach each service if it is configured, and use the configured database port', async () => {
    const metrics =
      'networkPolicy.metrics=[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}}}]'
    const added = [
      'money-edge < monitoring TCP 9180',
      'money-auth < monitoring TCP 3000',
      'money-data < monitoring TCP 3001',
    ]
    expect(new Set(flows(await render(metrics)))).toEqual(new Set([...expected, ...added]))
    expect(new Set(flows(await render('database.port=6432')))).toEqual(
      new Set(expected.map((flow) => flow.replace('TCP 5432', 'TCP 6432'))),
    )
  })

  test('the network policies let auth reach the configured server of exchange rates', async () => {
    const mirror =
      'networkPolicy.exchangeRates={"port":8443,"to":[{"podSelector":{"matchLabels":{"app":"rates"}}}]}'
    expect(new Set(flows(await render(mirror)))).toEqual(new Set(expected))
    const manifests = await render(
      mirror,
      'settings={"EXCHANGE_RATES_URL":"https://rates:8443/daily.xml"}',
    )
    expect(new Set(flows(manifests))).toEqual(new Set([...expected, 'money-auth > rates TCP 8443']))
  })

  test('the network policies permit nothing for an empty list, which a cluster would take for every address', async () => {
    const manifests = await render(
      'networkPolicy.webhooks.to=[]',
      'networkPolicy.oidc.to=[]',
      'settings.OIDC_ISSUER="https://login.example.org"',
    )
    expect(new Set(flows(manifests))).toEqual(new Set(expected))
    // The mail provider's.
    expect(
      one(manifests, 'NetworkPolicy', 'money-auth').spec.egress.filter(({ ports }: any) =>
        ports[0].port === 443
      ),
    ).toHaveLength(1)
    for (const { spec } of manifests.filter(({ kind }) => kind === 'NetworkPolicy'))
      for (const { to } of spec.egress ?? []) expect(to.length).toBeGreaterThan(0)
  })

  test('the network policies let auth and the operator’s command reach the configured object storage, as a role or with a key', async () => {
    const store =
      'networkPolicy.files={"port":3900,"to":[{"podSelector":{"matchLabels":{"app":"garage"}}}]}'
    const url = 'settings.FILES_URL="s3://receipts?region=eu-central-1"'
    expect(new Set(flows(await render(store)))).toEqual(new Set(expected))
    const role =
      'files.serviceAccountAnnotations={"eks.amazonaws.com/role-arn":"arn:aws:iam::123456789012:role/receipts"}'
    const manifests = await render(
      store,
      url,
      role,
      'files.podIdentity=true',
      'secrets.keys.AWS_ACCESS_KEY_ID="key"',
    )
    const added = ['garage TCP 3900', '169.254.170.23/32 TCP 80'].flatMap((
      to,
    ) => [`money-auth > ${to}`, `money-migrate > ${to}`])
    expect(new Set(flows(manifests))).toEqual(new Set([...expected, ...added]))
    for (const name of ['auth', 'migrate']) {
      expect(environment(podOf(manifests, name).containers[0])).toMatchObject({
        FILES_URL: 's3://receipts?region=eu-central-1',
        AWS_ACCESS_KEY_ID_FILE: `${secretFolder}/AWS_ACCESS_KEY_ID`,
      })
      expect(one(manifests, 'ServiceAccount', `money-${name}`).metadata.annotations).toMatchObject({
        'eks.amazonaws.com/role-arn': expect.any(String),
      })
    }
    expect(one(manifests, 'ServiceAccount', 'money-edge').metadata.annotations).toBeUndefined()
  })

  test('the network policies let auth and the edge send traces to the configured collector, with its headers in a secret', async () => {
    const manifests = await render(...traced, 'secrets.keys.OTEL_EXPORTER_OTLP_HEADERS="otel"')
    expect(new Set(flows(manifests))).toEqual(
      new Set([
        ...expected,
        'money-auth > observability TCP 4318',
        'money-edge > observability TCP 4318',
      ]),
    )
    for (const name of ['auth', 'edge']) {
      expect(environment(podOf(manifests, name).containers[0])).toMatchObject({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.observability:4318',
        OTEL_EXPORTER_OTLP_HEADERS_FILE: `${secretFolder}/OTEL_EXPORTER_OTLP_HEADERS`,
      })
      expect(secretFiles(podOf(manifests, name))).toContainEqual({
        path: `${secretFolder}/OTEL_EXPORTER_OTLP_HEADERS`,
        secret: 'finance-secrets',
        key: 'otel',
      })
    }
    // Nothing of it exists without both settings.
    expect(JSON.stringify(await render())).not.toContain('OTEL_')
  })

  test('the network policies route every path of the one host to the edge, which resolves every pod of the other services', async () => {
    const manifests = await render(
      'publicUrl="https://money.example.org:8443"',
      'trustedProxies=["10.9.0.0/16"]',
    )
    const [{ host, http }] = one(manifests, 'Ingress', 'money').spec.rules
    expect(host).toBe('money.example.org')
    expect(http.paths).toEqual([{
      path: '/',
      pathType: 'Prefix',
      backend: { service: { name: 'money-edge', port: { name: 'http' } } },
    }])
    expect(environment(podOf(manifests, 'edge').containers[0])).toMatchObject({
      AUTH_UPSTREAM: 'http://money-auth:3000',
      POSTGREST_UPSTREAM: 'http://money-data:3000',
      TRUSTED_PROXIES: '10.9.0.0/16',
    })
    expect(environment(podOf(manifests, 'auth').containers[0])).toMatchObject({
      TRUSTED_PROXIES: '10.244.0.0/16',
    })
    expect(services.map((name) => one(manifests, 'Service', `money-${name}`).spec.clusterIP))
      .toEqual([undefined, 'None', 'None'])
  })
})
