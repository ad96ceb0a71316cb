/** docs/data.md, done as it says: every example in order, one story, against the real PostgREST. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { dataStack, type DataStack } from '../support/data.ts'

const root = join(import.meta.dirname, '../..')
const page = await readFile(join(root, 'docs/data.md'), 'utf8')

/** An example, and the answer that is shown after it; between the two there may be other examples and nothing else. */
type Example = { language: 'sh' | 'ts', refused: boolean, code: string, answer?: Answer }
type Answer = { language: 'json' | 'text', text: string }

function examplesOf(section: string): Example[] {
  const examples: Example[] = []
  let waiting: Example[] = []
  let end = 0
  for (const block of section.matchAll(/^```(.*)\n([^]*?)^```$/gm)) {
    const [whole, tag = '', text = ''] = block
    if (section.slice(end, block.index).trim() !== '') waiting = []
    end = block.index + whole.length
    const [language, mark] = tag.split(' ')
    if (language === 'sh' || language === 'ts') {
      const example: Example = { language, refused: mark === 'error', code: text }
      examples.push(example)
      waiting.push(example)
    } else if (language === 'json' || language === 'text') {
      if (waiting.length === 0) throw new Error(`no example gives this answer: ${text}`)
      for (const example of waiting) example.answer = { language, text }
      waiting = []
    } else {
      throw new Error(`a block of docs/data.md is not tagged sh, ts, json or text: ${tag}`)
    }
  }
  return examples
}

const sections = page.split(/^##+ /m).slice(1)
  .map((section) => ({ title: section.slice(0, section.indexOf('\n')), examples: examplesOf(section) }))
  .filter(({ examples }) => examples.length > 0)

/** What an example did: the statuses it met, and what it printed. */
type Outcome = { statuses: number[], printed: unknown[] }

let stack: DataStack
let directory: string
let runShell: (code: string) => Promise<Outcome>
let runTypeScript: () => Promise<Outcome>

beforeAll(async () => {
  stack = await dataStack()
  directory = await mkdtemp(join(tmpdir(), 'finance-docs-'))
  const [ann, vic] = [await stack.person('ann'), await stack.person('vic')]
  const organization = await stack.organization({ owner: ann, viewer: vic })
  await stack.owner.query(`insert into api.app_subscriptions (user_id, product_id, period_end) values ($1, 'teams', now() + interval '1 year')`, [ann.id])
  const tokens = {
    token: await stack.as(ann).token(),
    oldToken: await stack.as(ann).token({ exp: Math.floor(Date.now() / 1000) - 60 }),
    teamToken: await stack.as(ann, organization).token(),
    viewerToken: await stack.as(vic, organization).token(),
  }
  runShell = shell({
    PATH: process.env['PATH'],
    DATA: stack.url,
    TOKEN: tokens.token,
    TEAM_TOKEN: tokens.teamToken,
    VIEWER_TOKEN: tokens.viewerToken,
    ORGANIZATION_ID: organization.id,
  })
  runTypeScript = await typeScript({ dataUrl: stack.url, authUrl: 'http://localhost:3000/api/auth', ...tokens })
})
afterAll(async () => {
  vi.unstubAllGlobals()
  await rm(directory, { recursive: true, force: true })
  await stack.stop()
})

/** Each block is a bash of its own, as strict as can be; the variables go from one to the next. */
function shell(env: Record<string, string | undefined>): typeof runShell {
  const variables = join(directory, 'variables')
  const prelude = `
    trap 'env -0 >${variables}' EXIT
    curl() { command curl --write-out '%{stderr}status %{http_code}\\n' "$@"; }
  `
  return async (code) => {
    // -a: what a block sets is in its environment at the end
    const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-ac', prelude + code], { env, cwd: directory })
    env = Object.fromEntries(
      (await readFile(variables, 'utf8')).split('\0').filter((line) => /^\w+=/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )
    return {
      statuses: [...stderr.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status)),
      printed: stdout === '' ? [] : [stdout.replaceAll('\r', '')],
    }
  }
}

/** All blocks are one program, which stops after each of them. */
async function typeScript(given: Record<'dataUrl' | 'authUrl' | 'token' | 'oldToken' | 'teamToken' | 'viewerToken', string>): Promise<typeof runTypeScript> {
  const outcome: Outcome = { statuses: [], printed: [] }
  const real = fetch
  vi.stubGlobal('fetch', async (url: string | URL, init?: RequestInit) => {
    // the one call of the page that is not the data surface's; that it works is tested where the auth surface is
    if (String(url) === `${given.authUrl}/token`) {
      // a refusal that is answered with a new token is no failure
      expect(outcome.statuses.pop()).toBe(401)
      return Response.json({ token: given.token })
    }
    const response = await real(url, init)
    outcome.statuses.push(response.status)
    return response
  })
  const log = (...values: unknown[]) => {
    outcome.printed.push(values.length === 1 ? values[0] : values.join(' '))
  }

  const blocks = sections.flatMap(({ examples }) => examples).filter(({ language }) => language === 'ts')
  const program = blocks.map(({ code }) => code).join('yield\n')
  const imports = /^import .*$/gm
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  await writeFile(
    join(directory, 'page.mts'),
    `
${program.match(imports)?.join('\n')}
type Given = { ${Object.keys(given).map((name) => `${name}: string`).join(', ')}, console: { log(...values: unknown[]): void } }
export default async function* story({ ${Object.keys(given).join(', ')}, console }: Given) {
${program.replaceAll(imports, '')}
}`,
  )
  const { default: story } = await import(/* @vite-ignore */ pathToFileURL(join(directory, 'page.mts')).href) as { default: (given: unknown) => AsyncGenerator }
  const told = story({ ...given, console: { log } })
  return async () => {
    outcome.statuses = []
    outcome.printed = []
    await told.next()
    return { ...outcome }
  }
}

/** A shown text: `…` in it stands for anything. */
const shown = (text: string) => new RegExp(`^${text.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)).join('[^]*')}$`)

/** A shown value as what to expect: `…` stands for anything, and the key `…` for any other keys. */
function expected(value: unknown): unknown {
  if (typeof value === 'string') return value === '…' ? expect.anything() : value.includes('…') ? expect.stringMatching(shown(value)) : value
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object' || value === null) return value
  const { '…': others, ...rest } = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, expected(part)]))
  return others === undefined ? rest : expect.objectContaining(rest)
}

