/** A flaw of the edge costs one request: it is answered, and PostgREST receives nothing of it. */
import { expect, test, vi } from 'vitest'
import type * as query from '../../edge/query.ts'
import { edgeForTest, fakePostgrest, raw } from './support.ts'

vi.mock('../../edge/query.ts', async (original) => ({
  ...await original<typeof query>(),
  judge: (_method: string, url: string) => {
    if (url.includes('flaw')) throw new TypeError('a flaw of the edge')
  },
}))

test('a client whose query the edge cannot judge gets 500 in the shape of PostgREST, and its next request on the same connection is answered', async () => {
  const seen: (string | undefined)[] = []
  const logged: string[] = []
  const address = await edgeForTest(
    await fakePostgrest((request, response) => {
      seen.push(request.url)
      response.end('[]')
    }),
    2_000,
    logged,
  )
  const answers = await raw(
    address,
    'GET /data/transactions?flaw=eq.a HTTP/1.1\r\nHost: localhost\r\n\r\n',
    'GET /data/tags HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
  )
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 500', 'HTTP/1.1 200'])
  expect(answers).toContain('{"code":"INTERNAL_ERROR","message":"Something went wrong on our side.","details":null,"hint":null}')
  expect(seen).toEqual(['/tags'])
  const [failed] = logged.filter((line) => line.includes('request failed'))
  expect(JSON.parse(failed ?? '{}')).toMatchObject({ level: 'error', error: { name: 'TypeError', message: 'a flaw of the edge' } })
})
