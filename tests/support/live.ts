/** A client of the live stream: reads the events of `GET /api/auth/changes`. */

type LiveEvent = { event: string, id: string | undefined, data: any }

export type Live = {
  /** All events so far. */
  events: LiveEvent[]
  /** The id of the last event or comment. */
  lastId: () => string | undefined
  /** Resolves with the next event that was not yet returned, and of the kind if one is given. */
  next: (kind?: string) => Promise<LiveEvent>
  /** Resolves when the service has closed the stream. */
  closed: Promise<void>
  /** The number of comments so far. */
  comments: () => number
  headers: Headers
  /** The bytes so far as text. */
  text: () => string
  close: () => Promise<void>
}

/** Opens a stream. @throws the response if it is not a stream */
export async function openLive(
  url: string,
  headers: Record<string, string>,
  query = '',
): Promise<Live> {
  const stopped = new AbortController()
  const response = await fetch(`${url}/api/auth/changes${query}`, {
    headers,
    signal: stopped.signal,
  })
  if (
    response.headers.get('content-type')?.startsWith('text/event-stream') !== true ||
    response.body === null
  ) throw response
  const events: LiveEvent[] = []
  const taken = new Set<LiveEvent>()
  let wake = Promise.withResolvers<void>()
  let isClosed = false
  let all = ''
  let lastId: string | undefined
  let comments = 0
  const read = async (): Promise<void> => {
    let rest = ''
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      all += part
      const frames = (rest + part).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) {
        const fields = Object.fromEntries(
          frame.split('\n').filter((line) => !line.startsWith(':')).map((
            line,
          ) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trimStart()]),
        )
        if (frame.startsWith(':')) comments += 1
        lastId = fields['id'] ?? lastId
        if (fields['data'] !== undefined)
          events.push({
            event: fields['event'] ?? 'message',
            id: fields['id'],
            data: JSON.parse(fields['data']),
          })
      }
      wake.resolve()
      wake = Promise.withResolvers()
    }
  }
  const closed = read().catch(() => undefined).finally(() => {
    isClosed = true
    wake.resolve()
  })
  return {
    events,
    lastId: () => lastId,
    next: async (kind) => {
      for (;;) {
        const found = events.find((event) =>
          !taken.has(event) && (kind === undefined || event.event === kind)
        )
        if (found !== undefined) {
          taken.add(found)
          return found
        }
        if (isClosed)
          throw new Error(`The stream ended without the event ${kind ?? ''}. It was: ${all}`)
        await wake.promise
      }
    },
    closed,
    comments: () => comments,
    headers: response.headers,
    text: () => all,
    close: async () => {
      stopped.abort()
      await closed
    },
  }
}