test.each(sections)('“$title” can be done as the page says, and answers what it shows', async ({ examples }) => {
  for (const { language, refused, code, answer } of examples) {
    const { statuses, printed } = language === 'sh' ? await runShell(code) : await runTypeScript()
    expect.soft(statuses.some((status) => status >= 400), `${statuses.join(' ')} ${JSON.stringify(printed)}\n${code}`).toBe(refused)
    if (answer === undefined) continue
    expect.soft(printed, code).toHaveLength(1)
    if (answer.language === 'text') expect.soft(String(printed[0]).trim()).toMatch(shown(answer.text.trim()))
    else expect.soft(language === 'sh' ? JSON.parse(String(printed[0])) : printed[0]).toEqual(expected(JSON.parse(answer.text)))
  }
})

test('every table and every function is on the page', async () => {
  const { body } = await stack.anonymous.get('/', { accept: 'application/openapi+json' })
  const names = Object.keys(body.paths).map((path) => path.split('/').at(-1) ?? '').filter((name) => name !== '')
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !page.includes(name))).toEqual([])
})

test('the TypeScript of the page compiles, strictly', async () => {
  const options = '--noEmit --strict --skipLibCheck --target es2024 --lib es2024,dom --module nodenext --moduleResolution nodenext page.mts'
  const compiler = join(root, 'node_modules/.bin/tsc')
  const { stdout } = await promisify(execFile)(compiler, options.split(' '), { cwd: directory }).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

test('every error of the table is met as the table says', async () => {
  const mine = stack.as(await stack.person('error'))
  const row = { name: 'x', amount: 1 }
  const merge = { prefer: 'resolution=merge-duplicates' }
  const imported = { ...row, source: 'bank', external_id: '1' }
  await mine.create('transactions', imported)
  const answers = [
    await mine.get('/transactions?id=eq.1'),
    await mine.post('/transactions', 'name,amount,transaction_date\nx,1,', { 'content-type': 'text/csv' }),
    await mine.get('/transactions?transaction_date=gte.2025-02-30'),
    await mine.post('/transactions', { ...row, amount: 1e12 }),
    await mine.post('/transactions', { ...row, status: 'done' }),
    await mine.post('/transactions', { name: 'x' }),
    await mine.post('/rpc/get_transaction_stat', { p_aggregate_fn: 'max' }),
    await mine.get('/transactions?colour=eq.red'),
    await mine.post('/transactions', { ...row, colour: 'red' }),
    await mine.get('/transactions?select=*,accounts(*)'),
    await mine.get('/transactions?amount=about.5'),
    await mine.post('/transactions', [row, { ...row, currency: 'eur' }]),
    await mine.post('/transactions?on_conflict=source,external_id', imported, merge),
    await mine.post('/transactions', [imported, imported], merge),
    await mine.get('/transactions', { authorization: 'Bearer nonsense' }),
    await stack.anonymous.post('/transactions', row),
    await mine.post('/transactions', { ...row, user_id: 'somebody' }),
    await mine.get('/budgets'),
    await mine.post('/rpc/get_cash_flow', { colour: 'red' }),
    await mine.post('/rpc/delete_category', { p_category_id: crypto.randomUUID() }),
    await mine.get('/tags', { accept: 'application/vnd.pgrst.object+json' }),
    await mine.post('/transactions', imported),
    await mine.post('/transactions', { ...row, category_id: crypto.randomUUID() }),
    await mine.post('/transactions', `{"name":"x","amount":1,"metadata":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    await mine.get('/transactions?offset=9', { prefer: 'count=exact' }),
  ].map(({ status, body }) => `${status} ${body.code}`)
  const table = [...page.matchAll(/^\| (\d{3}) \| (.*?) \|/gm)].flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => `${status} ${code}`)
  )
  // what takes too long is in limits.test.ts
  expect(answers.toSorted()).toEqual(table.filter((error) => error !== '500 57014').toSorted())
})
