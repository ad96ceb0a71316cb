/**
 * The proxy that `edge.ts` compares the edge with: `node bench/proxies.ts <port> <address of PostgREST>`. It forwards reads by undici
 * and does nothing else; no proxy on Node costs less.
 */
import { createServer } from 'node:http'
import { Pool, type Dispatcher } from 'undici'

const [port, url = ''] = process.argv.slice(2)
const pool = new Pool(url)
createServer((incoming, outgoing) => {
  const { host: _, connection: __, ...headers } = incoming.headers
  pool.dispatch({ path: (incoming.url ?? '').replace('/data', ''), method: incoming.method as Dispatcher.HttpMethod, headers }, {
    onRequestStart: () => undefined,
    onResponseStart: ({ rawHeaders }, status) => {
      outgoing.writeHead(
        status,
        (rawHeaders as Buffer[]).map((part) => part.toString('latin1')).filter((_text, at, all) => !/^transfer-encoding$/i.test(all[at - at % 2] ?? '')),
      )
    },
    onResponseData: (_controller, chunk) => void outgoing.write(chunk),
    onResponseEnd: () => void outgoing.end(),
    onResponseError: () => void outgoing.destroy(),
  })
}).listen(Number(port), '127.0.0.1')
