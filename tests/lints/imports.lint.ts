/**
 * The import graph has one direction: no cycles, and each folder imports only the folders it may.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const files = globSync(
  '{admin,auth,bank-files,client,common,db,edge,http,infra,rates,realtime,start,storage,tests}/**/*.ts',
  { cwd: root },
).filter((file) => !file.startsWith('client/dist/'))

const importsOf = (file: string): string[] =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /(?:from|import\()\s*'(\.{1,2}\/[^']+\.ts)'/g,
    ),
  ].map(([, path = '']) => normalize(join(file, '..', path)))

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

/** It composes realtime/ and identity. */
const composed = 'realtime/main.ts'

test('no file imports itself, directly or through others', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(circle()).toBeUndefined()
})

const edgeExceptErrors = files.filter((file) =>
  file.startsWith('edge/') && file !== 'edge/reject.ts'
)
const httpExceptDescription = files.filter((file) =>
  file.startsWith('http/') && !file.startsWith('http/openapi/')
)
/** The rooms beside identity. auth/main.ts and realtime/main.ts compose them by their index.ts. */
const surfaces = ['realtime/', 'storage/', 'rates/']
const deployments = ['admin/', 'edge/', 'infra/', 'start/']
const programs = [...deployments, 'auth/', 'client/', 'tests/']

test.each([
  [
    'auth/engine/',
    ['auth/pages/', 'auth/features/'],
    'services.ts connects the features with the hooks of better-auth',
  ],
  ['auth/features/', ['auth/pages/'], 'features only define handlers, which the policy calls'],
  [
    'auth/keys/',
    ['auth/pages/', 'auth/features/', 'auth/engine/'],
    'better-auth depends on the keys, not the reverse',
  ],
  [
    'auth/mail/',
    ['auth/pages/', 'auth/features/', 'auth/engine/', 'auth/keys/'],
    'mail is a job and depends on no feature',
  ],
  ['auth/', deployments, 'the service does not depend on its deployment'],
  [
    'http/',
    [...programs.filter((room) => room !== 'edge/'), ...edgeExceptErrors, ...surfaces],
    'what serves rows knows no row, and describes the edge’s errors',
  ],
  [
    'realtime/',
    [...programs, 'http/openapi/', 'storage/', 'rates/'],
    'its handlers get identity from http/route.ts',
  ],
  [
    'storage/',
    [...programs, 'http/openapi/', 'realtime/', 'rates/'],
    'its handlers get identity from http/route.ts',
  ],
  ['rates/', [...programs, 'http/openapi/', 'realtime/', 'storage/'], 'it only downloads'],
  [
    'edge/',
    ['admin/', 'auth/', 'db/', 'http/', 'infra/', 'start/', ...surfaces],
    'the edge depends on no service, deployment or database',
  ],
  [
    'admin/',
    ['auth/engine/', 'auth/features/', 'auth/pages/', 'auth/keys/', ...surfaces],
    'the operator’s command uses the database and the mail transport',
  ],
  [
    'db/',
    ['auth/', 'admin/', 'http/', 'infra/', 'start/', ...surfaces],
    'the database depends on no program',
  ],
  [
    'client/',
    ['admin/', 'auth/', 'db/', 'http/', 'infra/', 'start/', ...surfaces],
    'an app installs only the client',
  ],
  ['http/openapi/', httpExceptDescription, 'the description reads the catalogue'],
  ['common/', [...programs, 'db/', 'http/', ...surfaces], 'shared code depends on no program'],
])('%s imports nothing of %j: %s', (room, others) => {
  const inside = files.filter((file) => file.startsWith(room) && file !== composed)
  expect(inside).not.toEqual([])
  expect(
    inside.flatMap((file) =>
      (graph.get(file) ?? []).filter((to) => others.some((other) => to.startsWith(other)))
        .map((to) => `${file} → ${to}`)
    ),
  ).toEqual(
    [],
  )
})

test('a room is reached by its index.ts; only its own files, tests and benchmarks read others', () => {
  const others = files.filter((file) => !file.startsWith('tests/'))
  const inside = others.flatMap((file) => (graph.get(file) ?? []).map((to) => [file, to] as const))
    .filter(([file, to]) =>
      surfaces.some((room) =>
        to.startsWith(room) && !file.startsWith(room) && to !== `${room}index.ts`
      )
    )
  expect(inside).toEqual([])
  expect(graph.get(composed)?.filter((to) => to.startsWith('auth/'))).toEqual(['auth/index.ts'])
})
