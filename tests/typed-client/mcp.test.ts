/** An AI assistant with an API key: its tools and their results. It cannot change anything. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createClient, unwrap } from '../../client/index.ts'
import { tools } from '../../client/mcp/tools.ts'
import { password, signedIn, team, type Person } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'client/mcp/main.ts')
const run = promisify(execFile)

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true })
})
afterAll(() => stack.close())

const keyOf = async (someone: Person, wish: { organizationId?: string, role?: string } = {}) => {
  const { status, body } = await someone.post('/api-key/create', {
    name: 'assistant',
    expiresInDays: 9,
    password,
    ...wish,
  })
  expect(status).toBe(200)
  return body as { id: string, key: string }
}

/** The assistant's side of the MCP server, a separate process. */
async function assistant(key: string, command = process.execPath, args = [source]) {
  const transport = new StdioClientTransport({
    command,
    args,
    env: { FINANCE_URL: stack.url, FINANCE_API_KEY: key },
    stderr: 'pipe',
  })
  const said: string[] = []
  transport.stderr?.on('data', (chunk: Buffer) => said.push(String(chunk)))
  const client = new Client({ name: 'assistant', version: '1.0.0' })
  await client.connect(transport)
  onTestFinished(() => client.close())
  const ask = async (name: string, given: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: given }) as {
      content: { text: string }[]
      isError?: boolean
    }
    const text = content[0]?.text ?? ''
    return { text, isError, body: isError ? text : JSON.parse(text) }
  }
  return { client, ask, said }
}

/** Books with some rows of each kind. */
async function books(key: string) {
  const { data } = createClient({ baseUrl: stack.url, apiKey: key })
  const food = await unwrap(
    data.from('categories').insert({ name: 'Food', monthly_budget: 300 }).select().single(),
  )
  const bank = await unwrap(
    data.from('accounts').insert({ name: 'Bank', type: 'checking', currency: 'eur', balance: 100 })
      .select().single(),
  )
  await unwrap(
    data.from('transactions').insert([
      {
        name: 'Groceries',
        amount: -42.5,
        currency: 'eur',
        category_id: food.id,
        account_id: bank.id,
        transaction_date: '2025-01-10',
      },
      {
        name: 'Salary',
        amount: 2000,
        currency: 'eur',
        category_id: null,
        account_id: bank.id,
        transaction_date: '2025-01-01',
      },
      {
        name: '100% "odd", (name)*',
        amount: -1,
        currency: 'eur',
        category_id: null,
        account_id: null,
        transaction_date: '2025-02-03',
      },
    ]),
  )
  await unwrap(
    data.from('subscriptions').insert({
      title: 'Music',
      amount: 10,
      currency: 'eur',
      period: 'monthly',
      starts_on: '2025-01-05',
    }),
  )
  return { food, bank }
}

test("the assistant reads Ann's transactions, with each filter", async () => {
  const ann = await signedIn(stack, 'Ann')
  const { food, bank } = await books((await keyOf(ann, { role: 'editor' })).key)
  const { ask, said } = await assistant((await keyOf(ann)).key)
  const names = async (args: Record<string, unknown>) =>
    (await ask('list_transactions', args)).body.rows.map(({ name }: { name: string }) => name)
  const odd = '100% "odd", (name)*'
  expect(await names({})).toEqual([odd, 'Groceries', 'Salary'])
  expect((await ask('list_transactions', { search: 'grocer' })).body).toEqual({
    rows: [
      expect.objectContaining({
        name: 'Groceries',
        amount: -42.5,
        currency: 'eur',
        category: { id: food.id, name: 'Food' },
        account: { id: bank.id, name: 'Bank' },
        tags: [],
      }),
    ],
    has_more: false,
  })
  expect(await names({ search: odd })).toEqual([odd])
  expect(await names({ from: '2025-01-02', to: '2025-01-31' })).toEqual(['Groceries'])
  expect(await names({ category_id: food.id })).toEqual(['Groceries'])
  expect(await names({ account_id: bank.id, min_amount: 0 })).toEqual(['Salary'])
  expect(await names({ max_amount: -2 })).toEqual(['Groceries'])
  expect(await names({ status: 'pending' })).toEqual([])
  expect(await names({ tag: 'no such tag' })).toEqual([])
  expect((await ask('list_transactions', { limit: 1, offset: 1 })).body).toMatchObject({
    rows: [{ name: 'Groceries' }],
    has_more: true,
  })
  expect(said).toEqual([])
})

