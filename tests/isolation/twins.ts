/**
 * Two databases that are the same but for strangers: in the first strangers have the values that are asked for, in the
 * second as many strangers have others. Whatever a caller asks, the two must answer alike, byte for byte.
 */
import pg from 'pg'
import { calling } from './calls.ts'
import { freshDatabase } from '../support/database.ts'
import { startStack } from '../support/stack.ts'
import { nameOf, reading, writing, type Asked, type Question } from './questions.ts'
import type { Place } from './run.ts'
import { sender, type Answer, type Request, type Sender } from './sender.ts'
import { admit, type Crowd } from './strangers.ts'
import { createWorld, type Actor, type World } from './world.ts'

/** How many strangers each twin has, and so rows of strangers in each table. */
const crowd = 2_000
export const strangers: Crowd = { start: 3_000, size: crowd, choice: 1 }
const others: Crowd = { start: 6_000, size: crowd, choice: 2 }
/** What each caller has, in no order that an index would give. */
const ownRows = 12
const own = (at: number): Crowd => ({ start: 1_000 + at * 100, size: ownRows, choice: 0 })

/** Who asks: nobody of these has a right to a stranger's row. */
const callers = ['anonymous', 'personal', 'removed, new token', 'removed, old token', 'owner of B', 'viewer of B']

/** Whose rows they have: those who have none of their own are asked to read only. */
const tenants = [{ of: ['personal'], user: 'solo', organization: null }, { of: ['owner of B', 'viewer of B'], user: 'b-owner', organization: 'team-b' }]

/** A question whose answers differ; `isExpected` where one of the exceptions says so. */
export type Difference = { question: Question, answers: [Answer, Answer], isExpected: boolean }
export type Twins = {
  world: World
  actors: Actor[]
  /** The owner's connections, to the twin with the values and to the one without. */
  owners: [pg.Client, pg.Client]
  questions: Question[]
  /** Asks both. */
  ask(actor: Actor, request: Request): Promise<[Answer, Answer]>
  /** @returns the questions whose answers differ; the first few only, if told. What changes rows is asked once: the twins drift apart by the exceptions. */
  compare(options?: { questions?: Question[], stopAtFirst?: boolean }): Promise<Difference[]>
  close(): Promise<void>
}

const concurrency = 4

/** What may differ, each with its reason. One that never differs is an error, so that none outlives its reason. */
export const exceptions: { operation: RegExp, reason: string }[] = [
  {
    operation: /^(?:POST|PUT) with a taken key/,
    reason: 'a primary key is taken or not; that confirms a random uuid to who has it already, and shows nothing of its row',
  },
]

const isExpected = (question: Question): boolean => exceptions.some(({ operation }) => operation.test(question.operation))

/** What of an answer is compared: all but the time of day. */
const told = ({ status, text, headers }: Answer): string => `${status}\n${headers.replace(/^Date\n.*$/m, '')}\n${text}`

async function withStrangers(place: Place, world: World, some: Crowd): Promise<pg.Client> {
  const owner = new pg.Client({ connectionString: place.ownerUrl })
  await owner.connect()
  await admit(owner, world.catalogue, some)
  // the planner knows all there is to know, and nothing is left to do behind its back
  await owner.query('vacuum analyze')
  return owner
}

/** Fills a database and copies it, because the two must be the same in all that no stranger has. */
export async function openTwins(): Promise<Twins> {
  const base = await freshDatabase()
  const baseOwner = new pg.Client({ connectionString: base.ownerUrl })
  await baseOwner.connect()
  const world = await createWorld(baseOwner)
  const actors = callers.map((name) => world.actors.find((actor) => actor.name === name)).filter((actor) => actor !== undefined)
  for (const [at, tenant] of tenants.entries()) await admit(baseOwner, world.catalogue, own(at), tenant)
  // it would free space in one of the two, where changed rows then stand in another order
  await baseOwner.query(`do $$
    declare
      one regclass;
    begin
      for one in select oid from pg_class where relkind = 'r' and relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace) loop
        execute format('alter table %s set (autovacuum_enabled = false)', one);
      end loop;
    end $$`)
  await baseOwner.end()
  // Few rows an answer, so that count=estimated estimates for somebody with few rows too. Connections are replaced often,
  // because each question is another query, whose plan they keep.
  const open = () => startStack({ auth: false, data: true, template: base.name, dataEnv: { PGRST_DB_MAX_ROWS: '5', PGRST_DB_POOL_MAX_LIFETIME: '5' } })
  const places = [await open(), await open()] as const
  await base.drop()
  const owners: [pg.Client, pg.Client] = [await withStrangers(places[0], world, strangers), await withStrangers(places[1], world, others)]
  const senders = places.map(({ dataUrl }) => sender(dataUrl, concurrency)) as [Sender, Sender]

  const ask: Twins['ask'] = (actor, request) => Promise.all([senders[0].send(actor.token, request), senders[1].send(actor.token, request)])
  const questions = actors.flatMap((actor) => [...questionsOf(world, actor)])
  return {
    world,
    actors,
    owners,
    questions,
    ask,
    async compare({ questions: some = questions, stopAtFirst = false } = {}) {
      const differences: Difference[] = []
      const one = async (question: Question): Promise<void> => {
        const answers = await ask(question.actor, question.request)
        if (told(answers[0]) !== told(answers[1])) differences.push({ question, answers, isExpected: isExpected(question) })
      }
      const isDone = (): boolean => stopAtFirst && differences.length > 0
      const waiting = some.filter(({ isWriting }) => isWriting !== true)
      await Promise.all(Array.from({ length: concurrency }, async () => {
        for (let next = waiting.shift(); next !== undefined && !isDone(); next = waiting.shift()) await one(next)
      }))
      // what is expected to differ makes rows in one twin alone, so it comes last
      const changing = some.filter(({ isWriting }) => isWriting === true).toSorted((a, b) => Number(isExpected(a)) - Number(isExpected(b)))
      for (const question of changing) if (!isDone()) await one(question)
      return differences
    },
    async close() {
      for (const { close } of senders) close()
      for (const owner of owners) await owner.end()
      for (const place of places) await place.close()
    },
  }
}

function* questionsOf(world: World, actor: Actor): Generator<Question> {
  const depth = actor.name === 'personal' ? 'everything' : 'a little'
  const has = tenants.findIndex(({ of }) => of.includes(actor.name))
  const asked = function*(): Generator<Asked> {
    for (const table of world.catalogue.tables) {
      yield* reading(world, table, strangers, depth)
      if (has !== -1) yield* writing(table, strangers, own(has), depth)
    }
    if (has !== -1) yield* calling(world, strangers, depth)
  }
  for (const one of asked()) yield { ...one, actor }
}

/** One line for a person: who asked what of what, and how the answers differ. */
export function describe({ question, answers: [theirs, nobodys] }: Difference): string {
  const short = ({ status, contentRange, text }: Answer): string => `${status} ${contentRange} ${text.slice(0, 160)}`.trim()
  return `${nameOf(question)}: where a stranger has it ${short(theirs)}; where nobody has it ${short(nobodys)}`
}
