/** A route is one row of data: what a client sends, what is asked of it, what the engine does, and what a client receives. */
import type { z } from 'zod'
import type { Plans } from '../plans.ts'
import type { AuthDatabase } from '../database.ts'
import type { Caller, RowPolicy } from '../policy.ts'

/** A page that takes the place of a reply. */
export type PageName = 'verified' | 'link-ended'

/** What a presenter is told beside the engine's reply. */
type Told<Input, Loaded> = { input: Input, loaded: Loaded, caller: Caller }

/** Where a row's `load` finds what the engine's reply lacks. */
export type Sources = { db: AuthDatabase, plans: Plans, caller: Caller }

type Row<Input extends z.ZodType, Reply extends z.ZodType, Found, Loaded> = RowPolicy & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  /** What a client sends: the query of a GET, the JSON body of the others. */
  input: Input
  /** Finds what the engine's request needs and the client does not know. It may not decide anything: nobody has been asked for a session yet. */
  find?: (input: z.output<Input>, db: AuthDatabase) => Promise<Found>
  /** Our input in the engine's words; the same words if absent. */
  toEngine?: (input: z.output<Input>, found: Found) => unknown
  reply: Reply
  /** Loads what is presented beside the engine's reply. @throws Refusal when the reply is none that can be presented */
  load?: (reply: z.output<Reply>, sources: Sources) => Promise<Loaded>
  /** No I/O. */
  present: (reply: z.output<Reply>, told: Told<z.output<Input>, Loaded>) => unknown
  headers?: Record<string, string>
  /** What a person's browser is shown in place of the JSON. */
  page?: Record<'succeeded' | 'failed', PageName>
}

/** A row whose parts have been checked against each other; the one loop that serves it need not know its types. */
export type Route = Omit<Row<z.ZodType, z.ZodType, never, never>, 'find' | 'toEngine' | 'load' | 'present'> & {
  find?: (input: never, db: AuthDatabase) => Promise<unknown>
  toEngine?: (input: never, found: never) => unknown
  load?: (reply: never, sources: Sources) => Promise<unknown>
  present: (reply: never, told: Told<never, never>) => unknown
}

/** Checks a row's types against each other; at run time it is the identity. */
export const route = <Input extends z.ZodType, Reply extends z.ZodType, Found = undefined, Loaded = undefined>(row: Row<Input, Reply, Found, Loaded>): Route =>
  row
