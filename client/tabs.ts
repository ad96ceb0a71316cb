/**
 * The other tabs of the same app: what is news to them, what they know, and who goes first. Where a browser lacks one of the
 * two parts, or there is no browser, a tab is alone and everything still works.
 */

/** How long tabs that are asleep are waited for, in milliseconds. */
const patience = 1_000

type Message<News> =
  | { kind: 'news', news: News }
  | { kind: 'question', asked: string }
  | { kind: 'answer', asked: string, news: News | undefined }

/** As much of the browser's locks as is used. */
type Locks = {
  request: {
    <Result>(name: string, work: () => Promise<Result>): Promise<Result>
    (name: string, options: { mode: 'shared' }, work: () => Promise<unknown>): Promise<unknown>
  }
  query: () => Promise<{ held?: Array<{ name?: string }> }>
}

/** What a tab does when it hears of others. */
export type Ears<News> = {
  hear: (news: News) => void
  /** What this tab knows that one which asks may lack. */
  answer: () => News | undefined
}

export type Tabs<News> = {
  tell: (news: News) => void
  /** Asks what the others know. Resolves when each has answered and been heard. */
  ask: () => Promise<void>
  /** Runs `work` when no other tab runs any. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

const alone: Tabs<unknown> = { tell: () => undefined, ask: () => Promise.resolve(), inTurn: (work) => work() }

/**
 * Joins the tabs that share `name`.
 *
 * Only where there is a document: Node has channels and locks as well, but there two clients of a process are two people,
 * who must not hear of each other's tokens.
 */
export function joinTabs<News>(name: string, { hear, answer }: Ears<News>): Tabs<News> {
  if (!('document' in globalThis) || typeof BroadcastChannel === 'undefined') return alone
  const channel = new BroadcastChannel(name)
  const send = (message: Message<News>) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin and takes none
    channel.postMessage(message)
  }
  const waiting = new Map<string, () => void>()
  channel.addEventListener('message', (event) => {
    const { data } = event as unknown as { data: Message<News> }
    if (data.kind === 'question') return send({ kind: 'answer', asked: data.asked, news: answer() })
    if (data.news !== undefined) hear(data.news)
    if (data.kind === 'answer') waiting.get(data.asked)?.()
  })
  const tell = (news: News) => {
    send({ kind: 'news', news })
  }
  // absent on an origin without TLS
  const { locks } = globalThis.navigator as { locks?: Locks }
  if (locks === undefined) return { ...alone, tell }

  // held for as long as the tab lives, so that the others know how many answers to wait for
  const presence = `${name} tab`
  const present = new Promise<void>((resolve) => {
    void locks.request(presence, { mode: 'shared' }, () => {
      resolve()
      return new Promise(() => undefined)
    })
  })
  const ask = async () => {
    await present
    const { held = [] } = await locks.query()
    let left = held.filter((lock) => lock.name === presence).length - 1
    if (left <= 0) return
    const asked = `${Math.random()}`
    await new Promise<void>((resolve) => {
      setTimeout(resolve, patience)
      waiting.set(asked, () => {
        left -= 1
        if (left === 0) resolve()
      })
      send({ kind: 'question', asked })
    })
    waiting.delete(asked)
  }
  return { tell, ask, inTurn: (work) => locks.request(name, work) }
}
