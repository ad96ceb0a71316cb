/**
 * Requests and responses of docs/data.md match the OpenAPI document: Prism checks them in front of
 * the data surface.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sections, startDataPage, type DataPage } from '../support/data-page.ts'
import { dataStack, type DataStack } from '../support/data.ts'
import { prism } from './prism.ts'
import { descriptionFile } from './tools.ts'

let stack: DataStack
let proxy: Awaited<ReturnType<typeof prism>>
let dataPage: DataPage
let directory: string

/**
 * Prism refuses a response without a body if its status has `content`, and a POST without
 * `return=representation` has no body. `2XX` makes it check the bodies that there are.
 */
function withOptionalBodies(description: any): string {
  for (const { post } of Object.values<any>(description.paths)) {
    const { content } = post?.responses['201'] ?? {}
    if (content?.['*/*'] === undefined) continue
    post.responses['2XX'] = { description: 'A body.', content }
    for (const status of ['200', '201']) delete post.responses[status].content
  }
  return JSON.stringify(description)
}

beforeAll(async () => {
  stack = await dataStack()
  directory = await mkdtemp(join(tmpdir(), 'finance-description-'))
  const { file, description } = await descriptionFile(directory)
  await writeFile(file, withOptionalBodies(description))
  proxy = await prism(stack.url, file)
  // Prism writes header names in lower case.
  dataPage = await startDataPage(
    stack,
    proxy.url,
    `grep() { command grep "$@" | sed 's/^content-range/Content-Range/'; }`,
  )
})
afterAll(async () => {
  await dataPage.close()
  await proxy.stop()
  await stack.stop()
  await rm(directory, { recursive: true, force: true })
})

test.each(sections)(
  'the examples of “$title” pass, and return what the page shows',
  ({ examples }) => dataPage.run(examples),
)

test('no request and no response of the page violates the description', async () => {
  // Prism's output is in order, so this message marks the end of the page.
  await fetch(`${proxy.url}/nowhere`)
  await expect.poll(proxy.complaints).toContainEqual(expect.stringContaining('NO_PATH_MATCHED'))
  expect(proxy.complaints()).toHaveLength(1)
})

test('a request that violates the description is refused before it reaches the data surface', async () => {
  const authorization = `Bearer ${await stack.as(await stack.person()).token()}`
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = {
      authorization,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const answer = await fetch(proxy.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: answer.status, type: ((await answer.json()) as { type?: string }).type }
  }
  const refused = { status: 422, type: 'https://stoplight.io/prism/errors#UNPROCESSABLE_ENTITY' }
  const row = { name: 'Coffee', amount: -3.5 }
  expect(await send('POST', '/transactions', { amount: -3.5 }), 'no name').toEqual(refused)
  expect(await send('POST', '/transactions', { ...row, status: 'done' }), 'a status that is none')
    .toEqual(refused)
  expect(await send('POST', '/transactions', { ...row, colour: 'red' }), 'a column that is none')
    .toEqual(refused)
  expect(
    await send('POST', '/dashboards', { name: 'Overview', layout: { widgets: [{ id: 'flow' }] } }),
    'half a widget',
  ).toEqual(refused)
  expect(await send('GET', '/transactions?amount=5'), 'a filter without an operator').toEqual(
    refused,
  )
  expect(await send('GET', '/transactions?amount=gt.1&amount=5'), 'the second of two filters')
    .toEqual(refused)
  expect(await send('GET', '/rpc/get_cash_flow?grouping=hourly'), 'a grouping that is none')
    .toEqual(refused)
  expect(
    await send('POST', '/rpc/get_filtered_transactions', {
      filters: [{ field: 'amount', operation: 'like', value: 1 }],
    }),
    'an operation that is none',
  )
    .toEqual(refused)
  expect(
    (await fetch(`${proxy.url}/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(row),
    })).status,
    'no token',
  )
    .toBe(401)
})

test('a response that violates the description is reported', async () => {
  const { file, description } = await descriptionFile(directory)
  for (const name of ['transactions', 'transactions_part'])
    description.components.schemas[name].properties.amount = { type: 'string' }
  await writeFile(file, JSON.stringify(description))
  const wrong = await prism(stack.url, file)
  try {
    const caller = stack.as(await stack.person())
    await caller.create('transactions', { name: 'Coffee', amount: -3.5 })
    const answer = await fetch(`${wrong.url}/transactions`, {
      headers: { authorization: `Bearer ${await caller.token()}` },
    })
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 500,
      body: { type: 'https://stoplight.io/prism/errors#VIOLATIONS' },
    })
  } finally {
    await wrong.stop()
  }
})
