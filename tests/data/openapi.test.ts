/**
 * The OpenAPI document against the data surface: examples are sent, and schemas are compared with
 * accepted and returned values.
 */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataErrors } from '../../http/openapi/data-errors.ts'
import {
  exampleId,
  otherExampleId,
  routineSchemas,
} from '../../http/openapi/handwritten-schemas.ts'
import { rejections } from '../../edge/reject.ts'
import { describeSurface } from '../../auth/description.ts'
import { openApiDocument } from '../../http/openapi/openapi.ts'
import { ownedDatabase, publicUrl } from '../support/database.ts'
import { dataStack, type Caller, type DataStack } from '../support/data.ts'

const { db, stop } = await ownedDatabase()
const { paths, components }: any = await openApiDocument(db, publicUrl, describeSurface())
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

/** Builds the query string from the examples of an operation. */
function exampleQuery(parameters: any[] = []): string {
  const given = parameters.map((parameter) =>
    parameter.$ref === undefined
      ? parameter
      : components.parameters[parameter.$ref.split('/').at(-1)]
  )
    .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
  // The members of an object are sent as separate parameters.
  const sent = given.flatMap(({ name, example }): [string, string][] =>
    typeof example === 'object' ? Object.entries<string>(example) : [[name, String(example)]]
  )
  return sent.length === 0 ? '' : `?${new URLSearchParams(sent).toString()}`
}

describe('each example works if it is sent', () => {
  // The rows that examples refer to exist before.
  beforeAll(async () => {
    await mine.create(
      'accounts',
      [exampleId, otherExampleId].map((id) => ({ id, name: 'Bank', type: 'checking' })),
    )
    await mine.create('transactions', [
      { id: exampleId, name: 'To savings', amount: -42.5, account_id: exampleId },
      { id: otherExampleId, name: 'From checking', amount: 42.5, account_id: otherExampleId },
    ])
    const { body: [half] } = await mine.post('/rpc/create_transfer', {
      from_account_id: exampleId,
      to_account_id: otherExampleId,
      amount: 1,
      transfer_date: '2025-01-31',
    })
    await stack.owner.query('update api.transactions set transfer_id = $1 where transfer_id = $2', [
      exampleId,
      half.transfer_id,
    ])
    await mine.create('categories', { id: exampleId, name: 'Food' })
    await mine.create('tags', { id: exampleId, name: 'weekly' })
    await mine.create('tags', { name: 'wrong' })
    // The id of activity that starts with the change of the request's id.
    await stack.owner.query(
      `update api.activity set id = $1::uuid, change_id = (left($1::uuid::text, 28) || '00000000')::uuid where after ->> 'name' = 'wrong'`,
      [exampleId],
    )
    await stack.owner.query(
      `insert into api.attachments (id, transaction_id, name, content_type, size, sha256, status) values ($1, $1, 'a.pdf', 'application/pdf', 9, $2, 'ready')`,
      [exampleId, 'a'.repeat(64)],
    )
    await mine.create('subscriptions', {
      id: exampleId,
      title: 'Rent',
      amount: 900,
      period: 'monthly',
      starts_on: '2025-01-31',
    })
  })

  test.each(ofData)(
    'each example works if it is sent in each operation of %s',
    async (path, operations) => {
      for (const verb of verbs.filter((name) => operations[name] !== undefined)) {
        const { parameters, requestBody } = operations[verb]
        const query = exampleQuery(parameters)
        const bodies = Object.values<any>(
          requestBody?.content['application/json'].examples ?? { none: {} },
        )
        for (const { value } of bodies) {
          // A dry run, so that no example deletes rows of the next one.
          const headers = { prefer: 'tx=rollback' }
          const answer = verb === 'post' || verb === 'patch'
            ? await mine[verb](path + query, value, headers)
            : await mine[verb](path + query, headers)
          expect([200, 201, 204], `${verb} ${path}${query} ${JSON.stringify(value)} ${answer.text}`)
            .toContain(answer.status)
        }
      }
    },
  )
})

test('a parameter accepts each text of its enumeration, and no other', async () => {
  for (const [name, { parameters = {}, example }] of Object.entries(routineSchemas)) {
    for (const [parameter, schema] of Object.entries(parameters)) {
      const reference = schema.anyOf?.[0]?.$ref
      const values: string[] = schema.enum ??
        (reference === undefined
          ? []
          : components.schemas[reference.slice('#/components/schemas/'.length)].enum)
      if (values.length === 0) continue
      const call = (value: string) => {
        const dates = parameter === 'preset' && value !== 'custom' ? {} : example
        return mine.post(`/rpc/${name}`, { ...dates, [parameter]: value })
      }
      // all_time has no end, which a budget needs.
      for (const value of values.filter((one) => one !== 'all_time'))
        expect((await call(value)).status, `${name} ${parameter} ${value}`).toBe(200)
      expect(await call('nonsense'), `${name} ${parameter}`).toMatchObject({
        status: 400,
        body: { code: '22023' },
      })
    }
  }
})

test('a filter accepts each documented field with each documented operation, and no other', async () => {
  const operations = new Set<string>(
    components.schemas.TransactionFilter.anyOf.flatMap((one: any) => one.properties.operation.enum),
  )
  for (const { properties } of components.schemas.TransactionFilter.anyOf) {
    const { format, type } = properties.value.anyOf[0]
    const isDate = properties.field.enum.includes('transaction_date')
    const value = format === 'uuid'
      ? exampleId
      : isDate
      ? 'today'
      : [type].flat().includes('number') && properties.field.enum.includes('amount')
      ? 5
      : 'x'
    for (const field of properties.field.enum) {
      for (const operation of operations) {
        const sent = operation === 'is_null'
          ? true
          : (operation === 'in' || operation === 'between') && !isDate
          ? [value, value]
          : value
        const { status } = await mine.post('/rpc/get_filtered_transactions', {
          filters: [{ field, operation, value: sent }],
        })
        expect(status, `${field} ${operation}`).toBe(
          properties.operation.enum.includes(operation) ? 200 : 400,
        )
      }
    }
  }
})

test('the documented errors are those of docs/data.md and of the edge', async () => {
  const page = await readFile(new URL('../../docs/data.md', import.meta.url), 'utf8')
  // Codes in the table and in the sentences of the page.
  const documented = [...page.matchAll(/\b(\d{3})(?: \||,)?\s+((?:`[A-Z\d_]{5,}`(?:, )?)+)/g)]
    .flatMap(([, status, codes = '']) =>
      [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => `${status} ${code}`)
    )
  const described = dataErrors.map(({ status, code }) => `${status} ${code}`)
  expect([...new Set(documented)].toSorted()).toEqual(described.toSorted())
  for (const [code, [status]] of Object.entries(rejections))
    expect(dataErrors).toContainEqual(expect.objectContaining({ code, status }))
})
