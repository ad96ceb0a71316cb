/** The OpenAPI document compared with the data surface itself: its examples are sent, and its shapes are of what is taken and answered. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataErrors } from '../../description/data-errors.ts'
import { exampleId, otherExampleId, routineSchemas } from '../../description/handwritten-schemas.ts'
import { refusals } from '../../edge/refuse.ts'
import { openApiDocument } from '../../description/openapi.ts'
import { ownedDatabase, publicUrl } from '../support/database.ts'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

const { db, stop } = await ownedDatabase()
const { paths, components }: any = await openApiDocument(db, publicUrl)
await stop()
const ofData = Object.entries<any>(paths).filter(([path]) => !path.startsWith('/api/auth/'))
const verbs = ['get', 'head', 'post', 'patch', 'delete'] as const

let stack: DataStack
let mine: Caller

beforeAll(async () => {
  stack = await dataStack()
  mine = stack.as(await stack.person())
})
afterAll(() => stack.stop())

/** The query that an operation's own examples make. */
function exampleQuery(parameters: any[] = []): string {
  const given = parameters.map((parameter) => parameter.$ref === undefined ? parameter : components.parameters[parameter.$ref.split('/').at(-1)])
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  // an object is sent as its members, each a parameter of its own
  const sent = given.flatMap(({ name, example }): [string, string][] =>
    typeof example === 'object' ? Object.entries<string>(example) : [[name, String(example)]]
  )
  return sent.length === 0 ? '' : `?${new URLSearchParams(sent).toString()}`
}

describe('each example works when it is sent', () => {
  // what an example refers to is there before it
  beforeAll(async () => {
    await mine.create('transactions', { id: exampleId, name: 'Groceries', amount: -42.5 })
    await mine.create('accounts', [exampleId, otherExampleId].map((id) => ({ id, name: 'Bank', type: 'checking' })))
    await mine.create('categories', { id: exampleId, name: 'Food' })
    await mine.create('tags', { id: exampleId, name: 'weekly' })
    await mine.create('tags', { name: 'wrong' })
    // the ids of what a request did begin with the request's own
    await stack.owner.query(
      `update api.activity set id = $1::uuid, change_id = (left($1::uuid::text, 28) || '00000000')::uuid where after ->> 'name' = 'wrong'`,
      [exampleId],
    )
    await mine.create('subscriptions', { id: exampleId, title: 'Rent', amount: 900, period: 'monthly', starts_on: '2025-01-31' })
  })

  test.each(ofData)('%s', async (path, operations) => {
    for (const verb of verbs.filter((name) => operations[name] !== undefined)) {
      const { parameters, requestBody } = operations[verb]
      const query = exampleQuery(parameters)
      const bodies = Object.values<any>(requestBody?.content['application/json'].examples ?? { none: {} })
      for (const { value } of bodies) {
        // a dry run, so that no example takes away what the next one needs
        const headers = { prefer: 'tx=rollback' }
        const answer = verb === 'post' || verb === 'patch' ? await mine[verb](path + query, value, headers) : await mine[verb](path + query, headers)
        expect([200, 201, 204], `${verb} ${path}${query} ${JSON.stringify(value)} ${answer.text}`).toContain(answer.status)
      }
    }
  })
})

test('a parameter takes each of the texts that it is said to take, and no other', async () => {
  for (const [name, { parameters = {}, example }] of Object.entries(routineSchemas)) {
    for (const [parameter, schema] of Object.entries(parameters)) {
      const reference = schema.anyOf?.[0]?.$ref
      const values: string[] = schema.enum ?? (reference === undefined ? [] : components.schemas[reference.slice('#/components/schemas/'.length)].enum)
      if (values.length === 0) continue
      const call = (value: string) => {
        const dates = parameter === 'preset' && value !== 'custom' ? {} : example
        return mine.post(`/rpc/${name}`, { ...dates, [parameter]: value })
      }
      // all_time has no end, which a budget needs
      for (const value of values.filter((one) => one !== 'all_time')) expect((await call(value)).status, `${name} ${parameter} ${value}`).toBe(200)
      expect(await call('nonsense'), `${name} ${parameter}`).toMatchObject({ status: 400, body: { code: '22023' } })
    }
  }
})

test('a filter takes each field with each operation that it is said to take, and no other', async () => {
  const operations = new Set<string>(components.schemas.TransactionFilter.anyOf.flatMap((one: any) => one.properties.operation.enum))
  for (const { properties } of components.schemas.TransactionFilter.anyOf) {
    const { format, type } = properties.value.anyOf[0]
    const isDate = properties.field.enum.includes('transaction_date')
    const value = format === 'uuid' ? exampleId : isDate ? 'today' : [type].flat().includes('number') && properties.field.enum.includes('amount') ? 5 : 'x'
    for (const field of properties.field.enum) {
      for (const operation of operations) {
        const sent = operation === 'is_null' ? true : (operation === 'in' || operation === 'between') && !isDate ? [value, value] : value
        const { status } = await mine.post('/rpc/get_filtered_transactions', { filters: [{ field, operation, value: sent }] })
        expect(status, `${field} ${operation}`).toBe(properties.operation.enum.includes(operation) ? 200 : 400)
      }
    }
  }
})

test('the errors are those of docs/data.md and of the edge', async () => {
  const page = await readFile(new URL('../../docs/data.md', import.meta.url), 'utf8')
  // in its table and in its sentences
  const shown = [...page.matchAll(/\b(\d{3})(?: \||,)?\s+((?:`[A-Z\d_]{5,}`(?:, )?)+)/g)].flatMap(([, status, codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => `${status} ${code}`)
  )
  const described = dataErrors.map(({ status, code }) => `${status} ${code}`)
  expect([...new Set(shown)].toSorted()).toEqual(described.toSorted())
  for (const [code, [status]] of Object.entries(refusals)) expect(dataErrors).toContainEqual(expect.objectContaining({ code, status }))
})
