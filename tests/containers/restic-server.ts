/**
 * An off-site storage: restic's REST server protocol, in memory. @see
 * https://restic.readthedocs.io/en/stable/100_references.html
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ResticServer = { port: number, files: Map<string, Buffer>, close(): Promise<void> }

export async function resticServer(): Promise<ResticServer> {
  const files = new Map<string, Buffer>()
  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<ServerResponse> => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      if (!path.endsWith('/')) files.set(path, Buffer.concat(chunks))
      return response.end()
    }
    if (request.method === 'GET' && path.endsWith('/')) {
      const found = [...files].filter(([name]) => name.startsWith(path))
        .map(([name, { length: size }]) => ({ name: name.slice(path.length), size }))
      return response.writeHead(200, { 'content-type': 'application/vnd.x.restic.rest.v2' }).end(
        JSON.stringify(found),
      )
    }
    const file = files.get(path)
    if (file === undefined) return response.writeHead(404).end()
    if (request.method === 'DELETE') {
      files.delete(path)
      return response.end()
    }
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const part = from === undefined
      ? file
      : file.subarray(Number(from), to === '' || to === undefined ? undefined : Number(to) + 1)
    return response.writeHead(from === undefined ? 200 : 206, { 'content-length': part.length })
      .end(request.method === 'HEAD' ? undefined : part)
  }
  const server = createServer((request, response) => {
    // A client that closed the connection gets no response.
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    files,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
