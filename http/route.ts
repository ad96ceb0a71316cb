/**
 * A route is one row of data with a handler. The row is the policy, the description and the
 * schemas.
 */
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Transaction } from 'kysely'
import type { z } from 'zod'
import type { Tables } from '../db/types.ts'
import type { ErrorCode } from '../common/error-codes.ts'
import type { Log } from '../common/log.ts'
import type { AddressRange } from '../common/settings.ts'
import type { AuthDatabase, Connections, PreparedQuery } from './database.ts'
import { reject } from './errors.ts'
import type { Origins } from './origins.ts'
import type { Caller, Client, Policy } from './policy.ts'
import type { Limits } from './rate-limits.ts'

/**
 * The settings that serve any route. A room adds those that its handlers read: `declare module`.
 */
export interface ServiceConfig {
  publicUrl: string
  secret: string
  /** The origins whose pages may call with credentials and receive redirects. */
  origins: Origins
  trustedProxies: AddressRange[]
  /** `none` if the app is on another site. */
  cookieSameSite: 'lax' | 'none'
}

/** The claims of our tokens. Those that issueToken() may leave out are optional. */
export type TokenClaims = {
  sub: string
  sid: string
  iat: number
  exp: number
  claims: { organization_id?: string, organization_role?: string }
  api_key?: string
}

/** The user and the context of an API key. */
type ApiKeyCaller = { id: string, userId: string, organizationId: string | null, role: string }

/** The seam of identity: all that the other rooms need of it. auth/identity.ts builds it. */
export type Identity = {
  /** Sets the credentials of the request. @throws Rejection */
  readCredentials: (c: RouteContext, row: Route) => void
  /** Returns null if there is no session. Extends a session that is due for renewal. */
  readSession: (c: RouteContext) => Promise<Caller | null>
  /** Adds the cookies of the request to the response. */
  sendCookies: (c: RouteContext, headers: Headers) => void
  /** Returns the page or the redirect for a browser. */
  pageOf: (
    c: RouteContext,
    response: Response,
    page: NonNullable<Route['page']>,
  ) => Promise<Response>
  /** Returns why an address may not sign up; undefined if it may. */
  signUpProblem: (email: string) => Promise<ErrorCode | undefined>
  /**
   * Waits for a slot of the hashing queue. @returns the function that releases it @throws Rejection
   * SERVICE_BUSY
   */
  enterHashingQueue: (network: string) => Promise<() => void>
  /**
   * Counts a guess at the password of an account. @returns a function that uncounts it @throws
   * Rejection RATE_LIMIT_EXCEEDED
   */
  countGuess: (email: string) => Promise<() => Promise<void>>
  /**
   * Requires the password or a recent sign-in. @throws Rejection INVALID_PASSWORD,
   * FRESH_SIGN_IN_REQUIRED
   */
  confirmCaller: (c: RouteContext, password: string | undefined) => Promise<unknown>
  /**
   * Runs work in a transaction that locks the caller's account. @throws Rejection UNAUTHORIZED if
   * the session was deleted
   */
  withAccountLock: <Result>(
    c: RouteContext,
    work: (trx: Transaction<Tables>) => Promise<Result>,
  ) => Promise<Result>
  /**
   * Verifies the signature of a token of the data surface. @returns undefined if no key of ours
   * signed it
   */
  verifyToken: (token: string) => Promise<TokenClaims | undefined>
  /**
   * Finds a key that is alive, and notes its use. @throws Rejection UNAUTHORIZED,
   * RATE_LIMIT_EXCEEDED
   */
  useApiKey: (c: RouteContext, key: string) => Promise<ApiKeyCaller>
}

/** The parts that serve any route. */
type CoreServices = {
  config: ServiceConfig
  db: AuthDatabase
  prepared: PreparedQuery
  inTransaction: Connections['inTransaction']
  outsideTransaction: Connections['outsideTransaction']
  limits: Limits
  identity: Identity
  log: Log
}

/** The parts that handlers use. A room adds its own: `declare module`. */
export interface Services extends CoreServices {}

/** The parts of a process, which serves only the routes of its own rooms. */
export type ProcessServices = CoreServices & Partial<Services>

