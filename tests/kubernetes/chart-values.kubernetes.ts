/** The values that the chart refuses, and their description. Needs no cluster. */
import { expect, test } from 'vitest'
import {
  chart,
  database,
  databaseExample,
  documents,
  example,
  helm,
  read,
  render,
} from './chart.ts'

test('values without the operator’s are refused, with the name of each missing one', async () => {
  const refused: Error = await helm('template', 'money', chart).then(
    () => new Error('rendered'),
    (error: Error) => error,
  )
  const needed = [...refused.message.matchAll(/at '\/([\w/]+)'/g)].map(([, path = '']) =>
    path.replaceAll('/', '.')
  )
  const missing =
    `publicUrl trustedProxies podRanges database.host secrets.name mail mail.from mail.provider
      images.auth images.auth.repository images.auth.tag images.auth.digest networkPolicy.ingress networkPolicy.database`
  expect(new Set(needed)).toEqual(new Set(missing.split(/\s+/)))
})

test.each([
  ['an address with a path', 'publicUrl="https://money.example.org/app"', '/publicUrl'],
  ['an address without TLS', 'publicUrl="http://money.example.org"', '/publicUrl'],
  ['a proxy range of all addresses', 'trustedProxies=["0.0.0.0/0"]', '/trustedProxies/0'],
  ['a pod range of all addresses', 'podRanges=["0.0.0.0/0"]', '/podRanges/0'],
  ['an image with the tag latest', 'images.auth.tag="latest"', '/images/auth/tag'],
  ['PostgREST 14, which is not tested', 'images.postgrest.tag="v14.18"', '/images/postgrest/tag'],
  [
    'PostgREST 16.2, which has a known flaw',
    'images.postgrest.tag="v16.2"',
    '/images/postgrest/tag',
  ],
  ['a body limit below the interface’s', 'dataBodyLimit=1024', '/dataBodyLimit'],
  [
    'verification without a certificate authority',
    'database.sslMode="verify-full"',
    '/database/ca/configMap',
  ],
  [
    'a certificate authority without verification',
    'database.ca={"configMap":"ca","key":"ca.crt"}',
    'database.ca: sslMode require does not verify',
  ],
  [
    'a role without an object storage',
    'files.podIdentity=true',
    'files: a role without settings.FILES_URL',
  ],
  [
    'annotations of an account that is not the chart’s',
    'serviceAccount={"create":false,"annotations":{"a":"b"}}',
    'serviceAccount.annotations: the chart does not create',
  ],
  [
    'a host and a cluster',
    'database.cluster="finance-database"',
    'database.cluster: the chart knows host, port and certificate',
  ],
  [
    'readers with a PostgREST that cannot listen on a standby',
    ['database.readers="standbys.example.org"', 'images.postgrest.tag="v12.0.2"'],
    'database.readers: PostgREST 12.0 cannot listen',
  ],
  [
    'the primary as a standby',
    'database.readers="postgres.example.org"',
    "database.readers: 'postgres.example.org' is the primary",
  ],
  ['a single process', 'auth.replicas.minimum=1', '/auth/replicas/minimum'],
  [
    'a minimum above the maximum',
    'data.replicas={"minimum":8,"maximum":3}',
    'data.replicas: maximum',
  ],
  [
    'a variable that the chart sets itself',
    'settings={"TRUSTED_PROXIES":"0.0.0.0/0"}',
    "'TRUSTED_PROXIES' not allowed",
  ],
  [
    'a value that a setting does not have',
    'settings={"LOG_LEVEL":"loud"}',
    'settings.LOG_LEVEL: must be one of trace',
  ],
  [
    'a secret among the settings',
    'settings={"OIDC_CLIENT_SECRET":"hunter2"}',
    "'OIDC_CLIENT_SECRET' not allowed",
  ],
  ['a setting among the secrets', 'secrets.keys.LOG_LEVEL="level"', "'LOG_LEVEL' not allowed"],
  [
    "a secret's value",
    'secrets.betterAuthSecret="hunter2hunter2hunter2hunter2hunter2"',
    "'betterAuthSecret' not allowed",
  ],
  [
    'traces without a network policy',
    'settings={"OTEL_EXPORTER_OTLP_ENDPOINT":"http://collector:4318"}',
    'networkPolicy.tracing.to',
  ],
  ['SMTP without a network policy', 'mail.provider="smtp"', 'networkPolicy.mail.port'],
  ['an unknown name', 'databse={}', "'databse' not allowed"],
  [
    'an unknown name of a component',
    'edge.securityContext={"runAsUser":0}',
    "'securityContext' not allowed",
  ],
  [
    'an autoscaler without a target',
    'data.autoscaling={"targetCPUUtilizationPercentage":0}',
    'autoscaling: name a target',
  ],
  [
    'more connections than the database has',
    'database.maxConnections=230',
    'the services can hold 231 connections, and the database has 230',
  ],
  ['a route without a gateway', 'httpRoute.enabled=true', '/httpRoute/parentRefs'],
  [
    'one service account of the chart for all pods',
    'serviceAccount.name="money"',
    'needs serviceAccount.create=false',
  ],
  ['a name that is no name of an object', 'fullnameOverride="Money_1"', '/fullnameOverride'],
  [
    'a name that is too long with its release',
    `nameOverride="${'n'.repeat(50)}"`,
    "fullnameOverride: the names of the objects would begin with 'money-nnn",
  ],
  [
    'one account that two components create',
    'auth.serviceAccount.name="money-migrate"',
    "serviceAccount.name: 'money-migrate' would be created twice",
  ],
  [
    'an added variable that the chart sets itself',
    'extraEnv=[{"name":"PUBLIC_URL","value":"x"}]',
    "'PUBLIC_URL' not allowed",
  ],
  [
    'an added variable that names the file of a secret',
    'auth.extraEnv=[{"name":"BETTER_AUTH_SECRET_FILE","value":"/tmp/x"}]',
    "'BETTER_AUTH_SECRET_FILE' not allowed",
  ],
  [
    'an added variable that names the file of a setting',
    'auth.extraEnv=[{"name":"OIDC_CLIENT_SECRET_FILE","value":"/tmp/x"}]',
    "'OIDC_CLIENT_SECRET_FILE' not allowed",
  ],
  [
    'an added variable that is a setting',
    'edge.extraEnv=[{"name":"RATE_LIMIT_ENABLED","value":"false"}]',
    "'RATE_LIMIT_ENABLED' not allowed",
  ],
  [
    'an added variable that configures PostgREST',
    'data.extraEnv=[{"name":"PGRST_DB_ANON_ROLE","value":"postgres"}]',
    "'PGRST_DB_ANON_ROLE' not allowed",
  ],
  [
    'a file of variables for PostgREST',
    'data.extraEnvFrom=[{"configMapRef":{"name":"x"}}]',
    "'extraEnvFrom' not allowed",
  ],
  [
    'an added variable that ends the verification of certificates',
    'extraEnv=[{"name":"NODE_TLS_REJECT_UNAUTHORIZED","value":"0"}]',
    "'NODE_TLS_REJECT_UNAUTHORIZED' not allowed",
  ],
  [
    "an added volume with the name of one of the chart's",
    'extraVolumes=[{"name":"secrets","emptyDir":{}}]',
    "'secrets' not allowed",
  ],
  [
    'an added volume with files of the node',
    'extraVolumes=[{"name":"host","hostPath":{"path":"/"}}]',
    "'hostPath' not allowed",
  ],
  [
    'an added volume twice',
    'extraVolumes=[{"name":"x","emptyDir":{}},{"name":"x","emptyDir":{}}]',
    "'x' not allowed",
  ],
  [
    'a mount without its volume',
    'auth.extraVolumeMounts=[{"name":"x","mountPath":"/srv/x"}]',
    "extraVolumeMounts: there is no volume 'x'",
  ],
  [
    'a mount over the secrets',
    'extraVolumeMounts=[{"name":"x","mountPath":"/run/secrets"}]',
    "'/run/secrets/' not allowed",
  ],
  [
    'a mount over the folder above the secrets',
    'extraVolumeMounts=[{"name":"x","mountPath":"/run"}]',
    "'/run/' not allowed",
  ],
  [
    'a mount over the program',
    'edge.extraVolumeMounts=[{"name":"x","mountPath":"/app/edge"}]',
    "'/app/edge/' not allowed",
  ],
  [
    'a mount at a path with ..',
    'extraVolumeMounts=[{"name":"x","mountPath":"/opt/../run/secrets"}]',
    '/extraVolumeMounts/0/mountPath',
  ],
  [
    'an added label that the selectors use',
    'podLabels={"app.kubernetes.io/component":"edge"}',
    "'app.kubernetes.io/component' not allowed",
  ],
  [
    'an annotation that ends the sandbox of a container',
    'podAnnotations={"container.apparmor.security.beta.kubernetes.io/edge":"unconfined"}',
    '/podAnnotations',
  ],
  [
    'an annotation that changes the order of the migration',
    'annotations={"helm.sh/hook":"post-install"}',
    '/annotations',
  ],
])('values are refused: %s', async (_, values, named) => {
  await expect(render(...[values].flat())).rejects.toThrow(named)
})