test('the assistant reads reports, accounts, budgets and upcoming costs', async () => {
  const ann = await signedIn(stack, 'Ann')
  await books((await keyOf(ann, { role: 'editor' })).key)
  const { client, ask } = await assistant((await keyOf(ann)).key)
  const rowsOf = async (name: string, args: Record<string, unknown> = {}) =>
    (await ask(name, args)).body.rows
  expect(await rowsOf('sum_transactions', { group_by: 'category', currency: 'EUR' })).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'Food', value: -42.5, currency: 'eur' }),
    ]),
  )
  expect(await rowsOf('sum_transactions', { from: '2025-01-01', to: '2025-01-31' })).toMatchObject([
    { value: 1957.5, count: 2 },
  ])
  expect(await rowsOf('list_accounts')).toMatchObject([{
    name: 'Bank',
    current_balance: 2057.5,
    currency: 'eur',
  }])
  expect(await rowsOf('list_categories')).toMatchObject([{ name: 'Food' }])
  expect(await rowsOf('compare_budgets', { start_date: '2025-01-01', end_date: '2025-01-31' }))
    .toMatchObject([{ name: 'Food' }, { name: 'Food' }])
  expect(await rowsOf('list_subscriptions')).toMatchObject([{
    title: 'Music',
    monthly_cost: 10,
    category: null,
  }])
  expect(await rowsOf('upcoming_payments', { start_date: '2025-02-01', end_date: '2025-02-28' }))
    .toMatchObject([{ title: 'Music', due_on: '2025-02-05' }])
  expect(await rowsOf('cash_flow', { grouping: 'yearly', periods: 2, upcoming: 1 })).toEqual(
    expect.any(Array),
  )
  const listed = await client.listTools()
  expect(listed.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
  expect(listed.tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
})

test('with a key of a team the assistant reads what its viewers see, and no personal rows', async () => {
  const { id: organizationId, owner } = await team(stack, [])
  await books((await keyOf(owner, { role: 'editor' })).key)
  const { key } = await keyOf(owner, { organizationId, role: 'editor' })
  await unwrap(
    createClient({ baseUrl: stack.url, apiKey: key }).data.from('transactions').insert({
      name: 'Rent',
      amount: -900,
    }),
  )
  const { ask } = await assistant((await keyOf(owner, { organizationId })).key)
  expect((await ask('list_transactions')).body.rows).toMatchObject([{ name: 'Rent' }])
  expect((await ask('list_accounts')).body.rows).toEqual([])
})

test('the assistant cannot request unlimited rows, and an invalid argument is explained', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { key } = await keyOf(ann, { role: 'editor' })
  const { data } = createClient({ baseUrl: stack.url, apiKey: key })
  await unwrap(
    data.from('transactions').insert(
      Array.from({ length: 230 }, (_, at) => ({ name: `No. ${at}`, amount: 1 })),
    ),
  )
  const { ask } = await assistant((await keyOf(ann)).key)
  expect((await ask('list_transactions')).body).toMatchObject({
    rows: { length: 50 },
    has_more: true,
  })
  expect((await ask('list_transactions', { limit: 200 })).body).toMatchObject({
    rows: { length: 200 },
    has_more: true,
  })
  for (
    const wrong of [{ limit: 201 }, { limit: 0 }, { offset: -1 }, { from: 'yesterday' }, {
      category_id: "x' or true",
    }]
  )
    expect(await ask('list_transactions', wrong)).toMatchObject({ isError: true })
  expect(await ask('list_transactions', { from: '2025-02-30' })).toMatchObject({ isError: true })
  expect(await ask('compare_budgets', { convert_to: 'xyz' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('xyz'),
  })
  expect(await ask('delete_everything').catch(() => ({ isError: true }))).toMatchObject({
    isError: true,
  })
})

