/** The import graph has one direction: no cycles, and each folder imports only the folders it may. */
import { globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = globSync('{admin,auth,bench,client,common,db,description,edge,infra,tests}/**/*.ts', { cwd: root }).filter((file) =>
  !file.startsWith('client/dist/')
)

const importsOf = (file: string): string[] =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\()\s*'(\.{1,2}\/[^']+\.ts)'/g)].map(([, path = '']) => normalize(join(file, '..', path)))

const graph = new Map(files.map((file) => [file, importsOf(file)]))

/** Returns the first import cycle, including type imports, as a list of files. */
function circle(): string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    done.add(file)
    for (const next of graph.get(file) ?? []) {
      const found = visit(next, [...path, file])
      if (found !== undefined) return found
    }
    return undefined
  }
  for (const file of files) {
    const found = visit(file, [])
    if (found !== undefined) return found
  }
  return undefined
}

test('no file imports itself, directly or through others', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(circle()).toBeUndefined()
})

const edgeExceptRefusals = files.filter((file) => file.startsWith('edge/') && file !== 'edge/refuse.ts')

test.each([
  ['auth/engine/', ['auth/http/', 'auth/features/', 'infra/local/'], 'services.ts connects the features with the hooks of better-auth'],
  ['auth/features/', ['auth/http/', 'infra/local/'], 'features only define handlers, which the policy calls'],
  ['auth/keys/', ['auth/http/', 'auth/features/', 'auth/engine/'], 'better-auth depends on the keys, not the reverse'],
  ['auth/mail/', ['auth/http/', 'auth/features/', 'auth/engine/', 'auth/keys/'], 'mail is a job and depends on no feature'],
  ['auth/', ['admin/', 'edge/', 'infra/local/', 'infra/docker/'], 'the service does not depend on its deployment'],
  ['edge/', ['admin/', 'db/', 'infra/local/', 'infra/docker/'], 'the edge does not depend on its deployment or on a database'],
  ['admin/', ['auth/engine/', 'auth/features/', 'auth/http/', 'auth/keys/'], 'the operator’s command uses the database and the mail transport'],
  ['db/', ['auth/', 'admin/', 'infra/'], 'the database depends on no program'],
  ['client/', ['admin/', 'auth/', 'db/', 'infra/'], 'an app installs only the client'],
  ['description/', ['admin/', 'infra/', ...edgeExceptRefusals], 'the description reads routes and the catalogue, and of the edge its refusals'],
  ['common/', ['auth/', 'admin/', 'client/', 'db/', 'description/', 'edge/', 'infra/local/'], 'shared code depends on no program'],
])('%s imports nothing of %j: %s', (room, others) => {
  const inside = files.filter((file) => file.startsWith(room))
  expect(inside).not.toEqual([])
  expect(inside.flatMap((file) => (graph.get(file) ?? []).filter((to) => others.some((other) => to.startsWith(other))).map((to) => `${file} → ${to}`))).toEqual(
    [],
  )
})
