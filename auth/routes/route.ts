/** A route is one row of data: what a client sends, what is asked of it, what the engine does, and what a client receives. */
import type { z } from 'zod'
import type { Plans } from '../plans.ts'
import type { AuthDatabase } from '../database.ts'
import type { ErrorCode } from '../errors.ts'
import type { Caller, RowPolicy } from '../policy.ts'

/** A page that takes the place of a reply. */
export type PageName = 'verified' | 'link-ended' | 'signed-in' | 'not-signed-in'

/** What a presenter is told beside the engine's reply. */
type Told<Input, Loaded> = { input: Input, loaded: Loaded, caller: Caller }

/** Where a row's `load` finds what the engine's reply lacks. */
export type Sources = { db: AuthDatabase, plans: Plans, caller: Caller }

type Row<Input extends z.ZodType, Reply extends z.ZodType, Answer extends z.ZodType, Found, Loaded> = RowPolicy & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** What it does, in one sentence. */
  summary: string
  /** What else a client should know, in Markdown. */
  description?: string
  /** What a client sends: the query of a GET, the JSON body of the others. */
  input: Input
  /** An input that is accepted as it stands, where it names nothing that must be there first. */
  example?: z.input<Input>
  /** The errors it can give beside those that its policy and its input bring with them (auth/openapi.ts). */
  refuses?: readonly ErrorCode[]
  /** Finds what the engine's request needs and the client does not know. It may not decide anything: nobody has been asked for a session yet. */
  find?: (input: z.output<Input>, db: AuthDatabase) => Promise<Found>
  /** Our input in the engine's words; the same words if absent. */
  toEngine?: (input: z.output<Input>, found: Found) => unknown
  reply: Reply
  /** Loads what is presented beside the engine's reply. @throws Refusal when the reply is none that can be presented */
  load?: (reply: z.output<Reply>, sources: Sources) => Promise<Loaded>
  /** What a client receives, of `wire.ts`. */
  answer: Answer
  /** No I/O. */
  present: (reply: z.output<Reply>, told: Told<z.output<Input>, Loaded>) => z.output<Answer>
  headers?: Record<string, string>
  /** What it does to the session, or tells of it, beside those that `signsIn` begins. */
  ofSession?: 'begins' | 'tells' | 'moves' | 'ends'
  /** What a person's browser is shown in place of the JSON; where there is an app, its own page of this path is told the outcome. */
  page?: Record<'succeeded' | 'failed', PageName> & { ofApp: string }
}

/** A row whose parts have been checked against each other; the one loop that serves it need not know its types. */
export type Route = Omit<Row<z.ZodType, z.ZodType, z.ZodType, never, never>, 'find' | 'toEngine' | 'load' | 'present'> & {
  find?: (input: never, db: AuthDatabase) => Promise<unknown>
  toEngine?: (input: never, found: never) => unknown
  load?: (reply: never, sources: Sources) => Promise<unknown>
  present: (reply: never, told: Told<never, never>) => unknown
}

/** What an answer means for whoever keeps the session and its token: it `begins`, is told, `moves` to another context, or `ends`. */
export const sessionEffectOf = ({ signsIn = 'no', ofSession }: Route): Route['ofSession'] => (signsIn === 'no' ? ofSession : 'begins')

/** The plan of who has signed in, which is answered beside the session. */
export const planOfSignedIn = (reply: { user: { id: string } }, { plans }: Pick<Sources, 'plans'>) => plans.status(reply.user.id)

/** Checks a row's types against each other; at run time it is the identity. */
export const route = <Input extends z.ZodType, Reply extends z.ZodType, Answer extends z.ZodType, Found = undefined, Loaded = undefined>(
  row: Row<Input, Reply, Answer, Found, Loaded>,
): Route => row