test.each([
  ['the product', chart, example],
  ['the database', database, databaseExample],
])('values of the example of %s pass Helm’s lint without a warning', async (_, folder, values) => {
  expect(await helm('lint', '--strict', folder, '--values', values)).toContain('0 chart(s) failed')
})

test.each([
  ['the product', 'finance'],
  ['the database', 'database'],
])(
  'values of %s are each described and known: what values.yaml has is in the schema, and the reverse',
  async (_, folder) => {
    const schema = JSON.parse(await read(`infra/kubernetes/${folder}/values.schema.json`))
    const definition = (node: any) => ({
      ...node,
      ...schema.definitions[node.$ref?.split('/').at(-1)],
    })
    // Lists and maps of Kubernetes end a path, because their entries are the user's.
    const paths = (node: any, path: string): string[] => {
      const { properties = node.allOf === undefined ? {} : definition(node.allOf[0]).properties } =
        definition(node)
      if (path !== '') expect(node.description, path).toMatch(/^[A-Z][^\n]*\.$|^disable|^resend/)
      const inner = Object.entries(properties ?? {}).flatMap(([name, property]) =>
        paths(property, path === '' ? name : `${path}.${name}`)
      )
      return inner.length === 0 ? [path] : inner
    }
    const [values] = documents(await read(`infra/kubernetes/${folder}/values.yaml`)) as any[]
    const ofComponent =
      /^(edge|auth|data|readers|realtime|migrate)\.(?!enabled|replicas|resources|logLevel|jwtCacheEntries)/
    const described = paths(schema, '').filter((path) => !ofComponent.test(path))
    const present = (path: string) =>
      path.split('.').reduce((node: any, name) => node?.[name], values)
    const kubernetesOwn = /^(affinity\.|global$)/
    expect(described.filter((path) => !kubernetesOwn.test(path) && present(path) === undefined))
      .toEqual([])
  },
)