/**
 * Sends the body of a response to the connection, after the headers. It costs less memory than a
 * body that Hono sends, for as long as the response lasts.
 */
export type SendBody = (outgoing: HttpBindings['outgoing']) => void

type Variables = {
  requestId: string
  services: Services
  client: Client
  /** Undefined on routes without a session. */
  caller: Caller | undefined
  /** The API key of a request that has one instead of a session. The handler checks it. */
  apiKey: string | undefined
  /**
   * The token of the data surface of a request that has one instead of a session. The handler
   * checks it.
   */
  token: string | undefined
  /** The Cookie header of the request, or the one that its bearer token stands for. */
  cookie: string | undefined
  /** Whether the client is a native app, which receives tokens instead of cookies. */
  isApp: boolean
  /** The Set-Cookie headers of the response. */
  cookies: string[]
  /** The URL to which a browser is redirected instead of receiving a page. */
  redirectTo: string | undefined
  /** Sends the body in Hono's place. A handler of a long response sets it. */
  sendBody: SendBody | undefined
}

export type Env = { Bindings: HttpBindings, Variables: Variables }
export type RouteContext = Context<Env>

/** A page that replaces a response. */
export type PageName = 'verified' | 'link-ended' | 'signed-in' | 'not-signed-in'

type Row<Input extends z.ZodType, Output extends z.ZodType> = Partial<Policy> & {
  /** One sentence. */
  summary: string
  /** Markdown. */
  description?: string
  /** The query of a GET, or the JSON body. */
  input: Input
  /** A valid input that needs no existing row. */
  example?: z.input<Input>
  /** Errors in addition to those that follow from the policy and the input: http/description.ts. */
  rejects?: readonly ErrorCode[]
  output: Output
  /**
   * Returns the response body, or the response itself if the body is not JSON. @throws Rejection
   */
  handle: (
    c: RouteContext,
    input: z.output<Input>,
  ) => z.output<Output> | Response | Promise<z.output<Output> | Response>
  /** Default: application/json. */
  mediaType?: 'text/event-stream' | 'text/calendar' | 'application/octet-stream'
  /** Whether the body is a file, which the handler reads. The input is then the path. */
  isFile?: true
  headers?: Record<string, string>
  /** Optional headers of the request that change the response, each with a sentence. */
  requestHeaders?: Record<string, string>
  /** The effect on the client's session. A row with `startsSession` needs none. */
  sessionEffect?: 'starts' | 'reads' | 'switches' | 'ends'
  /**
   * Pages that a browser receives in place of the JSON. `ofApp` is the app's page that receives the
   * outcome instead.
   */
  page?: Record<'succeeded' | 'failed', PageName> & { ofApp: string }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A checked row, for code that serves all rows. */
export type Route = Omit<Row<z.ZodType, z.ZodType>, 'handle'> & {
  method: Method
  path: string
  handle: (c: RouteContext, input: never) => unknown
}

/**
 * Makes a route from a row. The compiler checks that the handler fits the schemas. A GET that
 * changes nothing needs no transaction.
 */
export const route = <Input extends z.ZodType, Output extends z.ZodType>(
  method: Method,
  path: string,
  row: Row<Input, Output>,
): Route => ({
  method,
  path,
  isAtomic: method !== 'GET',
  ...row,
})

/** Returns a handler that does the work and then responds with a fixed body. */
export const respondWith =
  <Input, Body>(body: Body, work: (c: RouteContext, input: Input) => Promise<unknown>) =>
  async (c: RouteContext, input: Input) => {
    await work(c, input)
    return body
  }

/** Returns the effect that a response has on the client's session. */
export const sessionEffectOf = (
  { startsSession = 'no', sessionEffect }: Route,
): Route['sessionEffect'] => (startsSession === 'no' ? sessionEffect : 'starts')

/** Whether a request to the route only reads. */
export const isRead = (row: Route): boolean =>
  row.method === 'GET' && sessionEffectOf(row) !== 'starts'

/** Returns the signed-in user and session. @throws Rejection UNAUTHORIZED */
export const callerOf = (c: RouteContext): Caller => c.var.caller ?? reject('UNAUTHORIZED')
