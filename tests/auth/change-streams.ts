/** Changes of rows by tests of live streams, and the events that tell them. */
import { expect } from 'vitest'
import type { Person } from '../support/person.ts'
import type { Stack } from '../support/stack.ts'

export const cookieOf = ({ cookies }: Person) =>
  [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export async function requestData(
  stack: Stack,
  token: string,
  method: string,
  path: string,
  body?: unknown,
) {
  const response = await fetch(`${stack.url}/data${path}`, {
    method,
    headers: {
      ...bearer(token),
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(response.status, text).toBeLessThan(300)
  return {
    rows: text === '' ? null : JSON.parse(text),
    changeId: response.headers.get('x-change-id'),
  }
}
export const bookIn = async (stack: Stack, token: string, name = 'Bread', more = {}) => {
  const { rows: [row], changeId } = await requestData(stack, token, 'POST', '/transactions', {
    name,
    amount: -5,
    ...more,
  })
  return { id: row.id as string, changeId }
}

export const change = (fields: object) => ({ event: 'change', data: fields })
