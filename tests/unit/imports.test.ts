/** The parts point one way: no file reaches itself by its imports, and each room knows only those it may. */
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

/** The first circle there is, types included, as the files one passes. */
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

test('no file imports itself, by however many others', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(circle()).toBeUndefined()
})

const edgeExceptRefusals = files.filter((file) => file.startsWith('edge/') && file !== 'edge/refuse.ts')

test.each([
  ['auth/engine/', ['auth/http/', 'auth/features/', 'infra/local/'], 'services.ts connects the features to the hooks of the engine'],
  ['auth/features/', ['auth/http/', 'infra/local/'], 'a feature has handlers, which the policy calls'],
  ['auth/keys/', ['auth/http/', 'auth/features/', 'auth/engine/'], 'the keys serve the engine'],
  ['auth/mail/', ['auth/http/', 'auth/features/', 'auth/engine/', 'auth/keys/'], 'mail is a job'],
  ['auth/', ['admin/', 'edge/', 'infra/local/', 'infra/docker/'], 'the service runs wherever it is put'],
  ['edge/', ['admin/', 'db/', 'infra/local/', 'infra/docker/'], 'the edge runs wherever it is put, and asks no database'],
  ['admin/', ['auth/'], 'the operator works on the database alone'],
  ['db/', ['auth/', 'admin/', 'infra/'], 'the database knows nobody'],
  ['client/', ['admin/', 'auth/', 'db/', 'infra/'], 'an app has the client alone'],
  ['description/', ['admin/', 'infra/', ...edgeExceptRefusals], 'the description reads rows and the catalogue, and of the edge its refusals'],
  ['common/', ['auth/', 'admin/', 'db/', 'infra/local/'], 'what everybody uses uses nobody'],
])('%s imports nothing of %j: %s', (room, others) => {
  const inside = files.filter((file) => file.startsWith(room))
  expect(inside).not.toEqual([])
  expect(inside.flatMap((file) => (graph.get(file) ?? []).filter((to) => others.some((other) => to.startsWith(other))).map((to) => `${file} → ${to}`))).toEqual(
    [],
  )
})