test('the assistant uses names of categories and accounts, and an unknown name is an error and never ignored', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { key } = await keyOf(ann, { role: 'editor' })
  await books(key)
  const { data } = createClient({ baseUrl: stack.url, apiKey: key })
  const { ask, client } = await assistant((await keyOf(ann)).key)
  const names = async (args: Record<string, unknown>) =>
    (await ask('list_transactions', args)).body.rows.map(({ name }: { name: string }) => name)
  expect(await names({ category: ' fOOD ' })).toEqual(['Groceries'])
  expect(await names({ account: 'bank', min_amount: 0 })).toEqual(['Salary'])
  expect((await ask('sum_transactions', { category: 'food', group_by: 'year' })).body.rows)
    .toMatchObject([{ value: -42.5 }])
  expect((await ask('cash_flow', { account: 'Bank', grouping: 'yearly' })).isError).toBe(false)

  const refused = async (name: string, args: Record<string, unknown>, ...texts: string[]) => {
    const { isError, text } = await ask(name, args)
    expect(isError, text).toBe(true)
    for (const word of texts) expect(text).toContain(word)
  }
  for (const tool of ['list_transactions', 'sum_transactions']) {
    await refused(tool, { category: 'Fod' }, 'No category is named "Fod"', '"Food"')
    await refused(tool, { category: 'Foo%' }, 'No category')
    await refused(tool, { account: 'Savings' }, 'No account is named "Savings"', '"Bank"')
    await refused(
      tool,
      { categories: ['Food'] },
      'Unknown arguments: categories',
      'Valid arguments: from, to',
      'category_id',
    )
    await refused(tool, { from: '2025-02-01', to: '2025-01-01' }, 'from is after to')
    await refused(tool, { min_amount: 2, max_amount: 1 }, 'min_amount is above max_amount')
    await refused(tool, { status: 'booked' })
    await refused(tool, { currency: 'euro' })
  }
  await refused('cash_flow', { account: 'Savings' }, 'No account')
  await refused('compare_budgets', { month: '2025-01' }, 'Unknown arguments: month', 'start_date')
  for (const tool of ['list_accounts', 'list_categories', 'list_subscriptions'])
    await refused(tool, { name: 'Food' }, 'This tool has no arguments.')
  await refused(
    'upcoming_payments',
    { from: '2025-01-01' },
    'Unknown arguments: from',
    'start_date, end_date',
  )
  expect(
    (await client.listTools()).tools.every(({ inputSchema }) =>
      inputSchema['additionalProperties'] === false
    ),
  ).toBe(true)

  const other = await unwrap(data.from('categories').insert({ name: 'food' }).select().single())
  await refused('list_transactions', { category: 'FOOD' }, 'Several categories', other.id)
  await refused('list_transactions', { category: 'Food', category_id: other.id }, 'not both')
})

test('with a key for writing the server warns, and only reads', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { key } = await keyOf(ann, { role: 'editor' })
  await books(key)
  const before = (await stack.sql.query('select count(*) from api.activity')).rows
  const { ask, said } = await assistant(key)
  for (const { name } of tools) expect((await ask(name)).isError).toBe(false)
  expect((await stack.sql.query('select count(*) from api.activity')).rows).toEqual(before)
  expect(said.join('')).toContain('The server only reads')
  expect(said.join('')).not.toContain(key.slice(8))
})

test('after the key is revoked, each call fails and says so', async () => {
  const ann = await signedIn(stack, 'Ann')
  const { id, key } = await keyOf(ann)
  const { ask } = await assistant(key)
  await ann.post('/api-key/revoke', { keyId: id })
  for (let times = 0; times < 2; times += 1)
    expect(await ask('list_accounts')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^UNAUTHORIZED/),
    })
})

test.each([
  ['no address', { FINANCE_API_KEY: 'fin_secret' }, 'Set FINANCE_URL'],
  [
    'an address without https',
    { FINANCE_URL: 'localhost:3000', FINANCE_API_KEY: 'fin_secret' },
    'Set FINANCE_URL',
  ],
  ['no key', { FINANCE_URL: 'http://localhost:1' }, 'Set FINANCE_API_KEY'],
  [
    'a password in place of a key',
    { FINANCE_URL: 'http://localhost:1', FINANCE_API_KEY: password },
    'Set FINANCE_API_KEY',
  ],
  ['a wrong key', { FINANCE_API_KEY: `fin_${'A'.repeat(43)}` }, 'UNAUTHORIZED'],
])(
  'with %s the server does not start, and names the reason without the key',
  async (_, given, why) => {
    const env = { ...(why === 'UNAUTHORIZED' && { FINANCE_URL: stack.url }), ...given }
    const { stderr, stdout } = await run(process.execPath, [source], { env }).then(() => {
      throw new Error('It has started.')
    }, (error: { stderr: string, stdout: string }) => error)
    expect(stderr).toContain(why)
    expect(stdout).toBe('')
    expect(stderr).not.toContain(
      (given as NodeJS.ProcessEnv)['FINANCE_API_KEY']?.slice(4) ?? 'A'.repeat(43),
    )
  },
)

test('the server is one package that npx runs', async () => {
  const project = await mkdtemp(join(tmpdir(), 'finance-mcp-'))
  onTestFinished(() => rm(project, { recursive: true }))
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: 'assistant', private: true }),
  )
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', project], {
    cwd: join(root, 'client/mcp'),
  })
  await run(
    'npm',
    ['install', '--silent', '--no-audit', '--no-fund', join(project, stdout.trim())],
    { cwd: project },
  )
  const { client, ask } = await assistant(
    (await keyOf(await signedIn(stack, 'Ann'))).key,
    join(project, 'node_modules/.bin/finance-mcp'),
    [],
  )
  expect((await ask('list_transactions')).body).toEqual({ rows: [], has_more: false })
  expect(stdout.trim()).toBe(`finance-mcp-${client.getServerVersion()?.version}.tgz`)
})
