/**
 * The baseline for edge.ts: `node tests/bench/bare-proxy.ts <port> <address of PostgREST>`. It only
 * forwards reads with undici; no proxy on Node is faster.
 */
import { createServer } from 'node:http'
import { Pool, type Dispatcher } from 'undici'

const [port, url = ''] = process.argv.slice(2)
const pool = new Pool(url)
createServer((incoming, outgoing) => {
  const { host: _, connection: __, ...headers } = incoming.headers
  pool.dispatch({
    path: (incoming.url ?? '').replace('/data', ''),
    method: incoming.method as Dispatcher.HttpMethod,
    headers,
  }, {
    onRequestStart: () => undefined,
    onResponseStart: ({ rawHeaders }, status) => {
      outgoing.writeHead(
        status,
        (rawHeaders as Buffer[]).map((part) => part.toString('latin1')).filter((_text, at, all) =>
          !/^transfer-encoding$/i.test(all[at - at % 2] ?? '')
        ),
      )
    },
    onResponseData: (_controller, chunk) => void outgoing.write(chunk),
    onResponseEnd: () => void outgoing.end(),
    onResponseError: () => void outgoing.destroy(),
  })
}).listen(Number(port), '127.0.0.1')
