/**
 * Listeners for changes of rows, the stream that all tabs share, and the changes that this tab has
 * made itself.
 */
import type { TableName } from './database.ts'
import type { SessionStore } from './session.ts'
import { type Clock, openStream, type Stream, type StreamState } from './stream.ts'
import { electLeader, type Leadership, onReturn } from './tabs.ts'

/** A notice for the listeners of `onRows`. It has no values: read the rows again. */
export type RowsNotice =
  | {
    event: 'change'
    table: TableName
    /** The context of the rows: an organization, or null for the personal one. */
    organizationId: string | null
    actions: ReadonlyArray<'create' | 'update' | 'delete'>
    /** The ids of the rows; null if they are too many. */
    ids: readonly string[] | null
    /** The request that made the change, as in `activity`; null for several requests or none. */
    changeId: string | null
  }
  /**
   * Read all rows of the tables again. This is the first notice, and follows whenever changes may
   * have been missed.
   */
  | { event: 'reset' }

type Change = Extract<RowsNotice, { event: 'change' }>

/**
 * A message between tabs. Its fields are a protocol: two tabs can run different versions of the
 * app.
 */
type Message =
  /** A tab has a new listener, or the leader's stream lacks its tables. */
  | { kind: 'join', tables: readonly string[] }
  /** The state of the leader's stream, of these tables. It repeats at least every 30 seconds. */
  | { kind: 'state', state: StreamState, tables: readonly string[], cursor: string | undefined }
  | { kind: 'change', change: Change, cursor: string | undefined }
  | { kind: 'reset' }

type Subscription = {
  tables: readonly TableName[]
  listener: (notice: RowsNotice) => void
  /** The listener gets a reset as soon as the stream covers its tables. */
  isResetDue: boolean
}

/**
 * A leader that sends nothing for this time is asleep. Browsers may run its timers only once a
 * minute. The waits of the other tabs differ.
 */
const leaderSilenceMs = 100_000
/** A tab that has received nothing for this time was asleep, and may have missed messages. */
const missedMs = 45_000
/** Interval at which a process waits for its first session. */
const waitMs = 30_000
/**
 * Maximum wait for the response to a request of this tab, whose change the stream may report first.
 */
const responseMs = 1_000
/** Time after a change in which reads must not come from a standby, which may be behind. */
const settledMs = 5_000
/** The number of this tab's latest changes to recognize. */
const rememberedChanges = 1_000

type StreamedChange = {
  table: TableName
  organization_id: string | null
  actions: Change['actions']
  ids: string[] | null
  change_id: string | null
}

const parse = (data: string): Change => {
  const { table, organization_id: organizationId, actions, ids, change_id: changeId } = JSON.parse(
    data,
  ) as StreamedChange
  return { event: 'change', table, organizationId, actions, ids, changeId }
}

export type RowChanges = {
  onRows: (tables: readonly TableName[], listener: (notice: RowsNotice) => void) => () => void
  /** Observes a request of this tab, so that its change is not reported to this tab. */
  watch: (request: Promise<Response>) => Promise<Response>
  /** Returns true shortly after a change of this tab or a notice. */
  isSettling: () => boolean
}

/** Observes the requests of this tab, to recognize their changes in the stream. */
function createOwnChanges(clock: Clock) {
  let changedAt = -Infinity
  const ids = new Set<string>()
  const requests = new Set<Promise<unknown>>()
  const mark = () => {
    changedAt = clock.now()
  }
  return {
    /** Notes that rows have just changed. */
    mark,
    includes: ({ changeId }: Change) => changeId !== null && ids.has(changeId),
    hasRequests: () => requests.size > 0,
    isSettling: () => clock.now() - changedAt < settledMs,
    /**
     * Waits for the requests in progress, because one of them may have made a change that the
     * stream reports before the response.
     */
    settle: async () => {
      let cancel = () => {}
      const limit = new Promise<void>((resolve) => {
        cancel = clock.later(resolve, responseMs)
      })
      await Promise.race([Promise.allSettled(requests), limit])
      cancel()
    },
    watch: async (sent: Promise<Response>): Promise<Response> => {
      requests.add(sent)
      try {
        const response = await sent
        const id = response.headers.get('x-change-id')
        if (id !== null) {
          ids.add(id)
          mark()
        }
        const [oldest] = ids
        if (ids.size > rememberedChanges && oldest !== undefined) ids.delete(oldest)
        return response
      } finally {
        requests.delete(sent)
      }
    },
  }
}

/**
 * Creates the listeners of a client.
 * @param name differs between clients that share no tabs
 * @param request requests the stream of some tables @param recheck requests the session again
 */
