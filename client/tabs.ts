/**
 * Shares session state between the tabs of one app, and runs work in one tab at a time. If the browser lacks BroadcastChannel or Web
 * Locks, or there is no browser, each tab works by itself.
 */

/** Maximum wait for the answers of sleeping tabs, in milliseconds. */
const answerTimeoutMs = 1_000

/** A message between tabs. Its fields are a protocol: two tabs can run different versions of the app. */
type Message<State> =
  | { kind: 'news', news: State }
  | { kind: 'question', asked: string }
  | { kind: 'answer', asked: string, news: State | undefined }

/** The part of the Web Locks API that this file uses. */
type Locks = {
  request: {
    <Result>(name: string, work: () => Promise<Result>): Promise<Result>
    (name: string, options: { mode: 'shared' }, work: () => Promise<unknown>): Promise<unknown>
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
  /** Requests the state of the other tabs. Resolves after `onState` has run for each answer, or after the timeout. */
  requestState: () => Promise<void>
  /** Runs `work` while no other tab runs any. */
  withLock: <Result>(work: () => Promise<Result>) => Promise<Result>
}

const singleTab: Tabs<unknown> = { broadcast: () => undefined, requestState: () => Promise.resolve(), withLock: (work) => work() }

/**
 * Connects the tabs that share `name`.
 *
 * Connects only if there is a document. Node also has channels and locks, but there two clients of a process are two users. They must
 * not receive each other's tokens.
 */
export function joinTabs<State>(name: string, { onState, currentState }: TabHandlers<State>): Tabs<State> {
  if (!('document' in globalThis) || typeof BroadcastChannel === 'undefined') return singleTab
  const channel = new BroadcastChannel(name)
  const send = (message: Message<State>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin and takes none
    channel.postMessage(message)
  }
  const waiting = new Map<string, () => void>()
  channel.addEventListener('message', (event) => {
    const { data } = event as unknown as { data: Message<State> }
    if (data.kind === 'question') return send({ kind: 'answer', asked: data.asked, news: currentState() })
    if (data.news !== undefined) onState(data.news)
    if (data.kind === 'answer') waiting.get(data.asked)?.()
  })
  const broadcast = (state: State) => {
    send({ kind: 'news', news: state })
  }
  // undefined on an origin without TLS
  const { locks } = globalThis.navigator as { locks?: Locks }
  if (locks === undefined) return { ...singleTab, broadcast }

  // each tab holds this shared lock for its lifetime, so that the others know how many answers to wait for
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
