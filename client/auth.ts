/** The auth surface: a method for each of its routes. */
import { financeError } from './errors.ts'
import { type Auth, routes, sessionEffects } from './routes.ts'
import type { News, Session, SessionKeeper } from './session.ts'

/** As much of `fetch` as is used. */
export type Send = (url: string, init: RequestInit) => Promise<Response>

type Input = Record<string, string | null | undefined>
type Table = { readonly [name: string]: readonly [method: string, path: string] | Table }
type Replied = { session: Partial<Session> }

type Effect = typeof sessionEffects[keyof typeof sessionEffects]

/** What an answer says about the session. `at` is when it was asked for, `now` when it came. */
const facts: Record<Effect, (reply: Replied, at: number, now: number, before: Session | null | undefined) => News | undefined> = {
  begins: ({ session }, _, now) => ({ session: sessionIn(session), at: now }),
  tells: ({ session }, at) => ({ session: sessionIn(session), at }),
  ends: (_reply, _at, now) => ({ session: null, at: now, end: 'signed-out' }),
  moves: ({ session }, _, now, before) => (before ? { session: sessionIn({ ...before, ...session }), at: now } : undefined),
}

const sessionIn = ({ id = '', user_id = '', active_organization_id = null }: Partial<Session>): Session => ({ id, user_id, active_organization_id })

/**
 * Builds the methods. What they learn about the session they tell the keeper.
 * @param url of the auth surface
 * @returns the methods, and `settled`, which resolves when no change is under way
 */
export function authMethods(url: string, send: Send, keeper: () => SessionKeeper): { auth: Auth, settled: () => Promise<unknown> } {
  /** GET requests on their way: who asks the same meanwhile gets the same answer. */
  const underWay = new Map<string, Promise<unknown>>()
  /** Requests on their way that change something. */
  const changes = new Set<Promise<unknown>>()
  /** Whatever changes something may make another person of the caller: what was asked before its answer is shared with nobody after it. */
  const changing = async <Answer>(asked: Promise<Answer>): Promise<Answer> => {
    underWay.clear()
    return asked.finally(() => underWay.clear())
  }

  const call = async (method: string, path: string, input: Input = {}): Promise<unknown> => {
    const at = Date.now()
    const isGet = method === 'GET'
    const query = new URLSearchParams(Object.entries(input).flatMap(([name, value]) => (value == null ? [] : [[name, value] as [string, string]])))
    const address = `${url}${path}${isGet && query.size > 0 ? `?${query}` : ''}`
    const sent = send(address, {
      method,
      credentials: 'include',
      headers: { accept: 'application/json', ...(isGet ? {} : { 'content-type': 'application/json' }) },
      ...(isGet ? {} : { body: JSON.stringify(input) }),
      // others wait for a token
      ...(path === '/token' && { signal: AbortSignal.timeout(10_000) }),
    })
    const reply = await (isGet ? sent : changing(sent)).catch((error: unknown) => {
      throw financeError(error, 0)
    })
    const body: unknown = await reply.json().catch(() => undefined)
    if (!reply.ok) {
      const error = financeError(body, reply.status, input)
      if (error.code === 'UNAUTHORIZED') keeper().learn({ session: null, at })
      throw error
    }
    const effect = (sessionEffects as Readonly<Record<string, Effect | undefined>>)[path]
    if (effect !== undefined) {
      const news = facts[effect](body as Replied, at, Date.now(), keeper().current())
      if (news !== undefined) keeper().learn(news)
      // nobody has asked yet whose session it is
      else await call('GET', '/get-session')
    }
    return body
  }

  const once = (method: string, path: string, input?: Input): Promise<unknown> => {
    if (method !== 'GET') {
      const change = call(method, path, input).finally(() => changes.delete(change))
      changes.add(change)
      return change
    }
    const question = `${path} ${JSON.stringify(input)}`
    const running = underWay.get(question)
    if (running !== undefined) return running
    const asked = call(method, path, input).finally(() => {
      if (underWay.get(question) === asked) underWay.delete(question)
    })
    underWay.set(question, asked)
    return asked
  }

  const build = (table: Table): object =>
    Object.fromEntries(
      Object.entries(table).map(([name, row]) => [name, isRow(row) ? (input?: Input) => once(row[0], row[1], input) : build(row)]),
    )
  return { auth: build(routes) as Auth, settled: () => Promise.allSettled(changes) }
}

const isRow = (row: Table[string]): row is readonly [string, string] => Array.isArray(row)