// oxlint-disable-next-line max-lines-per-function -- one state of a tab, which each message and each step of the protocol changes
export function createRowChanges(
  name: string,
  store: Pick<SessionStore, 'current' | 'onChange'>,
  request: (
    tables: readonly string[],
    cursor: string | undefined,
    signal: AbortSignal,
  ) => Promise<Response>,
  recheck: () => Promise<unknown>,
  clock: Clock,
): RowChanges {
  const ownChanges = createOwnChanges(clock)
  const subscriptions = new Set<Subscription>()
  /** The tables of this tab, and those of other tabs that it has received. */
  const wanted = new Set<string>()
  let cursor: string | undefined
  let cursorUser: string | undefined
  let group: Leadership<Message> | undefined
  let stream: Stream | undefined
  let state: StreamState = 'connecting'
  let lastMessage = clock.now()
  let cancelWatch = () => {}

  const notify = (subscription: Subscription, notice: RowsNotice) => {
    ownChanges.mark()
    // each listener runs in its own microtask, so that its exception does not reach this caller
    queueMicrotask(() => {
      if (subscriptions.has(subscription)) subscription.listener(notice)
    })
  }
  const notifyChange = (change: Change) => {
    if (ownChanges.includes(change)) return
    for (const subscription of subscriptions)
      if (subscription.tables.includes(change.table)) notify(subscription, change)
  }
  const notifyLater = async (change: Change) => {
    await ownChanges.settle()
    notifyChange(change)
  }

  const receive = (message: Message): void => {
    if (message.kind === 'join') return cover(message.tables)
    lastMessage = clock.now()
    if (stream === undefined) watchLeader()
    if ('cursor' in message && message.cursor !== undefined) cursor = message.cursor
    if (message.kind === 'reset') {
      // the other listeners get theirs with the state of a stream that covers their tables
      for (const subscription of subscriptions)
        if (!subscription.isResetDue) notify(subscription, { event: 'reset' })
      return
    }
    if (message.kind === 'change') {
      const { change } = message
      return change.changeId === null || !ownChanges.hasRequests()
        ? notifyChange(change)
        : void notifyLater(change)
    }
    state = message.state
    for (const table of message.tables) wanted.add(table)
    const isCovered = ({ tables }: Subscription) =>
      tables.every((table) => message.tables.includes(table))
    // the leader may have been asleep, or another tab, when this tab joined
    rejoin([...subscriptions].filter((subscription) => !isCovered(subscription)))
    if (state === 'connecting') return
    for (const subscription of subscriptions) {
      if (!subscription.isResetDue || !isCovered(subscription)) continue
      subscription.isResetDue = false
      notify(subscription, { event: 'reset' })
    }
  }
  /** Sends the tables of this tab again, for listeners that may have missed changes. */
  const rejoin = (missed: readonly Subscription[]) => {
    for (const subscription of missed) subscription.isResetDue = true
    if (missed.length > 0) group?.send({ kind: 'join', tables: [...wanted] })
  }
  /** Handles a message of this tab's stream, and passes it to the other tabs. */
  const publish = (message: Message) => {
    group?.send(message)
    receive(message)
  }
  const publishState = () => publish({ kind: 'state', state, tables: [...wanted], cursor })
  /** Adds the tables of a listener. If this tab leads, its stream covers them. */
  const cover = (tables: readonly string[]) => {
    const missing = tables.filter((table) => !wanted.has(table))
    for (const table of missing) wanted.add(table)
    if (stream === undefined) return
    if (missing.length > 0 && state !== 'polling') {
      state = 'connecting'
      stream.restart()
    }
    publishState()
  }
  const watchLeader = () => {
    cancelWatch()
    cancelWatch = clock.later(() => group?.takeOver(), leaderSilenceMs * (1 + clock.random() / 4))
  }

  const lead = () => {
    cancelWatch()
    state = 'connecting'
    stream = openStream({
      request: (last, signal) => request([...wanted], last, signal),
      recheck,
      onState: (next, last) => {
        state = next
        cursor = last
        publishState()
      },
      onChange: (data, last) => publish({ kind: 'change', change: parse(data), cursor: last }),
      onReset: () => publish({ kind: 'reset' }),
      clock,
    }, cursor)
    return () => {
      stream?.close()
      stream = undefined
    }
  }
  const leave = () => {
    const left = group
    group = undefined
    left?.leave()
    cancelWatch()
    state = 'connecting'
  }
  /** Joins the tabs if there are a listener and a session. */
  const join = () => {
    const userId = store.current()?.user_id
    if (group !== undefined || userId === undefined || subscriptions.size === 0) return
    if (userId !== cursorUser) {
      cursor = undefined
      for (const subscription of subscriptions) subscription.isResetDue = true
    }
    cursorUser = userId
    // outside of a browser the tab leads at once, before the assignment
    group = electLeader<Message>(`${name} rows`, lead, receive)
    if (stream === undefined) {
      watchLeader()
      group.send({ kind: 'join', tables: [...wanted] })
    }
  }

  const check = () => {
    if (stream !== undefined) stream.check()
    else if (clock.now() - lastMessage > missedMs) rejoin([...subscriptions])
  }
  /** Keeps a process in Node running until the session is loaded. */
  const wait = () => {
    cancelWatch = clock.later(wait, waitMs)
  }
  let unfollow: (() => void) | undefined
  const follow = () => {
    if (store.current() === undefined) wait()
    const stop = store.onChange(({ session, previous }) => {
      if (session === null || session.user_id !== previous?.user_id) leave()
      else stream?.restart()
      join()
    })
    const stopReturns = onReturn(check)
    return () => {
      stop()
      stopReturns()
    }
  }

  const onRows: RowChanges['onRows'] = (tables, listener) => {
    const subscription: Subscription = { tables, listener, isResetDue: true }
    subscriptions.add(subscription)
    unfollow ??= follow()
    cover(tables)
    if (stream === undefined) group?.send({ kind: 'join', tables })
    return () => {
      subscriptions.delete(subscription)
      if (subscriptions.size > 0) return
      unfollow?.()
      unfollow = undefined
      leave()
      // the next listener reads everything first
      cursor = undefined
    }
  }
  return { onRows, watch: ownChanges.watch, isSettling: ownChanges.isSettling }
}
