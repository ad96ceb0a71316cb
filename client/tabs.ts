/**
 * Shares session state between the tabs of one app, runs work in one tab at a time, and elects a
 * leader. If the browser lacks BroadcastChannel or Web Locks, or there is no browser, each tab
 * works by itself.
 */

/** Maximum wait for the answers of sleeping tabs, in milliseconds. */
const answerTimeoutMs = 1_000

/**
 * A message between tabs. Its fields are a protocol: two tabs can run different versions of the
 * app.
 */
type Message<State> =
  | { kind: 'news', news: State }
  | { kind: 'question', asked: string }
  | { kind: 'answer', asked: string, news: State | undefined }

/** The part of the Web Locks API that this file uses. */
type Locks = {
  request: {
    <Result>(name: string, work: () => Promise<Result>): Promise<Result>
    (
      name: string,
      options: { mode?: 'shared', steal?: true, signal?: AbortSignal },
      work: () => Promise<unknown>,
    ): Promise<unknown>
  }
  query: () => Promise<{ held?: Array<{ name?: string }> }>
}

/** Callbacks for messages from other tabs. */
export type TabHandlers<State> = {
  onState: (state: State) => void
  /** Returns this tab's state for another tab. */
  currentState: () => State | undefined
}

export type Tabs<State> = {
  /** Sends a new state to the other tabs. */
  broadcast: (state: State) => void
  /**
   * Requests the state of the other tabs. Resolves after `onState` has run for each answer, or
   * after the timeout.
   */
  requestState: () => Promise<void>
  /** Runs `work` while no other tab runs any. */
  withLock: <Result>(work: () => Promise<Result>) => Promise<Result>
}

const singleTab: Tabs<unknown> = {
  broadcast: () => undefined,
  requestState: () => Promise.resolve(),
  withLock: (work) => work(),
}

const hasChannels = () => 'document' in globalThis && typeof BroadcastChannel !== 'undefined'

/** Returns undefined on an origin without TLS. */
const locksOf = () => (globalThis.navigator as { locks?: Locks }).locks

/**
 * Connects the tabs that share `name`.
 *
 * Connects only if there is a document. Node also has channels and locks, but there two clients of
 * a process are two users. They must not receive each other's tokens.
 */
export function joinTabs<State>(
  name: string,
  { onState, currentState }: TabHandlers<State>,
): Tabs<State> {
  if (!hasChannels()) return singleTab
  const channel = new BroadcastChannel(name)
  const send = (message: Message<State>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin and takes none
    channel.postMessage(message)
  }
  const waiting = new Map<string, () => void>()
  channel.addEventListener('message', (event) => {
    const { data } = event as unknown as { data: Message<State> }
    if (data.kind === 'question')
      return send({ kind: 'answer', asked: data.asked, news: currentState() })
    if (data.news !== undefined) onState(data.news)
    if (data.kind === 'answer') waiting.get(data.asked)?.()
  })
  const broadcast = (state: State) => {
    send({ kind: 'news', news: state })
  }
  const locks = locksOf()
  if (locks === undefined) return { ...singleTab, broadcast }

  // each tab holds this shared lock for its lifetime, so that the others know how many answers to
  // wait for
  const presence = `${name} tab`
  const present = new Promise<void>((resolve) => {
    void locks.request(presence, { mode: 'shared' }, () => {
      resolve()
      return new Promise(() => undefined)
    })
  })
  const requestState = async () => {
    await present
    const { held = [] } = await locks.query()
    let missing = held.filter((lock) => lock.name === presence).length - 1
    if (missing <= 0) return
    const id = `${Math.random()}`
    await new Promise<void>((resolve) => {
      setTimeout(resolve, answerTimeoutMs)
      waiting.set(id, () => {
        missing -= 1
        if (missing === 0) resolve()
      })
      send({ kind: 'question', asked: id })
    })
    waiting.delete(id)
  }
  return { broadcast, requestState, withLock: (work) => locks.request(name, work) }
}

export type Leadership<Content> = {
  /** Sends a message to the other tabs. */
  send: (message: Content) => void
  /** Becomes the leader instead of another tab, which has stopped responding. */
  takeOver: () => void
  /** Leaves the tabs. If this tab leads, another one becomes the leader. */
  leave: () => void
}

/**
 * Lets one of the tabs that share `name` lead. If it closes, another tab becomes the leader.
 * Without locks each visible tab leads.
 * @param lead runs when this tab becomes the leader. Returns a function that runs when it no longer
 * is.
 * @param onMessage receives the messages of the other tabs
 */
export function electLeader<Content>(
  name: string,
  lead: () => () => void,
  onMessage: (message: Content) => void,
): Leadership<Content> {
  const locks = hasChannels() ? locksOf() : undefined
  if (locks === undefined)
    return {
      send: () => undefined,
      takeOver: () => undefined,
      leave: leadWhileVisible(lead),
    }
  const channel = new BroadcastChannel(name)
  channel.addEventListener(
    'message',
    (event) => onMessage((event as unknown as { data: Content }).data),
  )
  let isMember = true
  let turn = new AbortController()
  let stop: (() => void) | undefined
  let release: (() => void) | undefined
  const hold = () =>
    new Promise<void>((resolve) => {
      if (!isMember) return resolve()
      release = resolve
      stop = lead()
    })
  const queue = (isForced: boolean) => {
    turn = new AbortController()
    const { signal } = turn
    // the options `steal` and `signal` exclude each other
    void locks.request(name, isForced ? { steal: true } : { signal }, hold).catch(() => {
      // an aborted request has never led; otherwise another tab has taken over
      if (signal.aborted) return
      stop?.()
      stop = undefined
      if (isMember) queue(false)
    })
  }
  queue(false)
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin and takes none
    send: (message) => channel.postMessage(message),
    takeOver: () => {
      if (stop !== undefined) return
      turn.abort()
      queue(true)
    },
    leave: () => {
      isMember = false
      turn.abort()
      stop?.()
      stop = undefined
      release?.()
      channel.close()
    },
  }
}

type Observable = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>

/** Returns undefined outside of a browser. */
const pageOf = () =>
  (globalThis as { document?: Observable & { visibilityState: string } }).document

/**
 * Leads while the page is visible, and always outside of a browser. An origin without TLS has no
 * locks and no HTTP/2: the streams of six tabs would take all connections of the browser.
 */
function leadWhileVisible(lead: () => () => void): () => void {
  const page = pageOf()
  if (page === undefined) return lead()
  let stop: (() => void) | undefined
  const follow = () => {
    if (page.visibilityState === 'visible') stop ??= lead()
    else {
      stop?.()
      stop = undefined
    }
  }
  follow()
  page.addEventListener('visibilitychange', follow)
  return () => {
    page.removeEventListener('visibilitychange', follow)
    stop?.()
  }
}

/**
 * Calls the listener when the page becomes visible, or the network returns. @returns a function
 * that removes the listener
 */
export function onReturn(listener: () => void): () => void {
  const page = pageOf()
  if (page === undefined) return () => undefined
  const network = globalThis as unknown as Observable
  const see = () => {
    if (page.visibilityState === 'visible') listener()
  }
  network.addEventListener('online', listener)
  page.addEventListener('visibilitychange', see)
  return () => {
    network.removeEventListener('online', listener)
    page.removeEventListener('visibilitychange', see)
  }
}
