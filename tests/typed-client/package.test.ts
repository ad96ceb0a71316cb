/** The client as a package: packed, installed in another project, with its README as the app. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createClient, unwrap } from '../../client/index.ts'
import { password, signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

let stack: Stack
let project: string

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'finance-app-'))
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: 'app', private: true, type: 'module' }),
  )
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', project], {
    cwd: join(root, 'client'),
  })
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', stdout.trim()], {
    cwd: project,
  })
  stack = await startStack({ data: true })
})
afterAll(async () => {
  await stack?.close()
  await rm(project, { recursive: true })
})

const packed = () => join(project, 'node_modules/finance-client')

/** A browser's cookies in Node, because the README is about a browser. */
const withCookies = `
const jar = new Map()
const plain = globalThis.fetch
globalThis.fetch = async (url, init = {}) => {
  const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
  const response = await plain(url, { ...init, headers: { cookie, ...init.headers } })
  for (const line of response.headers.getSetCookie()) jar.set(...line.split(';')[0].split(/=(.*)/, 2))
  return response
}
`

const readmeCode = async () => {
  const page = await readFile(join(packed(), 'README.md'), 'utf8')
  return [...page.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code).join('\n')
    .replaceAll('https://money.example.org', stack.url)
}

/** Returns the compiler's output for a file of the project. */
async function complaintsAbout(file: string, code: string): Promise<string[]> {
  await writeFile(join(project, file), code)
  const settings = [
    '--noEmit',
    '--strict',
    '--noErrorTruncation',
    '--target',
    'es2022',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--lib',
    'es2022,dom',
  ]
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), [...settings, file], {
    cwd: project,
  }).catch((error: { stdout: string }) => error)
  return stdout.split('\n').filter((line) => line.includes('error TS'))
}

/** Removes comment lines and indentation, which is less than a minifier does. */
async function compressed(files: string[]): Promise<number> {
  const scripts = await Promise.all(
    files.filter((file) => file.endsWith('.js')).map((file) =>
      readFile(join(packed(), file), 'utf8')
    ),
  )
  const code = scripts.join('\n').replace(/^\s*(\/\*\*|\*|\/\/).*$/gm, '').replace(/^\s+/gm, '')
  return gzipSync(code, { level: 9 }).length
}

