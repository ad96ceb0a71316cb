/**
 * Reads a response that PostgREST interrupts, and has the values that the edge must not log then.
 */
import { createConnection } from 'node:net'

/** Values that occur only in the request. */
export const confidential = {
  query: 'searched-for-by-ann',
  cookie: 'a-cookie-of-ann',
  key: 'a-key-of-ann',
} as const

/**
 * The bytes of a response that exceeds the socket buffers between PostgREST and a client that does
 * not read: the kernel allows each of the three 33 MB.
 */
export const largeResponse = 100_000_000

/** A function with a response of that size. */
export const createLargeFunction =
  `create function api.large_answer(note text) returns text language sql immutable return repeat('a', ${largeResponse});
  grant execute on function api.large_answer(text) to anon, authenticated; notify pgrst, 'reload schema'`

/**
 * Requests the large function from the edge, reads the first bytes, kills PostgREST, and reads the
 * rest.
 * @param end kills PostgREST, at once: the sockets on the way together have room for most of the
 * response
 * @returns the id of the request, and the number of bytes received
 */
export function readInterruptedResponse(
  url: string,
  authorization: string | undefined,
  end: () => unknown,
): Promise<{ id: string, bytes: number }> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({
      host: new URL(url).hostname,
      port: Number(new URL(url).port),
    })
    let head = ''
    let bytes = 0
    socket.once('error', reject).once(
      'close',
      () => resolve({ id: /^x-request-id: (\S+)/im.exec(head)?.[1] ?? '', bytes }),
    )
    socket.once('data', (chunk: Buffer) => {
      head = chunk.toString('latin1')
      if (!head.startsWith('HTTP/1.1 200')) {
        socket.destroy(new Error(head))
        return
      }
      socket.pause()
      Promise.resolve(end()).then(() => socket.resume(), reject)
    }).on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    const fields = [
      `GET /data/rpc/large_answer?note=${confidential.query} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      `Cookie: session=${confidential.cookie}`,
      `Apikey: ${confidential.key}`,
      ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
    ]
    socket.write(`${fields.join('\r\n')}\r\n\r\n`)
  })
}
