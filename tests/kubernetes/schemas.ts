/**
 * Compares manifests with the published schemas of Kubernetes and of the operators, which are
 * packages of this folder.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root, type Manifest } from './chart.ts'
import { modules } from './global.ts'

/** The packages by API group. Groups of Kubernetes itself have the default. */
const packages: Record<string, string> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
  'external-secrets.io': '@kubernetes-models/external-secrets',
}
/** Returns the module with the schema and the type of a manifest. */
const moduleOf = ({ apiVersion, kind }: Manifest): string =>
  `${packages[apiVersion.split('/')[0] ?? ''] ?? 'kubernetes-models'}/${apiVersion}/${kind}`

/** Returns what the schema refuses in an object of this module, or an empty text. */
export async function problemOf(module: string, kind: string, object: unknown): Promise<string> {
  const { [kind]: Model } = await import(join(modules, `${module}.js`))
  try {
    new Model(object).validate()
    return ''
  } catch (error) {
    return String(error)
  }
}
/** Returns what the schema of its kind refuses in a manifest, or an empty text. */
export const schemaProblem = (manifest: Manifest): Promise<string> =>
  problemOf(moduleOf(manifest), manifest.kind, manifest)

/** Returns the compiler's messages about fields that the types of the manifests do not have. */
export async function unknownFields(manifests: Manifest[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'finance-manifests-'))
  try {
    await symlink(modules, join(directory, 'node_modules'))
    const lines = manifests.map((manifest, index) =>
      `const m${index}: import('${moduleOf(manifest)}').I${manifest.kind} = ${
        JSON.stringify(manifest)
      }\nvoid m${index}\n`
    )
    await writeFile(join(directory, 'manifests.ts'), lines.join(''))
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      '',
    ]
    return await promisify(execFile)(
      join(root, 'node_modules/.bin/tsc'),
      [...flags, 'manifests.ts'],
      { cwd: directory },
    ).then(() => '', ({ stdout }) => stdout)
  } finally {
    await rm(directory, { recursive: true })
  }
}
