/** Requests for one object at the edge of `npm start`. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { signedIn } from '../support/person.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { objectCalls, type AskObject } from './objects.ts'
import { raw } from './support.ts'

let stack: Stack
let authorization: string
beforeAll(async () => {
  stack = await startStack({ data: true })
  authorization = `Bearer ${await (await signedIn(stack, 'Ann')).token()}`
})
afterAll(() => stack.close())

const ask: AskObject = async (path, accept, init = {}) => {
  const response = await fetch(`${stack.url}/data${path}`, { ...init, headers: { authorization, accept, ...init.headers } })
  return { status: response.status, type: response.headers.get('content-type'), body: await response.json() }
}

test.each(objectCalls)('a request for one object %s', (_, call) => call(ask))

test('a response has one Content-Type, even if PostgREST sends two', async () => {
  const request = (accept: string) => raw(stack.url, `GET /data/tags?limit=0 HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`)
  expect((await request('application/vnd.rest.object+json')).match(/^content-type: .*$/gim)).toEqual(['Content-Type: application/json; charset=utf-8'])
})
