/**
 * A service of streams for tests: its responses are written by hand, and its time passes by
 * command.
 */
import { setImmediate } from 'node:timers/promises'
import { createRowChanges, type RowChanges, type RowsNotice } from '../../client/rows.ts'
import type { Change, Session } from '../../client/session.ts'
import type { Clock } from '../../client/stream.ts'

type TestClock = Clock & {
  /** Lets time pass, with all timers that are due. */
  pass: (seconds: number) => Promise<void>
  /** The number of timers that are set. */
  timers: () => number
}

/** Lets everything run that waits for no timer. */
const settle = async () => {
  for (let round = 0; round < 20; round += 1) await setImmediate()
}

function testClock(): TestClock {
  let now = 0
  const timers = new Map<object, { at: number, work: () => void }>()
  return {
    now: () => now,
    later: (work, delay) => {
      const timer = {}
      timers.set(timer, { at: now + delay, work })
      return () => {
        timers.delete(timer)
      }
    },
    random: () => 0.5,
    timers: () => timers.size,
    pass: async (seconds) => {
      const end = now + seconds * 1000
      await settle()
      while (true) {
        const [next] = [...timers].filter(([, { at }]) => at <= end)
          .toSorted(([, one], [, other]) => one.at - other.at)
        if (next === undefined) break
        const [timer, { at, work }] = next
        timers.delete(timer)
        now = at
        work()
        await settle()
      }
      now = end
    },
  }
}

/** A request for the stream, and the text that the service sends. */
type Connection = {
  tables: readonly string[]
  cursor: string | undefined
  signal: AbortSignal
  /** Sends text without any framing. */
  write: (text: string) => Promise<void>
  send: (name: string, data: object, id?: string) => Promise<void>
  /** Ends the response. */
  end: () => Promise<void>
}

type TestClient = RowChanges & {
  clock: TestClock
  connections: Connection[]
  /** The newest connection. */
  last: () => Connection
  /** Replaces the response to the next requests; undefined for a stream. */
  answer: (response: (() => Response | Promise<Response>) | undefined) => void
  /** Sets the session, as a sign-in or another tab does. */
  setSession: (session: Session | null) => Promise<void>
  /** The number of requests for the session. */
  rechecks: () => number
  /** Runs when the client requests the session. */
  onRecheck: (work: () => Promise<void>) => void
  /** Adds a listener. @returns its notices, and a function that removes it */
  listen: (
    ...tables: Parameters<RowChanges['onRows']>[0]
  ) => { notices: RowsNotice[], stop: () => void }
}

export const ann: Session = { id: 's1', user_id: 'ann', active_organization_id: null }

/** @param start the session at the start; undefined if it is not loaded yet */
export function testClient(start: { session: Session | undefined } = { session: ann }): TestClient {
  let session: Session | null | undefined = start.session
  const clock = testClock()
  const connections: Connection[] = []
  const listeners = new Set<(change: Change) => void>()
  let answer: (() => Response | Promise<Response>) | undefined
  let rechecks = 0
  let recheck = async () => {}
  const eventOf = (now: Session | null, previous: Session | null): Change['event'] =>
    now === null
      ? 'session-ended'
      : now.user_id === previous?.user_id
      ? 'organization-changed'
      : 'signed-in'
  const setSession = async (now: Session | null) => {
    const previous = session ?? null
    session = now
    for (const listener of listeners)
      queueMicrotask(() => listener({ event: eventOf(now, previous), session: now, previous }))
    await settle()
  }
  const store = {
    current: () => session,
    onChange: (listener: (change: Change) => void) => {
      listeners.add(listener)
      if (session !== undefined)
        queueMicrotask(() =>
          listener({ event: 'signed-in', session: session ?? null, previous: null })
        )
      return () => void listeners.delete(listener)
    },
  }
  const request = async (
    tables: readonly string[],
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
    signal.addEventListener('abort', () => controller?.error(signal.reason))
    const write = async (text: string) => {
      controller?.enqueue(new TextEncoder().encode(text))
      await settle()
    }
    connections.push({
      tables,
      cursor,
      signal,
      write,
      send: (name, data, id) =>
        write(
          `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${
            JSON.stringify(data)
          }\n\n`,
        ),
      end: async () => {
        controller?.close()
        await settle()
      },
    })
    if (answer === undefined)
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    const response = answer()
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error))
    })
    return Promise.race([response, aborted])
  }
  const rows = createRowChanges('test', store, request, async () => {
    rechecks += 1
    await recheck()
  }, clock)
  return {
    ...rows,
    clock,
    connections,
    last: () => {
      const last = connections.at(-1)
      if (last === undefined) throw new Error('The client has not requested the stream.')
      return last
    },
    answer: (response) => {
      answer = response
    },
    setSession,
    rechecks: () => rechecks,
    onRecheck: (work) => {
      recheck = work
    },
    listen: (...tables) => {
      const notices: RowsNotice[] = []
      return { notices, stop: rows.onRows(tables, (notice) => notices.push(notice)) }
    },
  }
}

/** The data of a change, as the service sends it. */
export const changed = (
  table: string,
  changeId: string | null = null,
  ids: string[] | null = ['r1'],
) => ({
  table,
  organization_id: null,
  actions: ['create'],
  ids,
  change_id: changeId,
})
