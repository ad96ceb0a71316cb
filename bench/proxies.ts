/**
 * A server that `edge.ts` measures: `node bench/proxies.ts edge|bare <port> <address of PostgREST>`. The bare one hands reads on by
 * undici and does nothing else; no proxy on Node costs less.
 */
import { createServer } from 'node:http'
import { Registry } from 'prom-client'
import { Pool, type Dispatcher } from 'undici'
import { createLog } from '../auth/log.ts'
import type { Listener } from '../auth/main.ts'
import { edge } from '../edge/edge.ts'

const [kind, port, url = ''] = process.argv.slice(2)

function bare(): Listener {
  const pool = new Pool(url)
  return (incoming, outgoing) => {
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
  }
}

const auth = { listener: () => undefined, isReady: () => Promise.resolve(true) }
const listener: Listener = kind === 'bare'
  ? bare()
  : edge(auth, { url, bodyLimit: 2_097_152, trustedProxies: [] }, { log: createLog('info'), registry: new Registry(), tracing: undefined })
createServer((incoming, outgoing) => void listener(incoming, outgoing)).listen(Number(port), '127.0.0.1')
