/** Renders the chart of infra/kubernetes with Helm, without a cluster. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const root = join(import.meta.dirname, '../..')
export const chart = join(root, 'infra/kubernetes/finance')
export const example = join(root, 'infra/kubernetes/example.yaml')
/** The chart of the database, and its example. */
export const database = join(root, 'infra/kubernetes/database')
export const databaseExample = join(root, 'infra/kubernetes/example-database.yaml')
/** Reads a file of the repository. */
export const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8')
/** The newest version of Kubernetes in the schemas of this folder's packages. */
export const kubernetes = '1.34'

// A package of this folder, which only its tests install.
const { parseAllDocuments } = createRequire(import.meta.url)('yaml')

/** A manifest. The schemas check its content. */
export type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string, labels: Record<string, string>, annotations?: Record<string, string> }
  spec: any
  data?: any
}

/** Runs helm. @returns its output @throws with its error message */
export async function helm(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.env['HELM'] ?? 'helm', args, {
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout
}

/** Parses the YAML documents of a text. Duplicate keys are an error. */
export function documents(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap(
    (document: { errors: Error[], toJS: () => Manifest | null }) => {
      if (document.errors[0] !== undefined) throw document.errors[0]
      return document.toJS() ?? []
    },
  )
}

/** Renders a chart with the values of a file and these changes. */
const template = async (release: string, folder: string, file: string, values: string[]) =>
  documents(
    await helm(
      'template',
      release,
      folder,
      '--values',
      file,
      '--kube-version',
      kubernetes,
      ...values.flatMap((value) => ['--set-json', value]),
    ),
  )
/**
 * Renders the chart as the release `money` with the example's values and these changes, such as
 * `database.port=6432` or `settings={"LOG_LEVEL":"warn"}`.
 */
export const render = (...values: string[]): Promise<Manifest[]> =>
  template('money', chart, example, values)
/** Renders the chart of the database in the same way, as the release `money-database`. */
export const renderDatabase = (...values: string[]): Promise<Manifest[]> =>
  template('money-database', database, databaseExample, values)

/** Returns the manifest of this kind and name. */
export function one(manifests: Manifest[], kind: string, name: string): Manifest {
  const [found, ...more] = manifests.filter((manifest) =>
    manifest.kind === kind && manifest.metadata.name === name
  )
  if (found === undefined || more.length > 0)
    throw new Error(`${kind} ${name}: ${found === undefined ? 'none' : 'more than one'}`)
  return found
}

/** Returns all manifests that create pods, by component. */
export const workloads = (manifests: Manifest[]): Record<string, Manifest> =>
  Object.fromEntries(
    manifests.filter(({ spec }) => spec?.template !== undefined).map((
      manifest,
    ) => [manifest.metadata.labels['app.kubernetes.io/component'] ?? '', manifest]),
  )

/** Returns the pod templates of a component. */
export function podOf(manifests: Manifest[], component: string): any {
  const workload = workloads(manifests)[component]
  if (workload === undefined) throw new Error(`${component}: nothing makes its pods`)
  return workload.spec.template.spec
}

/** Returns the values of a container's variables. */
export const environment = (container: any): Record<string, string> =>
  Object.fromEntries(container.env.map(({ name, value }: any) => [name, value]))

/** The folder of the secrets in each pod. */
export const secretFolder = '/run/secrets/finance'

/** Returns the secrets of a pod: the path of each file, and its Secret and key. */
export const secretFiles = (pod: any): { path: string, secret: string, key: string }[] =>
  pod.volumes.filter(({ name }: any) => name === 'secrets').flatMap(({ projected }: any) =>
    projected.sources.map(({ secret: { name, items: [{ key, path }] } }: any) => ({
      path: `${secretFolder}/${path}`,
      secret: name,
      key,
    }))
  )

export const services = ['edge', 'auth', 'data'] as const
/** Returns the pod templates of all objects, and the pod of `helm test`. */
export const podsOf = (
  manifests: Manifest[],
) => [
  ...Object.values(workloads(manifests)).map(({ spec }) => spec.template),
  ...manifests.filter(({ kind }) => kind === 'Pod'),
]

export const verified = [
  'database.sslMode="verify-full"',
  'database.ca={"configMap":"database-ca","key":"root.pem"}',
]
/** The cluster of `renderDatabase` as the database, with reads on its standbys. */
export const onCluster = [
  'database={"host":"","cluster":"money-database","readers":"money-database-ro"}',
  'networkPolicy.database=[]',
]
export const collector =
  'networkPolicy.tracing.to=[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"observability"}}}]'
export const traced = [
  'settings.OTEL_EXPORTER_OTLP_ENDPOINT="http://collector.observability:4318"',
  collector,
]
/** Additions of a platform team to all pods. */
export const extras = [
  'affinity={"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"topologyKey":"zone","labelSelector":{}}}]}}',
  'nodeSelector={"pool":"money"}',
  'tolerations=[{"key":"money","operator":"Exists"}]',
  'priorityClassName="important"',
  'annotations={"example.org/team":"finance"}',
  'podAnnotations={"example.org/mesh":"on"}',
  'podLabels={"example.org/cost":"4711"}',
  'extraEnv=[{"name":"NODE_EXTRA_CA_CERTS","value":"/etc/authorities/ca.crt"},{"name":"NODE_IP","valueFrom":{"fieldRef":{"fieldPath":"status.hostIP"}}}]',
  'extraEnvFrom=[{"configMapRef":{"name":"region"}}]',
  'extraVolumes=[{"name":"authorities","configMap":{"name":"authorities"}}]',
  'extraVolumeMounts=[{"name":"authorities","mountPath":"/etc/authorities","readOnly":true}]',
  'serviceAccount.annotations={"example.org/role":"reader"}',
  'httpRoute={"enabled":true,"parentRefs":[{"name":"public","namespace":"gateways","sectionName":"https"}]}',
]
/** All optional parts. */
export const everything = [
  ...verified,
  'monitoring={"enabled":true,"labels":{"release":"prometheus"}}',
  'settings={"LOG_LEVEL":"warn"}',
  'realtime.enabled=true',
  ...traced,
  'imagePullSecrets=[{"name":"registry"}]',
  ...extras,
]

/** The items of one set that another does not have. */
export const without = <Item>(all: Set<Item>, some: Set<Item>) =>
  new Set([...all].filter((item) => !some.has(item)))
