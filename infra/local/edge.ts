/**
 * The edge of `npm start`: both surfaces on one origin, as Caddy has them in containers (infra/docker/surfaces.caddy). It
 * stands in the process of the auth service, so that an auth request takes no further hop. It decides nothing about who
 * may do what.
 */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Fetch } from '../../auth/main.ts'
import { dataSurface, type DataSurface } from './data-surface.ts'

/** Where the data surface is, and what of the path is left for it; the second prefix is where supabase-js looks. */
const dataPath = /^(\/data|\/rest\/v1)(?:(\/[^?]*)?(\?.*)?)$/

/** Builds the edge around the auth surface. What else is to be served from this origin, a Hono app for one, belongs between the two. */
export function edge(auth: Fetch, data: DataSurface): Fetch {
  const handOn = dataSurface(data)
  // not a Hono app itself: to a HEAD request Hono answers with a Response of its own, after PostgREST's has been sent
  return (request, bindings) => {
    const { incoming, outgoing } = bindings
    // as received: a path that is only like one of these when it is decoded is none of them
    const [, prefix, path = '/', query = ''] = dataPath.exec(incoming.url ?? '') ?? []
    if (prefix === undefined) return auth(request, bindings)
    return handOn({ incoming, outgoing, prefix, path: path + query }).then(() => RESPONSE_ALREADY_SENT)
  }
}
