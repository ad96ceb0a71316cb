/**
 * One live stream as server-sent events. Changes that it has not yet sent are a bounded set: a few
 * of single requests, and one for each table and context. So a slow reader costs no queue. It sends
 * only when the connection can take more.
 */
import type { Writable } from 'node:stream'
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

const event = (name: string, cursor: string | undefined, data: object): string =>
  `event: ${name}\n${cursor === undefined ? '' : `id: ${cursor}\n`}data: ${
    JSON.stringify(data)
  }\n\n`

/** The changes that a stream has not sent yet: a bounded set, or `reset` in its place. */
function createUnsent() {
  const changes = new Map<string, Change>()
  let isReset = false
  return {
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
     * Only the last event has the cursor, so a client that has received a part of them gets all of
     * them again. @returns the events, and the number of changes
     */
    toText: (cursor: string): { text: string, size: number } => {
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
      return { text, size: changes.size }
    },
  }
}

/**
 * One live stream. Its text waits until the connection has taken the earlier one. It is a class,
 * because thousands of streams then share their functions.
 */
export class Stream<Position> {
  readonly #encode: (position: Position) => string
  readonly #onClose: (closing: Closing) => void
  readonly #onSent: (changes: number) => void
  /** Absent while there is nothing to send. */
  #unsent: ReturnType<typeof createUnsent> | undefined
  #text = 'retry: 1000\n\n'
  /** The response, as soon as its headers are set. */
  #outgoing: Writable | undefined
  #isOpen = false
  #isClosed = false
  /** The connection has not yet taken the earlier text, or there is none yet. */
  #isBusy = true
  #stuckSince: number | undefined
  /** The position up to which the set must be sent once the reader can take it. */
  #due: Position | undefined

  /**
   * @param encode returns the cursor of a position
   * @param onClose called once
   * @param onSent called with the number of changes in each delivery
   */
  constructor(
    encode: (position: Position) => string,
    onClose: (closing: Closing) => void,
    onSent: (changes: number) => void,
  ) {
    this.#encode = encode
    this.#onClose = onClose
    this.#onSent = onSent
  }

  /**
   * Sends `ready` and, if changes were lost, `reset`. @param cursor the cursor that the client
   * keeps
   */
  open(cursor: string, isLost: boolean): void {
    this.#isOpen = true
    this.#write(event('ready', isLost ? undefined : cursor, {}))
    if (isLost) this.#write(event('reset', cursor, {}))
  }

  /** Begins to send. @param outgoing the response, after its headers */
  sendTo(outgoing: Writable): void {
    this.#outgoing = outgoing
    outgoing.once('close', () => this.#finish('client'))
    // the access or the client may have gone in the meantime
    if (outgoing.destroyed) this.#finish('client')
    if (this.#isClosed) outgoing.end()
    else this.#free()
  }

  add(change: Change): void {
    this.#unsent ??= createUnsent()
    this.#unsent.add(change)
  }

  /** Replaces the changes in the set by `reset`, after which the client reads everything. */
  reset(): void {
    this.#unsent ??= createUnsent()
    this.#unsent.reset()
  }

  /**
   * Sends the set, or waits until the reader can take it. @param position the set has the changes
   * up to there
   */
  deliver(position: Position): void {
    if (this.#isClosed || this.#unsent === undefined) return
    if (this.#isBusy) this.#due = position
    else this.#collect(position)
  }

  /**
   * Sends a comment, with the cursor of the position if all changes were sent. @param position
   * undefined if the client has its cursor
   */
  beat(position: Position | undefined): void {
    if (this.#isClosed || !this.#isOpen || this.#isBusy) return
    this.#write(
      position === undefined || this.#unsent !== undefined
        ? ':\n\n'
        : `:\nid: ${this.#encode(position)}\n\n`,
    )
  }

  /** Closes the stream if its reader has taken nothing for ten seconds. */
  dropIfStuck(): void {
    if (this.#isClosed || !this.#isOpen || !this.#isBusy) return
    this.#stuckSince ??= performance.now()
    if (performance.now() - this.#stuckSince >= stuckMs) this.#cut('slow')
  }

  /** Closes the stream. @param reason the client's reason; without one it only resumes */
  close(closing: Closing, reason?: EndReason): void {
    if (this.#isClosed) return
    // a slow reader would receive earlier changes first
    if (this.#isBusy && reason !== undefined) return this.#cut(closing)
    this.#finish(closing)
    this.#outgoing?.end(reason && event('end', undefined, { reason }))
  }

  /** Closes the connection, so that the reader receives no earlier text. */
  #cut(closing: Closing): void {
    this.#finish(closing)
    this.#outgoing?.destroy()
  }

  #finish(closing: Closing): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onClose(closing)
  }

  /** Called when the connection has taken the earlier text. */
  #free(): void {
    if (this.#isClosed) return
    this.#isBusy = false
    this.#stuckSince = undefined
    if (this.#due === undefined) this.#write('')
    else this.#collect(this.#due)
  }

  /** Sends the set. */
  #collect(position: Position): void {
    const { text = '', size = 0 } = this.#unsent?.toText(this.#encode(position)) ?? {}
    this.#unsent = undefined
    this.#due = undefined
    this.#write(text)
    this.#onSent(size)
  }

  #write(more: string): void {
    this.#text += more
    if (this.#text === '' || this.#isBusy) return
    this.#isBusy = true
    this.#outgoing?.write(this.#text, () => this.#free())
    this.#text = ''
  }
}
