/** An answer of PostgREST that breaks off in the middle, and what the edge then may not write. */
import { createConnection } from 'node:net'

/** What only the request holds. */
export const confidential = { query: 'searched-for-by-ann', cookie: 'a-cookie-of-ann', key: 'a-key-of-ann' } as const

/** A function with an answer larger than what sockets hold between PostgREST and a client that does not read. */
export const largeAnswer = `create function api.large_answer(note text) returns text language sql immutable return repeat('a', 32000000);
  grant execute on function api.large_answer(text) to anon, authenticated; notify pgrst, 'reload schema'`

/**
 * Asks the edge for it, reads its beginning, has PostgREST end, and reads the rest.
 * @param end ends PostgREST at once
 * @returns the id of the request, and how much came
 */
export function cutAnswer(url: string, authorization: string | undefined, end: () => Promise<unknown>): Promise<{ id: string, bytes: number }> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: new URL(url).hostname, port: Number(new URL(url).port) })
    let head = ''
    let bytes = 0
    socket.once('error', reject).once('close', () => resolve({ id: /^x-request-id: (\S+)/im.exec(head)?.[1] ?? '', bytes }))
    socket.once('data', (chunk: Buffer) => {
      head = chunk.toString('latin1')
      socket.pause()
      end().then(() => socket.resume(), reject)
    }).on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    const fields = [
      `GET /data/rpc/large_answer?note=${confidential.query} HTTP/1.1`,
      'Host: localhost',
      `Cookie: session=${confidential.cookie}`,
      `Apikey: ${confidential.key}`,
      ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ]
    socket.write(`${fields.join('\r\n')}\r\n\r\n`)
  })
}
