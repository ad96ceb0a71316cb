/** Calls of tests of API keys: the keys of users, and the requests of their programs. */
import { expect } from 'vitest'
import { person, type Person } from '../support/person.ts'
import type { Stack } from '../support/stack.ts'

export type KeyOptions = {
  name?: string
  expiresInDays?: number
  organizationId?: string | null
  role?: string
  password?: string
}

/** Creates a key right after a sign-in, which needs no password. */
export const postKey = (user: Person, options: KeyOptions = {}) =>
  user.post('/api-key/create', { name: 'Report', expiresInDays: 30, ...options })
export const createKey = async (
  user: Person,
  options: KeyOptions = {},
): Promise<{ id: string, key: string }> => {
  const answer = await postKey(user, options)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body
}

/** A request of a program, without cookies. */
export const requestToken = (stack: Stack, key: string, headers: Record<string, string> = {}) =>
  person(stack, 'program').call('POST', '/token', undefined, {
    authorization: `Bearer ${key}`,
    ...headers,
  })
export const noKey = { status: 401, body: { error: 'UNAUTHORIZED' } }
export const requestData = async (
  stack: Stack,
  method: string,
  path: string,
  token: string,
  body?: unknown,
  headers: Record<string, string> = {},
) => {
  const response = await fetch(`${stack.dataUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      prefer: 'return=representation',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? null : JSON.parse(text) }
}
export const storeTransaction = async (stack: Stack, token: string, name: string, more = {}) => {
  const { status, body: [row] } = await requestData(stack, 'POST', '/transactions', token, {
    name,
    amount: -5,
    ...more,
  })
  expect(status).toBe(201)
  return row
}
export const ended = { status: 401, body: { code: 'PGRST301' } }
export const denied = { status: 403, body: { code: '42501' } }
export const session = async (user: Person, organizationId: string | null = null) => {
  await user.post('/organization/set-active', { organizationId })
  return user.token()
}
