/**
 * One live stream as server-sent events. Changes that it has not yet sent are a bounded set: a few
 * of single requests, and one for each table and context. So a slow reader costs no queue. It sends
 * only when the connection can take more.
 */
import { merge, type Change } from './row-changes.ts'

/**
 * Time that a reader may take nothing, in milliseconds. After it the stream ends, and the client
 * resumes by its cursor.
 */
const stuckMs = 10_000

/**
 * The number of changes in the set that keep their own change_id, by which a client recognizes its
 * own. Further ones are merged.
 */
const maxSeparate = 20

export type EndReason = 'expired' | 'ended'

/** The ways in which a stream closes, for metrics. */
export const closings = ['client', 'expired', 'ended', 'slow', 'stop'] as const
export type Closing = typeof closings[number]

const encoder = new TextEncoder()

const event = (name: string, cursor: string | undefined, data: object): string =>
  `event: ${name}\n${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${
    JSON.stringify(data)
  }\n\n`

export type Stream<Position> = {
  /** The body of the response. */
  body: ReadableStream<Uint8Array>
  /**
   * Sends `ready` and, if changes were lost, `reset`. @param cursor the cursor that the client
   * keeps
   */
  open: (cursor: string, isLost: boolean) => void
  add: (change: Change) => void
  /** Replaces the changes in the set by `reset`, after which the client reads everything. */
  reset: () => void
  /**
   * Sends the set, or waits until the reader can take it. @param position the set has the changes
   * up to there
   */
  deliver: (position: Position) => void
  /** Sends a comment, with the cursor of the position if all changes were sent. */
  beat: (position: Position) => void
  /** Closes the stream if its reader has taken nothing for ten seconds. */
  dropIfStuck: () => void
  /** Closes the stream. @param reason the client's reason; without one it only resumes */
  close: (closing: Closing, reason?: EndReason) => void
}

/** The changes that a stream has not sent yet: a bounded set, or `reset` in its place. */
function createUnsent() {
  const changes = new Map<string, Change>()
  let isReset = false
  return {
    isWaiting: () => changes.size > 0 || isReset,
    add: (change: Change): void => {
      const context = `${change.table} ${change.organizationId ?? ''}`
      const ofRequest = `${context} ${change.changeId ?? ''}`
      const key = changes.has(ofRequest) || changes.size < maxSeparate ? ofRequest : context
      const earlier = changes.get(key)
      changes.set(key, earlier === undefined ? change : merge(earlier, change))
    },
    reset: (): void => {
      changes.clear()
      isReset = true
    },
    /**
     * Empties the set. Only the last event has the cursor, so a client that has received a part of
     * them gets all of them again. @returns the events, and the number of changes
     */
    take: (cursor: string): { text: string, size: number } => {
      const events: [name: string, data: object][] = isReset ? [['reset', {}]] : []
      for (const { table, organizationId, actions, ids, changeId } of changes.values()) {
        events.push(['change', {
          table,
          organization_id: organizationId,
          actions: [...actions],
          ids: ids === null ? null : [...ids],
          change_id: changeId,
        }])
      }
      const text = events.map(([name, data], at) =>
        event(name, at === events.length - 1 ? cursor : undefined, data)
      ).join('')
      const { size } = changes
      changes.clear()
      isReset = false
      return { text, size }
    },
  }
}

/**
 * The body of the response. Its text waits until the reader can take it.
 * @param onRequest called when the reader waits for the next part
 * @param onClose called once
 */
function createOutput(onRequest: () => void, onClose: (closing: Closing) => void) {
  let text = 'retry: 1000\n\n'
  let isClosed = false
  /** The reader waits for the next part of the body. */
  let requested: (() => void) | undefined
  let controller: ReadableStreamDefaultController<Uint8Array>

  const finish = (closing: Closing): void => {
    if (isClosed) return
    isClosed = true
    requested?.()
    requested = undefined
    onClose(closing)
  }
  const send = (): void => {
    if (text === '' || requested === undefined) return
    controller.enqueue(encoder.encode(text))
    text = ''
    requested()
    requested = undefined
  }
  const body = new ReadableStream<Uint8Array>({
    start: (of) => {
      controller = of
    },
    pull: () => {
      const part = Promise.withResolvers<void>()
      requested = part.resolve
      onRequest()
      send()
      return part.promise
    },
    cancel: () => finish('client'),
  }, { highWaterMark: 0 })
  return {
    body,
    isClosed: () => isClosed,
    isRequested: () => requested !== undefined,
    write: (more: string): void => {
      text += more
    },
    send,
    /** Closes with an error, so that the reader receives no earlier text. */
    fail: (closing: Closing, error: Error): void => {
      finish(closing)
      controller.error(error)
    },
    /** Closes after a last event. */
    end: (closing: Closing, last: string | undefined): void => {
      if (last !== undefined) controller.enqueue(encoder.encode(last))
      controller.close()
      finish(closing)
    },
  }
}

/**
 * @param encode returns the cursor of a position
 * @param onClose called once
 * @param onSent called with the number of changes in each delivery
 */
export function createStream<Position>(
  encode: (position: Position) => string,
  onClose: (closing: Closing) => void,
  onSent: (changes: number) => void,
): Stream<Position> {
  const unsent = createUnsent()
  let stuckSince: number | undefined
  let isOpen = false
  /** The position up to which the set must be sent once the reader can take it. */
  let due: Position | undefined
  const output = createOutput(() => {
    stuckSince = undefined
    if (due !== undefined) collect(due)
  }, onClose)
  /** Moves the set into the text. */
  const collect = (position: Position): void => {
    const { text, size } = unsent.take(encode(position))
    output.write(text)
    onSent(size)
    due = undefined
  }
  return {
    body: output.body,
    open: (cursor, isLost) => {
      isOpen = true
      output.write(event('ready', isLost ? undefined : cursor, {}))
      if (isLost) output.write(event('reset', cursor, {}))
      output.send()
    },
    add: unsent.add,
    reset: unsent.reset,
    deliver: (position) => {
      if (output.isClosed() || !unsent.isWaiting()) return
      if (!output.isRequested()) due = position
      else {
        collect(position)
        output.send()
      }
    },
    beat: (position) => {
      if (output.isClosed() || !isOpen || !output.isRequested()) return
      output.write(unsent.isWaiting() ? ':\n\n' : `:\nid: ${encode(position)}\n\n`)
      output.send()
    },
    dropIfStuck: () => {
      if (output.isClosed() || !isOpen || output.isRequested()) return
      stuckSince ??= performance.now()
      if (performance.now() - stuckSince < stuckMs) return
      output.fail('slow', new Error('The reader of a live stream takes nothing.'))
    },
    close: (closing, reason) => {
      if (output.isClosed()) return
      // a slow reader would receive earlier changes first
      if (!output.isRequested() && reason !== undefined)
        output.fail(closing, new Error('A live stream has lost its access.'))
      else output.end(closing, reason && event('end', undefined, { reason }))
    },
  }
}
