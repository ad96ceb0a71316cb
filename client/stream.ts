/**
 * The connection to the stream of changes. It reconnects by itself and resumes after the last
 * event. While the service refuses the stream or does not respond, it reports a reset every 30
 * seconds instead.
 */
import { readEvents, type StreamEvent } from './events.ts'

/** Time and chance, which tests replace. */
export type Clock = {
  now: () => number
  /** Runs `work` after a delay in milliseconds. @returns a function that cancels it */
  later: (work: () => void, delay: number) => () => void
  /** Returns a number between 0 and 1. */
  random: () => number
}

export const realClock: Clock = {
  now: () => Date.now(),
  later: (work, delay) => {
    const timer = setTimeout(work, delay)
    return () => {
      clearTimeout(timer)
    }
  },
  random: () => Math.random(),
}

/**
 * `open`: each change is reported. `polling`: resets replace the stream. `connecting`: neither yet.
 */
export type StreamState = 'connecting' | 'open' | 'polling'

export type StreamOptions = {
  /** Requests the stream. @param cursor the id of the last event */
  request: (cursor: string | undefined, signal: AbortSignal) => Promise<Response>
  /**
   * Requests the session again, because the service ended the stream or refused its credential. If
   * it has changed, the caller restarts or closes the stream.
   */
  recheck: () => Promise<unknown>
  onState: (state: StreamState, cursor: string | undefined) => void
  onChange: (data: string, cursor: string | undefined) => void
  /**
   * Runs before `onState` if both have news: a listener that gets its first reset with the state
   * needs no second one.
   */
  onReset: () => void
  clock: Clock
}

export type Stream = {
  /** Connects anew, from the last event. */
  restart: () => void
  /** Connects anew if the network may have lost the connection unnoticed. */
  check: () => void
  close: () => void
}

/**
 * The result of a connection. `rejected` has the pause that the service requests, in milliseconds;
 * 0 for none.
 */
type Outcome = 'closed' | 'ended' | 'unauthorized' | { rejected: number }

/** The service sends `ready` at once. A proxy that buffers the response does not deliver it. */
const readyTimeoutMs = 10_000
/** The service sends a comment every 20 seconds. */
const silenceMs = 45_000
/** A shorter connection counts as a failure, so that the next pause is longer. */
const steadyMs = 10_000
const pollMs = 30_000
const longestPauseMs = 30_000
const longestRejectionMs = 300_000

const retryAfterOf = ({ headers }: Response) => (Number(headers.get('retry-after')) || 0) * 1000

/** Receives events until the connection ends or is silent. */
async function connectOnce(
  { request, clock }: StreamOptions,
  cursor: string | undefined,
  connection: AbortController,
  receive: (event: StreamEvent) => void,
): Promise<Outcome> {
  let isReady = false
  const limit = () => clock.later(() => connection.abort(), isReady ? silenceMs : readyTimeoutMs)
  let cancelLimit = limit()
  try {
    const response = await request(cursor, connection.signal)
    if (response.status === 401) return 'unauthorized'
    // a service that restarts is back soon
    if (response.status >= 500 && !response.headers.has('retry-after')) return 'closed'
    if (!response.ok || !response.body) return { rejected: retryAfterOf(response) }
    for await (const event of readEvents(response.body)) {
      isReady ||= event.name === 'ready'
      if (isReady) {
        cancelLimit()
        cancelLimit = limit()
      }
      receive(event)
      if (event.name === 'end') return 'ended'
    }
    return isReady ? 'closed' : { rejected: 0 }
  } catch {
    return connection.signal.aborted && !isReady ? { rejected: 0 } : 'closed'
  } finally {
    cancelLimit()
    connection.abort()
  }
}

/**
 * Returns the pause after a connection that the service rejected.
 * @param requested the pause that the service requests; 0 for none
 * @param rejections the number of connections in sequence that were rejected before
 */
