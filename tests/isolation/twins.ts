/**
 * Two databases that differ only in rows of strangers. In the first, strangers have the values that
 * requests contain. In the second, the same number of strangers has other values. The responses to
 * each request must be equal byte for byte.
 */
import pg from 'pg'
import { calling } from './calls.ts'
import { freshDatabase } from '../support/database.ts'
import { startStack } from '../support/stack.ts'
import { nameOf, reading, writing, type QuestionTemplate, type Question } from './questions.ts'
import type { Place } from './run.ts'
import { sender, type Answer, type Request, type Sender } from './sender.ts'
import { admit, type Crowd } from './strangers.ts'
import { createWorld, type Actor, type World } from './world.ts'

/** The number of strangers in each twin, and so of their rows in each table. */
const crowd = 2_000
export const strangers: Crowd = { start: 3_000, size: crowd, choice: 1 }
const others: Crowd = { start: 6_000, size: crowd, choice: 2 }
/** The number of rows of each caller, in random order for any index. */
const ownRows = 12
const crowdOfCaller = (at: number): Crowd => ({ start: 1_000 + at * 100, size: ownRows, choice: 0 })

/** The callers. None of them may read a stranger's row. */
const callers = [
  'anonymous',
  'personal',
  'removed, new token',
  'removed, old token',
  'owner of B',
  'viewer of B',
]

/** The tenants of the callers with rows. Callers without rows send only reads. */
const tenants = [{ of: ['personal'], user: 'solo', organization: null }, {
  of: ['owner of B', 'viewer of B'],
  user: 'b-owner',
  organization: 'team-b',
}]

/** A question with different responses. `isExpected` is true if an exception allows it. */
export type Difference = { question: Question, answers: [Answer, Answer], isExpected: boolean }
export type Twins = {
  world: World
  actors: Actor[]
  /** The owner's connections, to the twin with the values and to the one without. */
  owners: [pg.Client, pg.Client]
  questions: Question[]
  /** Sends a request to both twins. */
  ask(actor: Actor, request: Request): Promise<[Answer, Answer]>
  /**
   * @returns the questions with different responses, or with stopAtFirst only the first few. Writes
   * run once, because the exceptions make the twins differ.
   */
  compare(options?: { questions?: Question[], stopAtFirst?: boolean }): Promise<Difference[]>
  close(): Promise<void>
}

const concurrency = 4

/**
 * The allowed differences, with their reasons. An exception without a difference is an error, so
 * that none becomes obsolete.
 */
export const exceptions: { operation: RegExp, reason: string }[] = [
  {
    operation: /^(?:POST|PUT) with a taken key/,
    reason:
      'a primary key is taken or not; that confirms a random uuid to who has it already, and shows nothing of its row',
  },
]

const isExpected = (question: Question): boolean =>
  exceptions.some(({ operation }) => operation.test(question.operation))

/** A response of a server that is too busy to answer. It says nothing about rows. */
const isBusy = ({ status, text }: Answer): boolean =>
  status === 429 || status === 503 || status === 504 ||
  /"57014"|"55P03"|"another change of the same data/.test(text)

/**
 * The compared parts of a response: all except the time of day and the id of the request, which is
 * random.
 */
const comparable = ({ status, text, headers }: Answer): string =>
  `${status}\n${headers.replace(/^(?:Date|X-Change-Id)\n.*$/gim, '')}\n${text}`

async function withStrangers(place: Place, world: World, some: Crowd): Promise<pg.Client> {
  const owner = new pg.Client({ connectionString: place.ownerUrl })
  await owner.connect()
  await admit(owner, world.catalogue, some)
  // With complete statistics, no background task changes them later.
  await owner.query('vacuum analyze')
  return owner
}

