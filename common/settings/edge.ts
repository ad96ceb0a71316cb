/**
 * The settings of the edge: its limit, its upstreams and its proxies. It also reads those of
 * shared.ts, and the connections of database.ts.
 */
import { z } from 'zod'
import { addressRange, list, port, wholeNumber } from './formats.ts'
import { setting } from './setting.ts'

/** A list of upstreams, separated by commas or spaces: `http://host:port` or `host:port`. */
const upstreams = z.string().transform((value) =>
  value.split(/[\s,]+/).filter((item) => item !== '').map((
    item,
  ) => (item.includes('://') ? item : `http://${item}`))
)
  .refine(
    (urls) =>
      urls.every((url) =>
        /^http:\/\/([\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(url) && URL.canParse(url)
      ),
    'must be a list of addresses such as http://postgrest:3000, each with its port and without a path',
  )

/** The limit of a request, and the upstreams of the auth surface. */
export const authUpstreams = {
  // the edge accepts 64 KiB without a token, and a token must not lower that limit
  DATA_BODY_LIMIT: setting(
    wholeNumber('number of bytes', 65_536, 16_777_216).prefault('2097152'),
    {
      description:
        'the maximum body of a request to `{base_url}/data`, in bytes; PostgREST needs about 500 times as much memory',
    },
  ),
  AUTH_UPSTREAM: setting(upstreams.optional(), {
    description:
      'for the edge as a process of its own (`npm run edge`): addresses of auth services, such as `http://auth:3000`. A host name stands for all of its addresses',
  }),
  REALTIME_UPSTREAM: setting(upstreams.optional(), {
    description:
      'for such an edge: addresses of processes of `npm run realtime`, which serve live streams, webhooks and calendars instead of the auth service; has no effect if `REALTIME_REPLICAS` is 0',
    unset: '`AUTH_UPSTREAM`',
  }),
}

/** The upstreams of the data surface, and the port for probes. */
export const dataUpstreams = {
  POSTGREST_UPSTREAM: setting(upstreams.optional(), {
    description: 'for such an edge: addresses of PostgREST processes',
  }),
  POSTGREST_READY_PORT: setting(port(3001), {
    description:
      'for such an edge: the port at which each PostgREST reports that it is ready, its own `PGRST_ADMIN_SERVER_PORT`',
  }),
  DATA_REPLICAS: setting(upstreams.optional(), {
    description: 'PostgREST processes on [hot standbys](scaling.md), which answer reads',
  }),
  DATA_REPLICAS_READY_PORT: setting(port(3001), {
    description: 'the port at which each of these reports that it is ready',
  }),
  EDGE_ADMIN_PORT: setting(port(9180), {
    description: 'the port of such an edge for probes and Prometheus',
  }),
}

/** The proxies that may set the ids of requests. */
export const tracing = {
  TRACE_PROXIES: setting(list.pipe(z.array(addressRange)).default([]), {
    description:
      'CIDR ranges of proxies that replace `X-Request-Id` and `traceparent` of their clients; the edge takes over both headers from them only, and otherwise makes its own',
    services: ['edge'],
  }),
}
