/** Calls of tests of webhooks: the webhooks of users, and the rows that they store. */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import type { Stack } from '../support/stack.ts'
import type { WebhookSink } from '../support/webhook-sink.ts'

export type Options = {
  name?: string
  url?: string
  tables?: string[] | null
  organizationId?: string | null
  password?: string
}
/** Creates a webhook that sends to the sink. */
export const postWebhookTo = (sink: WebhookSink, user: Person, options: Options = {}) =>
  user.post('/webhook/create', { name: 'Spreadsheet', url: sink.url, ...options })
export const createWebhookTo = async (
  sink: WebhookSink,
  user: Person,
  options: Options = {},
): Promise<{ id: string, secret: string }> => {
  const answer = await postWebhookTo(sink, user, options)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}
export const listed = async (user: Person) => (await user.get('/webhook/list')).body
export const countIn = async (stack: Stack, table: string) =>
  (await stack.sql.query<{ count: number }>(`select count(*)::int from ${table}`)).rows[0]!.count

export const requestData = async (
  stack: Stack,
  method: string,
  path: string,
  token: string,
  body?: unknown,
) => {
  const response = await fetch(`${stack.dataUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  expect(response.ok).toBe(true)
  return await response.json() as any[]
}
export const storeRow = async (stack: Stack, user: Person, table: string, row: object) => {
  const [{ id }] = await requestData(stack, 'POST', `/${table}`, await user.token(), row)
  return { id: id as string }
}
/** The messages that are not delivered yet. */
export const messages = `private.jobs where task = 'send_webhook'`
