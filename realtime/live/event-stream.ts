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
  const changes = new Map<string, Change>()
  let text = 'retry: 1000\n\n'
  let isReset = false
  let stuckSince: number | undefined
  let isOpen = false
  let isClosed = false
  /** The position up to which the set must be sent once the reader can take it. */
  let due: Position | undefined
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
  const body = new ReadableStream<Uint8Array>({
    start: (of) => {
      controller = of
    },
    pull: () => {
      const part = Promise.withResolvers<void>()
      requested = part.resolve
      stuckSince = undefined
      if (due !== undefined) collect(due)
      send()
      return part.promise
    },
    cancel: () => finish('client'),
  }, { highWaterMark: 0 })

  const isWaiting = () => changes.size > 0 || isReset

  /**
   * Moves the set into the text. Only the last event has the cursor, so a client that has received
   * a part of them gets all of them again.
   */
  function collect(position: Position): void {
    const cursor = encode(position)
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
    text += events.map(([name, data], at) =>
      event(name, at === events.length - 1 ? cursor : undefined, data)
    ).join('')
    onSent(changes.size)
    changes.clear()
    isReset = false
    due = undefined
  }
  function send(): void {
    if (text === '' || requested === undefined) return
    controller.enqueue(encoder.encode(text))
    text = ''
    requested()
    requested = undefined
  }

  return {
    body,
    open: (cursor, isLost) => {
      isOpen = true
      text += event('ready', isLost ? undefined : cursor, {})
      if (isLost) text += event('reset', cursor, {})
      send()
    },
    add: (change) => {
      const context = `${change.table} ${change.organizationId ?? ''}`
      const ofRequest = `${context} ${change.changeId ?? ''}`
      const key = changes.has(ofRequest) || changes.size < maxSeparate ? ofRequest : context
      const earlier = changes.get(key)
      changes.set(key, earlier === undefined ? change : merge(earlier, change))
    },
    reset: () => {
      changes.clear()
      isReset = true
    },
    deliver: (position) => {
      if (isClosed || !isWaiting()) return
      if (requested === undefined) due = position
      else {
        collect(position)
        send()
      }
    },
    beat: (position) => {
      if (isClosed || !isOpen || requested === undefined) return
      text += isWaiting() ? ':\n\n' : `:\nid: ${encode(position)}\n\n`
      send()
    },
    dropIfStuck: () => {
      if (isClosed || !isOpen || requested !== undefined) return
      stuckSince ??= performance.now()
      if (performance.now() - stuckSince < stuckMs) return
      finish('slow')
      controller.error(new Error('The reader of a live stream takes nothing.'))
    },
    close: (closing, reason) => {
      if (isClosed) return
      if (requested === undefined && reason !== undefined) {
        // a slow reader would receive earlier changes first
        finish(closing)
        controller.error(new Error('The access of a live stream has ended.'))
        return
      }
      if (reason !== undefined)
        controller.enqueue(encoder.encode(event('end', undefined, { reason })))
      controller.close()
      finish(closing)
    },
  }
}
