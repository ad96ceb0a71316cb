/** A route is one row of data with a handler. The row is the policy, the description and the schemas. */
import type { HttpBindings } from '@hono/node-server'
import type { AuthContext } from 'better-auth'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Config } from './config.ts'
import type { AuthDatabase, Connections, PreparedQuery } from './database.ts'
import type { HashingQueue } from './engine/passwords.ts'
import type { Guesses, Limits } from './engine/rate-limits.ts'
import { refuse, type ErrorCode } from './errors.ts'
import type { ChangeStreams } from './features/change/streams.ts'
import type { Files } from './features/file/files.ts'
import type { Provider } from './features/single-sign-on/provider.ts'
import type { Signer } from './keys/signing-keys.ts'
import type { FairQueue } from '../common/fair-queue.ts'
import type { Log } from '../common/log.ts'
import type { Mailer } from './mail/mailer.ts'
import type { Plans } from './plans.ts'
import type { Receivers } from './webhooks/sender.ts'
import type { Caller, Client, Policy } from './policy.ts'

/** The parts of the service that handlers use. */
export type Services = {
  config: Config
  db: AuthDatabase
  prepared: PreparedQuery
  inTransaction: Connections['inTransaction']
  outsideTransaction: Connections['outsideTransaction']
  /** better-auth: its router, its context for code of our own, and the signer of tokens. */
  engine: { handler: (request: Request) => Promise<Response>, context: AuthContext, sign: Signer }
  /** Returns null if there is no session. Extends a session that is due for renewal. */
  readSession: (c: RouteContext) => Promise<Caller | null>
  plans: Plans
  limits: Limits
  guesses: Guesses
  hashingQueue: HashingQueue
  files: Files
  /** Limits uploads. */
  uploadQueue: Pick<FairQueue, 'enter'>
  /** Limits the connections that reads of calendars hold, because their secret is the only credential. */
  calendarQueue: FairQueue
  /** Limits the connections that deletions of users and organizations hold, because each can take minutes. */
  deletionQueue: FairQueue
  mailer: Mailer
  /** The servers that may receive webhooks. */
  receivers: Receivers
  /** The provider of single sign-on. Undefined without OIDC_ISSUER. */
  provider: Provider | undefined
  streams: ChangeStreams
  log: Log
}

type Variables = {
  requestId: string
  services: Services
  client: Client
  /** Undefined on routes without a session. */
  caller: Caller | undefined
  /** The API key of a request that has one instead of a session. The handler checks it. */
  apiKey: string | undefined
  /** The token of the data surface of a request that has one instead of a session. The handler checks it. */
  token: string | undefined
  /** The Cookie header of the request, or the one that its bearer token stands for. */
  cookie: string | undefined
  /** Whether the client is a native app, which receives tokens instead of cookies. */
  isApp: boolean
  /** The Set-Cookie headers of the response. */
  cookies: string[]
  /** The URL to which a browser is redirected instead of receiving a page. */
  redirectTo: string | undefined
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
  /** Errors in addition to those that follow from the policy and the input: description/auth.ts. */
  refuses?: readonly ErrorCode[]
  output: Output
  /** Returns the response body, or the response itself if the body is not JSON. @throws Refusal */
  handle: (c: RouteContext, input: z.output<Input>) => z.output<Output> | Response | Promise<z.output<Output> | Response>
  /** Default: application/json. */
  mediaType?: 'text/event-stream' | 'text/calendar' | 'application/octet-stream'
  /** Whether the body is a file, which the handler reads. The input is then the path. */
  isFile?: true
  headers?: Record<string, string>
  /** Optional headers of the request that change the response, each with a sentence. */
  requestHeaders?: Record<string, string>
  /** The effect on the client's session. A row with `startsSession` needs none. */
  sessionEffect?: 'begins' | 'tells' | 'moves' | 'ends'
  /** Pages that a browser receives in place of the JSON. `ofApp` is the app's page that receives the outcome instead. */
  page?: Record<'succeeded' | 'failed', PageName> & { ofApp: string }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A checked row, for code that serves all rows. */
export type Route = Omit<Row<z.ZodType, z.ZodType>, 'handle'> & { method: Method, path: string, handle: (c: RouteContext, input: never) => unknown }

/** Makes a route from a row. The compiler checks that the handler fits the schemas. A GET that changes nothing needs no transaction. */
export const route = <Input extends z.ZodType, Output extends z.ZodType>(method: Method, path: string, row: Row<Input, Output>): Route => ({
  method,
  path,
  isAtomic: method !== 'GET',
  ...row,
})

/** Returns a handler that does the work and then responds with a fixed body. */
export const respondWith = <Input, Body>(body: Body, work: (c: RouteContext, input: Input) => Promise<unknown>) => async (c: RouteContext, input: Input) => {
  await work(c, input)
  return body
}

/** Returns the effect that a response has on the client's session. */
export const sessionEffectOf = ({ startsSession = 'no', sessionEffect }: Route): Route['sessionEffect'] => (startsSession === 'no' ? sessionEffect : 'begins')

/** Whether a request to the route only reads. */
export const isRead = (row: Route): boolean => row.method === 'GET' && sessionEffectOf(row) !== 'begins'

/** Returns the signed-in user and session. @throws Refusal UNAUTHORIZED */
export const callerOf = (c: RouteContext): Caller => c.var.caller ?? refuse('UNAUTHORIZED')