test('the package has compiled code, its types and its README, and is under 15 kB compressed', async () => {
  const files = await readdir(packed(), { recursive: true })
  expect(
    files.filter((file) =>
      !/^dist\/(client\/(export\/)?|bank-files\/)[a-z-]+\.(js|d\.ts)$/.test(file)
    ).toSorted(),
  ).toEqual([
    'README.md',
    'dist',
    'dist/bank-files',
    'dist/client',
    'dist/client/export',
    'package.json',
  ])
  const size = await compressed(
    files.filter((file) => !/^dist\/(client\/export|bank-files)\//.test(file)),
  )
  expect(size).toBeGreaterThan(2_000)
  expect(size).toBeLessThan(15_000)
})

test.each(['bank-files', 'client', 'client/mcp'])(
  '%s could be published: its manifest is complete, and only compiled files go along',
  async (directory) => {
    const { stdout } = await run('npm', ['publish', '--dry-run', '--json'], {
      cwd: join(root, directory),
    })
    const [one] = Object.values<{ name: string, files: { path: string }[] }>(
      JSON.parse(stdout.slice(stdout.indexOf('{'))),
    )
    const { name, private: isPrivate, license, description } = JSON.parse(
      await readFile(join(root, directory, 'package.json'), 'utf8'),
    )
    expect(one).toMatchObject({ name })
    expect({ isPrivate, license, description }).toEqual({
      isPrivate: undefined,
      license: 'MIT',
      description: expect.any(String),
    })
    expect(
      one?.files.map(({ path }) => path).filter((path) =>
        !/^(dist\/.*\.(js|d\.ts)|README\.md|package\.json)$/.test(path)
      ),
    ).toEqual([])
  },
)

test('the package of bank files needs no other of the product, and its README shows what it prints', async () => {
  const separate = await mkdtemp(join(tmpdir(), 'bank-files-'))
  onTestFinished(() => rm(separate, { recursive: true }))
  await writeFile(
    join(separate, 'package.json'),
    JSON.stringify({ name: 'reader', private: true, type: 'module' }),
  )
  const { stdout: archive } = await run(
    'npm',
    ['pack', '--silent', '--pack-destination', separate],
    {
      cwd: join(root, 'bank-files'),
    },
  )
  await run('npm', ['install', '--silent', '--no-audit', '--no-fund', archive.trim()], {
    cwd: separate,
  })
  expect(
    (await readdir(join(separate, 'node_modules'))).filter((name) => name.startsWith('finance-')),
  ).toEqual(['finance-bank-files'])
  const page = await readFile(join(separate, 'node_modules/finance-bank-files/README.md'), 'utf8')
  await writeFile(join(separate, 'readme.js'), /^```js\n([^]*?)^```$/m.exec(page)?.[1] ?? '')
  const { stdout } = await run(process.execPath, ['readme.js'], { cwd: separate })
  expect(stdout).toBe('2025-01-13 Café -3.5 eur\nline 3: "free" is not an amount.\n')
})

test('a query of an editor is shown by the name of the schema, not by all of its tables', async () => {
  const start =
    `import { createClient } from 'finance-client'\nconst finance = createClient({ baseUrl: '' })\n`
  const [rows = '', report = ''] = await complaintsAbout(
    'hover.ts',
    `${start}export const a: number = finance.data.from('tags').select('name')\nexport const b: number = finance.data.rpc('get_cash_flow')\n`,
  )
  for (const [type, longest] of [[rows, 800], [report, 600]] as const) {
    expect(type).toContain(', Api, ')
    expect(type.length).toBeLessThan(longest)
  }
})

test('an app without bank files and exports does not load their code', async () => {
  const files = await readdir(packed(), { recursive: true })
  const main = files.filter((file) => /^dist\/client\/[^/]+\.js$/.test(file))
  const imports = await Promise.all(
    main.map(async (file) =>
      [...(await readFile(join(packed(), file), 'utf8')).matchAll(/from '([^']+)'/g)]
        .map(([, from]) => from)
    ),
  )
  expect(imports.flat().filter((from) => !/^\.\/[a-z]+\.js$/.test(from ?? ''))).toEqual([
    '@supabase/postgrest-js',
  ])
  expect(await compressed(files.filter((file) => file.startsWith('dist/bank-files/'))))
    .toBeLessThan(64_000)
  expect(await compressed(files.filter((file) => file.startsWith('dist/client/export/'))))
    .toBeLessThan(13_000)
})

test('two lines are enough for an app', async () => {
  await writeFile(
    join(project, 'two-lines.js'),
    `import { createClient } from 'finance-client'
console.log((await createClient({ baseUrl: '${stack.url}' }).auth.jwks()).keys.length)`,
  )
  expect((await run(process.execPath, ['two-lines.js'], { cwd: project })).stdout).toBe('1\n')
})

test('the examples of its README compile and work as it says', async () => {
  const code = await readmeCode()
  expect(await complaintsAbout('readme.ts', code)).toEqual([])
  await writeFile(join(project, 'cookies.js'), withCookies)
  const { stdout } = await run(process.execPath, ['--import', './cookies.js', 'readme.ts'], {
    cwd: project,
  })
  expect(stdout.trim().split('\n')).toEqual([
    'signed-in null',
    'Ann',
    '0 false',
    'Food',
    '-3.5',
    'Line 4 ROW_CHANGED',
    '11 of 11 bytes',
    'text/plain true 200',
    '11 1073741813',
    'line 3: "free" is not an amount.',
    'new',
    '0 { stored: 1, present: 0 } []',
    '{ stored: 0, present: 4 } []',
    `400 23514 [ 'name' ]`,
    'signed-out undefined',
    'signed out',
    '401',
  ])
})

test('the script of its README prints the rows that the key can read', async () => {
  const ann = await signedIn(stack, 'Ann')
  const keyOf = async (role: string) =>
    (await ann.post('/api-key/create', { name: 'script', expiresInDays: 9, role, password })).body
      .key as string
  await unwrap(
    createClient({ baseUrl: stack.url, apiKey: await keyOf('editor') }).data.from('transactions')
      .insert({ name: 'Coffee', amount: -3.5 }),
  )
  const page = await readFile(join(packed(), 'README.md'), 'utf8')
  const [, script = ''] = /^```js\n([^]*?)^```$/m.exec(page) ?? []
  await writeFile(
    join(project, 'script.js'),
    script.replace('https://money.example.org', stack.url),
  )
  const { stdout } = await run(process.execPath, ['script.js'], {
    cwd: project,
    env: { FINANCE_API_KEY: await keyOf('viewer') },
  })
  expect(stdout).toBe('no category -3.5 usd\n')
})

test('the compiler refuses calls that the service would refuse', async () => {
  const lines = [
    `await finance.data.from('transactions').insert({ name: 'Coffee' })`,
    `await finance.data.from('transactions').update({ created_at: 'now' })`,
    `await finance.data.from('app_subscriptions').insert({ status: 'sub_active' })`,
    `await finance.data.from('invoices').select()`,
    `await finance.data.rpc('get_cash_flow', { grouping: 'hourly' })`,
    `await finance.data.rpc('get_budget')`,
    `;(await unwrap(finance.data.from('transactions').select('name, category:categories(name)')))[0]?.category?.color`,
    `;(await unwrap(finance.data.from('transactions').select('nonsense')))[0]?.nonsense.length`,
    `await finance.auth.signIn({ email: 'ann@example.com' })`,
    `await finance.auth.organization.inviteMember({ organizationId: '', email: '', role: 'owner' })`,
  ]
  const start =
    `import { createClient, unwrap } from 'finance-client'\nconst finance = createClient({ baseUrl: '' })\n`
  const complaints = await complaintsAbout('wrong.ts', start + lines.join('\n'))
  const refused = new Set(complaints.map((line) => Number(/\((\d+),/.exec(line)?.[1]) - 3))
  expect(lines.filter((_, index) => !refused.has(index))).toEqual([])
})
