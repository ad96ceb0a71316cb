/**
 * Redocly reports no warning for the OpenAPI documents, and types by openapi-typescript accept all
 * requests of the docs.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { page as dataMarkdown, sections, startDataPage } from '../support/data-page.ts'
import { dataStack } from '../support/data.ts'
import { recorder, type Sent } from './recorder.ts'
import { descriptionFile, tool } from './tools.ts'

const root = join(import.meta.dirname, '../..')
let directory: string
let file: string
let wholeRows: string
let description: any

const run = async (
  program: string,
  ...options: string[]
): Promise<{ code: number, output: string }> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [
      tool(program),
      ...options,
    ], {
      cwd: directory,
      env: { ...process.env, NO_COLOR: '1' },
    })
    return { code: 0, output: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number, stdout: string, stderr: string }
    return { code, output: stdout + stderr }
  }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'finance-description-'))
  ;({ file, wholeRows, description } = await descriptionFile(directory))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test.each(['openapi.json', 'openapi-whole-rows.json'])(
  'Redocly finds no violation of its recommended rules in %s',
  async (name) => {
    // Its summary for people is a sentence; its JSON has a number.
    const { code, output } = await run(
      '@redocly/cli/bin/cli.js',
      'lint',
      join(directory, name),
      '--extends',
      'recommended',
      '--format',
      'json',
    )
    expect(code, output).toBe(0)
    expect(JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)).totals)
      .toMatchObject({ errors: 0, warnings: 0 })
  },
)

/** A request in the form of the types. */
function typed({ method, path, headers, body }: Sent): string {
  const url = new URL(path, 'http://data')
  const { parameters = [] } = description.paths[url.pathname][method.toLowerCase()]
  const byName = new Map(parameters.map((parameter: { $ref?: string }) => {
    const found = parameter.$ref === undefined
      ? parameter
      : description.components.parameters[parameter.$ref.slice('#/components/parameters/'.length)]
    return [found.name, found]
  }))
  const query: Record<string, unknown> = {}
  const embedded: Record<string, unknown> = {}
  for (const name of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(name)
    const { schema } = (byName.get(name) ?? { schema: {} }) as { schema: { type?: string } }
    const value = values.length > 1
      ? values
      : schema.type === 'integer'
      ? Number(values[0])
      : values[0]
    if (byName.has(name)) query[name] = value
    else embedded[name] = value
  }
  const header = typeof headers['prefer'] === 'string' ? { Prefer: headers['prefer'] } : undefined
  const isJson = headers['content-type']?.startsWith('application/json') === true
  return request(method, url.pathname, {
    query: Object.keys(embedded).length > 0
      ? { ...query, embedded }
      : Object.keys(query).length > 0
      ? query
      : undefined,
    header,
    body: body === '' ? undefined : isJson ? JSON.parse(body) : body,
  })
}

const request = (method: string, path: string, parts: Record<string, unknown>): string =>
  `take<'${path}', '${method.toLowerCase()}'>(${JSON.stringify(parts)})\n`

/** Returns the requests of the README's main job to one of the two addresses. */
async function readmeRequests(): Promise<string[]> {
  const page = await readFile(join(root, 'README.md'), 'utf8')
  return [...page.matchAll(/curl [^\n]*?"?\$(AUTH|DATA)(\/[^\s"?;)]*)(?:\?([^\s"]*))?([^\n]*)/g)]
    .map(([line, surface, path = '', query, rest = '']) => {
      // Replaces a shell variable inside of a text by some text.
      const body = / -d ((?:'[^']*'|\$\w+)+)/.exec(rest)?.[1]?.replaceAll(/'|\$(\w+)/g, '$1')
      const method = / -X (\w+)/.exec(line)?.[1] ?? (body === undefined ? 'GET' : 'POST')
      return request(method, surface === 'AUTH' ? `/api/auth${path}` : path, {
        query: query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query)),
        body: body === undefined ? undefined : JSON.parse(body),
      })
    })
}

const prelude = `import type { paths } from './api.ts'
type Contents<Operation> = Operation extends { requestBody?: { content: infer Content } } ? Content[keyof Content] : never
type Parameters<Operation> = Operation extends { parameters: infer Given } ? Given : never
declare function take<Path extends keyof paths, Method extends keyof paths[Path]>(request: {
  query?: Parameters<paths[Path][Method]> extends { query?: infer Query } ? Query : never
  header?: Parameters<paths[Path][Method]> extends { header?: infer Header } ? Header : never
  body?: Contents<paths[Path][Method]>
}): void
`

async function compile(program: string): Promise<string> {
  await writeFile(join(directory, 'program.mts'), program)
  const { output } = await run(
    'typescript/bin/tsc',
    ...'--noEmit --strict --exactOptionalPropertyTypes --allowImportingTsExtensions --target es2022 --module nodenext --moduleResolution nodenext program.mts'
      .split(' '),
  )
  return output
}

/** Generates the types of a description, as api.ts. */
async function generateTypes(ofFile: string): Promise<void> {
  const { code, output } = await run(
    'openapi-typescript/bin/cli.js',
    ofFile,
    '--output',
    join(directory, 'api.ts'),
  )
  expect(code, output).toBe(0)
}

test('types by openapi-typescript accept every request of README.md and docs/data.md, and no wrong one', async () => {
  const stack = await dataStack()
  const between = await recorder(stack.url)
  const dataPage = await startDataPage(stack, between.url)
  try {
    for (const { examples } of sections) await dataPage.run(examples)
  } finally {
    await dataPage.close()
    between.close()
    await stack.stop()
  }
  await generateTypes(file)
  const requests = [...await readmeRequests(), ...between.sent.map(typed)]
  expect(requests.length).toBeGreaterThan(70)
  expect(await compile(prelude + requests.join(''))).toBe('')
  const row = { name: 'Coffee', amount: -3.5 }
  const wrong = [
    request('POST', '/transactions', { body: { amount: -3.5 } }),
    request('POST', '/transactions', { body: { ...row, status: 'done' } }),
    request('POST', '/transactions', { body: { ...row, colour: 'red' } }),
    request('POST', '/rpc/get_cash_flow', { body: { grouping: 'hourly' } }),
    request('GET', '/transactions', { query: { limit: 'many' } }),
    request('POST', '/api/auth/sign-in/email', { body: { email: 'ann@example.com' } }),
  ]
  const refused = [...(await compile(prelude + wrong.join(''))).matchAll(/^program\.mts\((\d+),/gm)]
    .map(([, line]) => Number(line))
  const first = prelude.split('\n').length
  expect([...new Set(refused)]).toEqual(wrong.map((_, at) => first + at))
})

test('the program of docs/data.md for openapi-fetch compiles: no answer is a union that it must narrow', async () => {
  await generateTypes(wholeRows)
  await symlink(join(import.meta.dirname, 'node_modules'), join(directory, 'node_modules'))
  const [program = ''] = /^ {4}import createClient[^]*?(?=^\S)/m.exec(dataMarkdown) ?? []
  const given = 'declare const dataUrl: string, token: string\n'
  expect(program).toContain('GET')
  expect(await compile(`${given}${program}// @ts-expect-error: no such column\nrows[0]?.colour\n`))
    .toBe('')
})
