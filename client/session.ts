/**
 * What this tab knows of the session, and the token that stands for it. The token is kept in memory alone. Facts have the
 * time of this machine at which they were true, and a newer one wins, whichever tab it comes from.
 */
import { FinanceError } from './errors.ts'
import { joinTabs } from './tabs.ts'

/** Who is signed in, and in which context. */
export type Session = { id: string, user_id: string, active_organization_id: string | null }

/** What a listener is told. */
export type Change = {
  /** `session-ended` is the end that nobody here asked for. */
  event: 'signed-in' | 'signed-out' | 'session-ended' | 'organization-changed'
  /** null without one. */
  session: Session | null
  /** The one before; null when there was none or none was known. */
  previous: Session | null
}

/** A token as it is kept: `renewAt` and `endsAt` in milliseconds of this machine's clock. */
export type Token = { value: string, session: Session, at: number, renewAt: number, endsAt: number }

export type News = { session: Session | null, at: number, end?: Change['event'], token?: Token }

/** First and longest pause between two attempts to find out the first state, in milliseconds. */
const pauses = { first: 1_000, longest: 30_000 }

/** A token is renewed so long before it ends, in milliseconds. */
const margin = 60_000

const isSame = (a: Session | null | undefined, b: Session | null) =>
  a === b || (a != null && b !== null && a.id === b.id && a.user_id === b.user_id && a.active_organization_id === b.active_organization_id)

/** Reads a token that has just been issued. @param at when it was asked for, because the clocks of two machines differ */
function read(value: string, at: number): Token {
  const [, payload = ''] = value.split('.')
  const text = new TextDecoder().decode(Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0)))
  const { sid, user_id, iat, exp, claims } = JSON.parse(text) as {
    sid: string
    user_id: string
    iat: number
    exp: number
    claims?: { organization_id?: string }
  }
  const endsAt = at + (exp - iat) * 1000
  // one that lives shorter than the margin is renewed in the middle of its life
  const renewAt = Math.max(endsAt - margin, (at + endsAt) / 2)
  return { value, session: { id: sid, user_id, active_organization_id: claims?.organization_id ?? null }, at, renewAt, endsAt }
}

/** Does something later. In Node the wait keeps no process alive. */
const afterwards = (work: () => Promise<void>, delay: number): void => {
  const timer: unknown = setTimeout(() => void work(), delay)
  if (typeof timer === 'object') (timer as { unref: () => void }).unref()
}

/**
 * Builds what a client knows.
 * @param name tells apart the apps of one origin that use different backends
 * @param fetchToken asks the auth surface for a token. @throws FinanceError with status 401 without a session, which it has
 * then said to `learn`
 * @param fetchSession asks the auth surface who is signed in, and says the answer to `learn`
 */
export function sessionKeeper(name: string, fetchToken: () => Promise<string>, fetchSession: () => Promise<unknown>) {
  const listeners = new Set<(change: Change) => void>()
  let known: Session | null | undefined
  // what others remember from before this tab is no news: somebody may have signed in by another page since
  let knownAt = Date.now()
  let held: Token | undefined
  let flight: Promise<Token | null> | undefined

  /** Takes a fact that is not older than what is known. @returns whether it is the present state now */
  const take = ({ session, at, end = 'session-ended', token }: News): boolean => {
    // a clock that was put back must not make everything old
    knownAt = Math.min(knownAt, Date.now())
    if (at < knownAt && !isSame(known, session)) return false
    const previous = known ?? null
    const isNews = !isSame(known, session)
    const isFirst = known === undefined
    known = session
    knownAt = Math.max(at, knownAt)
    if (token !== undefined && token.endsAt > (held?.endsAt ?? 0)) held = token
    if (held !== undefined && !isSame(held.session, session)) held = token
    if (!isNews) return true
    const event = session === null
      ? (isFirst ? 'signed-out' : end)
      : previous?.user_id !== session.user_id
      ? 'signed-in'
      : previous.active_organization_id === session.active_organization_id
      ? undefined
      : 'organization-changed'
    // after what is running: a listener that throws fails by itself
    if (event !== undefined) { for (const listener of listeners) queueMicrotask(() => listener({ event, session, previous })) }
    return true
  }
  const tabs = joinTabs<News>(name, {
    hear: take,
    answer: () => (known === undefined ? undefined : { session: known, at: knownAt, ...(held && { token: held }) }),
  })
  const learn = (news: News): boolean => {
    const wasNews = !isSame(known, news.session) || news.token !== undefined
    const isTaken = take(news)
    if (isTaken && wasNews) tabs.tell(news)
    return isTaken
  }

  const isGood = (refused: string | undefined) => held !== undefined && held.value !== refused && Date.now() < held.renewAt

  const renew = (refused: string | undefined): Promise<Token | null> =>
    tabs.inTurn(async () => {
      await tabs.ask()
      // what happened in another tab while this one waited for its turn
      if (isGood(refused)) return held ?? null
      if (known === null) return null
      const at = Date.now()
      try {
        const token = read(await fetchToken(), at)
        return learn({ session: token.session, at, token }) ? token : null
      } catch (error) {
        if (error instanceof FinanceError && error.status === 401) return null
        // the one that is there is good for a while
        if (held !== undefined && held.value !== refused && Date.now() < held.endsAt) return held
        throw error
      }
    })

  /** A search for the first state is under way. */
  let isSearching = false
  /** Asks for the first state until it is known, unless another tab or another request finds it out meanwhile. */
  const findOut = async (pause: number): Promise<void> => {
    isSearching = true
    await tabs.inTurn(() => (known === undefined ? fetchSession() : Promise.resolve())).catch(() => undefined)
    isSearching = known === undefined && listeners.size > 0
    if (isSearching) afterwards(() => findOut(Math.min(pause * 2, pauses.longest)), pause)
  }

  return {
    learn,
    current: () => known,
    /**
     * A token that is good for a while, asked for once for all who need one.
     * @param refused one that the data surface did not take
     * @returns null without a session
     * @throws FinanceError when the auth surface does not answer
     */
    token: async (refused?: string): Promise<Token | null> => {
      // an answer that a sign-in or a change of the organization has overtaken is worth nothing; one more is asked for
      for (let attempt = 0; attempt < 3; attempt += 1) {
        if (known === null) return null
        if (held !== undefined && isGood(refused)) return held
        flight ??= renew(refused).finally(() => {
          flight = undefined
        })
        const token = await flight
        if (token !== null) return token
      }
      return null
    },
    onChange: (listener: (change: Change) => void) => {
      listeners.add(listener)
      const session = known
      if (session !== undefined) queueMicrotask(() => listener({ event: session === null ? 'signed-out' : 'signed-in', session, previous: null }))
      else if (!isSearching) {
        isSearching = true
        // a request that the page is about to make may find it out
        afterwards(() => findOut(pauses.first), 0)
      }
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

export type SessionKeeper = ReturnType<typeof sessionKeeper>
