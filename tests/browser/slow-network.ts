/** A slow network between a browser and a stack. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type SlowNetwork = {
  /** The address of the stack through this network. */
  url: string
  /** Returns whether a request for a held path has come. */
  holds: () => boolean
  close: () => Promise<void>
}

/**
 * Starts a slow network. It leaves the first request for a held path without an answer.
 * @param publicUrl the address of the stack
 * @param held the path that it holds
 * @param slow the path that it answers after 700 ms, which is time enough for a page to react
 */
export async function startSlowNetwork(publicUrl: string, held: RegExp, slow: string): Promise<SlowNetwork> {
  const { port } = new URL(publicUrl)
  let isHeld = false
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url: path = '/', method = 'GET', headers } = incoming
    const end = () => outgoing.destroy()
    incoming.pipe(
      request({ port, path, method, headers }, (response) => response.pipe(outgoing.writeHead(response.statusCode ?? 502, response.headers))).on('error', end),
    )
  }
  const server = createServer((incoming, outgoing) => {
    if (!isHeld && held.test(incoming.url ?? '')) isHeld = true
    else setTimeout(() => forward(incoming, outgoing), incoming.url === slow ? 700 : 0)
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    holds: () => isHeld,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