const pauseAfterRejection = (requested: number, rejections: number, clock: Clock) =>
  (requested || Math.min(pollMs * 2 ** rejections, longestRejectionMs)) * (1 + clock.random() / 2)

/**
 * Returns the pause after a connection that was lost.
 * @param losses the number of connections in sequence that were lost soon
 */
const pauseAfterLoss = (retryMs: number, losses: number, clock: Clock) =>
  Math.min(retryMs * 2 ** (losses - 1), longestPauseMs) * (0.5 + clock.random())

/** @param cursor the id of the last event that another connection received */
// oxlint-disable-next-line max-lines-per-function -- one state of a connection, which each event, timer and pause changes
export function openStream(
  options: StreamOptions,
  cursor: string | undefined,
): Stream {
  const { recheck, onState, onChange, onReset, clock } = options
  /** Aborted by `close`. */
  const life = new AbortController()
  let connection = new AbortController()
  let isRestarted = false
  let lastReceived = clock.now()
  let retryMs = 1_000
  let isResetDue = false
  let cancelPoll = () => {}
  /** Ends the current pause. */
  let wake = () => {}

  let state: StreamState = 'connecting'
  const setState = (next: StreamState) => {
    state = next
    onState(state, cursor)
  }
  const poll = () => {
    cancelPoll()
    cancelPoll = clock.later(() => {
      onReset()
      setState('polling')
      poll()
    }, pollMs)
  }

  const receive = ({ name, data, id, retry }: StreamEvent): void => {
    lastReceived = clock.now()
    // the next connection repeats the rest of an aborted one
    if (life.signal.aborted || isRestarted) return undefined
    if (id !== undefined) cursor = id
    if (retry !== undefined && retry > 0) retryMs = retry
    if (name === 'change') return onChange(data, cursor)
    if (name === 'reset') return onReset()
    if (name !== 'ready') return state === 'open' ? onState(state, cursor) : undefined
    cancelPoll()
    if (isResetDue) onReset()
    isResetDue = false
    setState('open')
  }

  const connect = (): Promise<Outcome> => {
    connection = new AbortController()
    // changes before a stream that resumes nothing are unknown
    if (cursor === undefined) isResetDue = true
    return connectOnce(options, cursor, connection, receive)
  }

  const pause = async (delay: number, canWake: boolean): Promise<void> => {
    await new Promise<void>((resolve) => {
      const cancel = clock.later(resolve, delay)
      wake = () => {
        // only the end of the stream ends a pause that the service requested
        if (!canWake && !life.signal.aborted) return
        cancel()
        resolve()
      }
    })
    wake = () => {}
  }

  const run = async (): Promise<void> => {
    /** Connections in sequence that were refused, or lost soon. */
    let rejections = 0
    let losses = 0
    poll()
    while (!life.signal.aborted) {
      isRestarted = false
      const startedAt = clock.now()
      let outcome = await connect()
      if (life.signal.aborted) return
      if (state === 'open') {
        setState('connecting')
        poll()
        rejections = 0
      }
      if (outcome === 'ended' || outcome === 'unauthorized') {
        await recheck().catch(() => undefined)
        if (life.signal.aborted) return
        if (outcome === 'unauthorized') outcome = { rejected: 0 }
      }
      if (isRestarted) continue
      if (typeof outcome === 'object') {
        if (state === 'connecting') setState('polling')
        await pause(pauseAfterRejection(outcome.rejected, rejections, clock), false)
        rejections += 1
      } else {
        losses = clock.now() - startedAt < steadyMs ? losses + 1 : 1
        await pause(pauseAfterLoss(retryMs, losses, clock), true)
      }
    }
  }
  const restart = () => {
    isRestarted = true
    connection.abort()
    wake()
  }
  void run()
  return {
    restart,
    check: () => {
      wake()
      if (state === 'open' && clock.now() - lastReceived > pollMs) connection.abort()
    },
    close: () => {
      life.abort()
      cancelPoll()
      connection.abort()
      wake()
    },
  }
}