/** Fills a database and copies it, because the twins must be equal except for strangers. */
export async function openTwins(): Promise<Twins> {
  const base = await freshDatabase()
  const baseOwner = new pg.Client({ connectionString: base.ownerUrl })
  await baseOwner.connect()
  const world = await createWorld(baseOwner)
  const actors = callers.map((name) => world.actors.find((actor) => actor.name === name))
    .filter((actor) => actor !== undefined)
  for (const [at, tenant] of tenants.entries())
    await admit(baseOwner, world.catalogue, crowdOfCaller(at), tenant)
  // Autovacuum would free space in only one of the two, where changed rows would then have another
  // order. So would a page that a caller's rows share with strangers' rows, whose lengths differ:
  // the fill factor keeps callers' new rows on other pages.
  await baseOwner.query(`do $$
    declare
      one regclass;
    begin
      for one in select oid from pg_class where relkind = 'r' and relnamespace in ('api'::regnamespace, 'auth'::regnamespace, 'private'::regnamespace) loop
        execute format('alter table %s set (autovacuum_enabled = false, fillfactor = 10)', one);
      end loop;
    end $$`)
  await baseOwner.end()
  // Few rows for each response, so that count=estimated estimates even for a caller with few rows.
  // Connections are replaced often, because each question is another query, and a connection keeps
  // its plan.
  const open = () =>
    startStack({
      auth: false,
      data: true,
      template: base.name,
      dataEnv: { PGRST_DB_MAX_ROWS: '5', PGRST_DB_POOL_MAX_LIFETIME: '5' },
    })
  const stacks = [await open(), await open()] as const
  await base.drop()
  const owners: [pg.Client, pg.Client] = [
    await withStrangers(stacks[0], world, strangers),
    await withStrangers(stacks[1], world, others),
  ]
  const senders = stacks.map(({ dataUrl }) => sender(dataUrl, concurrency)) as [Sender, Sender]

  const ask: Twins['ask'] = (actor, request) =>
    Promise.all([senders[0].send(actor.token, request), senders[1].send(actor.token, request)])
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
        // A busy machine may delay one of the two databases, which has then stored nothing.
        for (const at of [0, 1] as const)
          for (
            let repeats = 0;
            repeats < 5 && isBusy(answers[at]) && !answers.every(isBusy);
            repeats += 1
          )
            answers[at] = await senders[at].send(question.actor.token, question.request)
        if (comparable(answers[0]) !== comparable(answers[1]))
          differences.push({ question, answers, isExpected: isExpected(question) })
      }
      const isDone = (): boolean => stopAtFirst && differences.length > 0
      const waiting = some.filter(({ isWriting }) => isWriting !== true)
      await Promise.all(Array.from({ length: concurrency }, async () => {
        for (let next = waiting.shift(); next !== undefined && !isDone(); next = waiting.shift())
          await one(next)
      }))
      // Expected differences create rows in only one twin, so these questions run last.
      const changing = some.filter(({ isWriting }) => isWriting === true).toSorted((a, b) =>
        Number(isExpected(a)) - Number(isExpected(b))
      )
      for (const question of changing) if (!isDone()) await one(question)
      return differences
    },
    async close() {
      for (const { close } of senders) close()
      for (const owner of owners) await owner.end()
      for (const place of stacks) await place.close()
    },
  }
}

function* questionsOf(world: World, actor: Actor): Generator<Question> {
  const depth = actor.name === 'personal' ? 'everything' : 'a little'
  const has = tenants.findIndex(({ of }) => of.includes(actor.name))
  const templates = function*(): Generator<QuestionTemplate> {
    for (const table of world.catalogue.tables) {
      yield* reading(world, table, strangers, depth)
      if (has !== -1) yield* writing(table, strangers, crowdOfCaller(has), depth)
    }
    if (has !== -1) yield* calling(world, strangers, depth)
  }
  for (const one of templates()) yield { ...one, actor }
}

/** One line of a report: the question, and the different responses. */
export function describe({ question, answers: [withValue, withoutValue] }: Difference): string {
  const short = ({ status, contentRange, text }: Answer): string =>
    `${status} ${contentRange} ${text.slice(0, 160)}`.trim()
  return `${nameOf(question)}: with the stranger's value ${short(withValue)}; without it ${
    short(withoutValue)
  }`
}
