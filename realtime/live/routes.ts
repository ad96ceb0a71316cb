/** The route of live streams. */
import { z } from 'zod'
import { streamPath } from '../../common/contract.ts'
import { rejection } from '../../http/errors.ts'
import { perMinute } from '../../http/policy.ts'
import { route } from '../../http/route.ts'
import { accessOf } from './request-access.ts'

const input = z.object({
  tables: z.string().max(1_000).optional().meta({
    description:
      'The tables whose changes the stream reports, separated by commas. Without it: all tables. The error 400 lists them.',
    examples: ['transactions,accounts'],
  }),
})

/** Limit of new streams of one person or key. A client resumes after a second. */
const newStreams = { path: streamPath, limit: perMinute(60) }

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // a proxy that buffers would delay each event
  'x-accel-buffering': 'no',
}

export const changeRoutes = [
  route('GET', streamPath, {
    summary: 'Reports at once which rows have changed, as server-sent events without values.',
    description: [
      'The stream reports the changes of the personal rows and of the active organization’s. It needs the session’s cookie, or `Authorization: Bearer` with a token of the data surface or an API key. A client reads the changed rows again on the data surface.',
      '- `ready` is the first event. The client receives all changes that are committed later, so read your rows after it.',
      '- `change` has `table`, `organization_id` (null for personal rows), `actions` (`create`, `update`, `delete`), `ids` (null above a hundred rows, and for `activity`) and `change_id`. `change_id` is the `X-Change-Id` of the request that made the change, and null if no request or several made it.',
      '- `reset` says that changes may be missing: read everything again that you show.',
      '- `end` says that the session, membership, role, key or token has ended or changed. `reason` is `expired` or `ended`. Fetch a new token and connect again. With another membership or role, `reset` follows on the last id.',
      'Every 20 seconds a comment keeps the connection open. It may have a newer `id` without an event. Of changes that arrive together only the last one has an `id`.',
      'A process of the service allows a person 6 streams, a key 2, and all together `CHANGES_STREAMS`. A person or a key can open 60 streams a minute. Beyond these limits the response is 429: read the rows every 30 seconds instead.',
    ].join('\n\n'),
    input,
    requestHeaders: {
      'Last-Event-ID':
        'The newest id that the client has received. After `ready` it receives the later changes. It receives `reset` instead if they are older than an hour, or if the id is of another user, team or database.',
    },
    rejects: ['UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMIT_EXCEEDED', 'SERVICE_BUSY'],
    credentials: ['session', 'token', 'apiKey'],
    mediaType: 'text/event-stream',
    output: z.string().meta({
      description: 'The stream.',
      examples: [
        'event: change\nid: 4hT0aJ8Yk2mQ1rXv9sWbNg\ndata: {"table":"transactions","organization_id":null,"actions":["create"],"ids":["7f3c1f7e-5d0a-4a53-9d4e-2f5d7f0b8a11"],"change_id":"0192f0c1-9a3b-7c4d-8e5f-000000000000"}\n\n',
      ],
    }),
    handle: async (c, { tables: list }) => {
      const access = await accessOf(c)
      const { streams, limits } = c.var.services
      const rights = await streams.rights()
      const tables = list === undefined
        ? undefined
        : new Set(list.split(',').map((name) => name.trim()))
      const unknown = [...tables ?? []].find((name) => !rights.tables.has(name))
      if (unknown !== undefined)
        throw rejection(
          'VALIDATION_ERROR',
          `The field tables: must name tables of ${[...rights.tables].toSorted().join(', ')}.`,
        )
      if (c.req.method === 'HEAD') return new Response(null, { headers })
      const { allowed, retryAfterSeconds } = await limits.consumeForAccount(
        newStreams.path,
        access.keyRole === null ? access.userId : access.sessionId,
        newStreams.limit,
      )
      if (!allowed) throw rejection('RATE_LIMIT_EXCEEDED', undefined, retryAfterSeconds)
      c.set('sendBody', await streams.open(access, tables, c.req.header('last-event-id')))
      return new Response(null, { headers })
    },
  }),
]
