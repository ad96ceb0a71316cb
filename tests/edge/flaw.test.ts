/**
 * An exception in the edge costs one request: the client receives a response, and PostgREST
 * receives nothing.
 */
import { expect, test } from 'vitest'
import { dataSurface } from '../../edge/data-surface.ts'
import { fixedUpstream } from '../../edge/upstreams.ts'
import { fakePostgrest, raw, sharesWithoutKeys } from './support.ts'

test('a client whose request the edge fails to judge gets 500 in the shape of PostgREST, and its connection stays open', async () => {
  const seen: (string | undefined)[] = []
  const errors: unknown[] = []
  const postgrest = await fakePostgrest((request, response) => {
    seen.push(request.url)
    response.end('[]')
  })
  const flaw = new TypeError('a flaw of the edge')
  const serve = dataSurface({
    postgrest: fixedUpstream(postgrest),
    ...sharesWithoutKeys(),
    bodyLimit: 1_000_000,
    onRejection: (code) => {
      if (code !== 'INTERNAL_ERROR') throw flaw
    },
    onError: (error) => errors.push(error),
  })
  const address = await fakePostgrest((incoming, outgoing) =>
    void serve({
      id: 'flaw-of-edge',
      client: '127.0.0.1',
      incoming,
      outgoing,
      prefix: '/data',
      path: (incoming.url ?? '').slice('/data'.length),
    })
  )
  const answers = await raw(
    address,
    'GET /data/transactions?select=nothing HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /data/tags HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  )
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 500', 'HTTP/1.1 200'])
  expect(answers).toContain(
    '{"code":"INTERNAL_ERROR","message":"Something went wrong on our side.","details":null,"hint":null}',
  )
  expect(seen).toEqual(['/tags'])
  expect(errors).toEqual([flaw])
})
