/**
 * Sends every case to a real PostgREST and compares the result with the model: the status, the
 * rows, and the changes of every row of the database. No response may contain a canary of a row
 * that the caller must not see.
 */
import pg from 'pg'
import { models } from '../support/tables.ts'
import { nameOf, type Case } from './cases.ts'
import { functionCases } from './functions.ts'
import { lifecycleProblems } from './lifecycle.ts'
import { id, pairOfPart, sees } from './model.ts'
import { canariesIn } from './rows.ts'
import { sender, type Answer } from './sender.ts'
import { changedTables, keep, pairOf, type State } from './state.ts'
import { tableCases } from './table-cases.ts'
import { createWorld, keyOf, type Actor, type World } from './world.ts'

type Failure = { name: string, problems: string[] }
export type Result = {
  cases: number
  failures: Failure[]
  world: World
  tested: Case[]
  milliseconds: number
}
export type Place = { ownerUrl: string, dataUrl: string }

/** A suite that can run repeatedly. */
export type Suite = {
  world: World
  cases: Case[]
  run(
    options?: { cases?: Case[], stopAtFirst?: boolean },
  ): Promise<{ cases: number, failures: Failure[] }>
  restore(): Promise<void>
  close(): Promise<void>
}

/**
 * The number of concurrent requests, and the largest numbers of reading and of changing cases
 * between two checks of the database.
 */
const concurrency = 6
const batchSize = 96
const roundSize = 12

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The values that an actor must never receive: the numbers and ids of rows that it cannot see, and
 * foreign organizations.
 */
type Secrets = { numbers: Set<number>, keys: Set<string>, teams: string[] }
function secretsOf(world: World, { caller }: Actor): Secrets {
  const hidden = world.rows.filter((row) => !sees(caller, row))
  const teams = ['team-a', 'team-b'].filter((team) =>
    caller.kind !== 'user' || caller.organization !== team
  )
  return {
    numbers: new Set(hidden.map(({ n }) => n)),
    keys: new Set(hidden.filter(({ key }) => !key.includes('/')).map(({ key }) => key)),
    teams,
  }
}

const uuids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** Returns the secrets in a response. Values that the caller has sent itself may come back. */
function leaks({ request }: Case, { text, headers }: Answer, secrets: Secrets): string[] {
  const all = `${headers}\n${text}`
  const sent = `${request.path}\n${request.body ?? ''}`
  const sentCanaries = new Set(canariesIn(sent))
  return [
    ...canariesIn(all).filter((n) => secrets.numbers.has(n) && !sentCanaries.has(n)).map((n) =>
      `a canary of row ${n} is in the answer`
    ),
    ...[...all.matchAll(uuids)].filter(([uuid]) => secrets.keys.has(uuid) && !sent.includes(uuid))
      .map(([uuid]) => `the id ${uuid} of a foreign row is in the answer`),
    ...secrets.teams.filter((team) => all.includes(team) && !sent.includes(team)).map((team) =>
      `the id of ${team} is in the answer`
    ),
  ]
}

/** Returns the errors of a response. */
function problemsOf(one: Case, answer: Answer, world: World, secrets: Secrets): string[] {
  const { expected } = one
  const body = parsed(answer.text)
  const code = (body as { code?: unknown } | undefined)?.code
  const problems = leaks(one, answer, secrets)
  const fits = expected.answers.some(({ status, code: wanted }) =>
    status === answer.status && (wanted === undefined || wanted.test(String(code)))
  )
  if (!fits)
    problems.push(
      `answered ${answer.status} ${answer.text.slice(0, 300)}, not ${
        expected.answers.map(({ status, code: wanted }) => `${status} ${wanted?.source ?? ''}`)
          .join(' or ')
      }`,
    )
  else if (
    code === '42501' &&
    !String((body as { message?: unknown }).message).startsWith('permission denied for ')
  )
    problems.push(`refused in other words: ${answer.text.slice(0, 200)}`)
  if (answer.status >= 400) return problems
  if (expected.rows !== undefined) {
    const table = world.catalogue.tables.find(({ name }) => name === one.table) ??
      world.catalogue.tables.find(({ name }) => name === 'transactions')
    const found = (Array.isArray(body) ? body : [body]).map((row) =>
      table === undefined ? '' : keyOf(table, row as Record<string, unknown>)
    ).toSorted()
    const wanted = expected.rows.toSorted()
    if (found.join() !== wanted.join())
      problems.push(
        `shows ${found.length} rows [${found.slice(0, 5).join()}], not ${wanted.length} [${
          wanted.slice(0, 5).join()
        }]`,
      )
  }
  if (expected.count !== undefined && !answer.contentRange.endsWith(`/${expected.count}`))
    problems.push(`counts ${answer.contentRange}, not ${expected.count}`)
  const wrong = expected.wrong?.(body)
  if (wrong !== undefined) problems.push(wrong)
  return problems
}

const changes = ({ expected: { changed, gone, added } }: Case): boolean =>
  changed.length + gone.length + added.length > 0

/**
 * Returns the differences between the actual and the expected changes, after some independent
 * cases.
 */
function differences(before: State, after: State, some: Case[]): string[] {
  const problems: string[] = []
  const must = new Set(
    some.flatMap(({ expected }) => expected.maybe === true ? [] : expected.changed),
  )
  const may = new Set(some.flatMap(({ expected }) => expected.changed))
  const gone = new Set(some.flatMap(({ expected }) => expected.gone))
  for (const [row, { hash, pair }] of before) {
    const now = after.get(row)
    if ((now === undefined) !== gone.has(row))
      problems.push(`${row} is ${now === undefined ? 'gone' : 'still there'}`)
    else if (now === undefined) continue
    else if (now.pair !== pair) problems.push(`${row} was owned by ${pair} and now by ${now.pair}`)
    else if (now.hash !== hash && !may.has(row)) problems.push(`${row} has changed`)
    else if (now.hash === hash && must.has(row)) problems.push(`${row} has not changed`)
  }
  const news = [...after].filter(([row]) => !before.has(row))
  const isLogged = (row: string): boolean => models[row.slice(0, row.indexOf(':'))]?.kind === 'log'
  // Activity belongs to the tenant of the change.
  const pairs = new Set([
    ...some.flatMap(({ expected }) => expected.added),
    ...[...must, ...may, ...gone].map((row) => before.get(row)?.pair).filter((pair) =>
      pair !== undefined
    ).map((pair) => {
      const [user = '-', organization = '-'] = pair.split(' ')
      return {
        user: user === '-' ? null : user,
        organization: organization === '-' ? null : organization,
      }
    }),
  ].map((pair) => pairOf(pairOfPart(pair))))
  for (const [row, { pair }] of news)
    if (isLogged(row) && !pairs.has(pair)) problems.push(`${row} is recorded for ${pair}`)
  const added = news.filter(([row]) => !isLogged(row)).map(([row, { pair }]) =>
    `${row.slice(0, row.indexOf(':'))} of ${pair}`
  ).toSorted()
  const wanted = some.flatMap(({ expected }) => expected.added).map((row) =>
    `${row.table} of ${pairOf(row)}`
  ).toSorted()
  if (added.join() !== wanted.join())
    problems.push(`new rows: [${added.join()}], not [${wanted.join()}]`)
  return problems
}

type Footprint = {
  one: Case
  /** The tenants that it can read. */
  sees: string[]
  /** The tenants that it must change. */
  tenants: Set<string>
  /** The keys of the rows that it must change. */
  keys: string[]
  /** The text of the request. `isSweeping` is true if it concerns all rows. */
  text: string
  isSweeping: boolean
}

function footprint(one: Case, tenants: Map<string, string>): Footprint {
  const {
    actor: { caller },
    request: { method, path, body = '' },
    expected: { changed, gone, added },
  } = one
  const rows = [...changed, ...gone]
  return {
    one,
    sees: caller.kind === 'user'
      ? [caller.user, ...(caller.organization === null ? [] : [caller.organization])]
      : [],
    tenants: new Set([
      ...rows.map((row) => tenants.get(row) ?? ''),
      ...added.map(({ user, organization }) => organization ?? user ?? ''),
    ]),
    keys: rows.flatMap((row) => row.slice(row.indexOf(':') + 1).split('/')),
    text: path + body,
    isSweeping: method !== 'POST' && !path.includes('?'),
  }
}

/**
 * Returns true if the first case does not disturb the second: it changes no row that the second can
 * read or names. Otherwise a wrong change of the second case could pass for one of the first.
 */
const leavesAlone = (one: Footprint, other: Footprint): boolean =>
  !other.isSweeping && !other.sees.some((tenant) => one.tenants.has(tenant)) &&
  !one.keys.some((key) => other.text.includes(key))

/**
 * Groups cases that do not disturb each other, so that they can run concurrently. Cases of the same
 * callers and tenants disturb each other, so they wait in one queue. The longest queue comes first,
 * because its cases need a round each.
 */
function* rounds(some: Case[], tenants: Map<string, string>): Generator<Case[]> {
  const footprints = some.map((one) => footprint(one, tenants)).toReversed()
  let queues = [
    ...Map.groupBy(
      footprints,
      ({ sees: readable, tenants: changed }) => `${readable.join()} ${[...changed].join()}`,
    ).values(),
  ]
  while (queues.length > 0) {
    const round: Footprint[] = []
    for (const queue of queues) {
      const next = queue.at(-1)
      if (
        next === undefined || round.length === roundSize ||
        !round.every((other) => leavesAlone(next, other) && leavesAlone(other, next))
      ) continue
      queue.pop()
      round.push(next)
    }
    yield round.map(({ one }) => one)
    queues = queues.filter((queue) => queue.length > 0).toSorted((a, b) => b.length - a.length)
  }
}

/**
 * Fills the database, which must be empty and migrated, and generates all cases. @throws if an
 * exposed table or function is unknown to the suite
 */
export async function prepareSuite({ ownerUrl, dataUrl }: Place): Promise<Suite> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  try {
    return await suiteOn(owner, { ownerUrl, dataUrl })
  } catch (error) {
    await owner.end()
    throw error
  }
}

async function suiteOn(owner: pg.Client, { ownerUrl, dataUrl }: Place): Promise<Suite> {
  const world = await createWorld(owner)
  // before the connection of the keeper, because an unknown function throws here
  const cases = [...tableCases(world), ...functionCases(world)]
  const keeper = await keep(world, ownerUrl)
  let before = await keeper.state()
  let untouched = await keeper.fingerprint()
  const secrets = new Map(world.actors.map((actor) => [actor, secretsOf(world, actor)]))
  const { send: sendAs, close } = sender(dataUrl, concurrency)
  const send = ({ actor, request }: Case): Promise<Answer> => sendAs(actor.token, request)
  await waitForKey(send, cases)

  const ask = async (one: Case): Promise<string[]> => {
    const kept = secrets.get(one.actor)
    return kept === undefined ? ['no such actor'] : problemsOf(one, await send(one), world, kept)
  }
  const tenants = new Map(world.rows.map((row) => [id(row), row.organization ?? row.user ?? '']))
  /**
   * Compares all rows before and after a batch. If a difference is wrong, each case runs again
   * alone.
   */
  const together = async (
    batch: Case[],
    found: (one: Case, problems: string[]) => void,
  ): Promise<void> => {
    const waiting = [...batch]
    const answered: [Case, string[]][] = []
    await Promise.all(Array.from({ length: concurrency }, async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
        answered.push([one, await ask(one)])
    }))
    const after = batch.some(changes) || await keeper.fingerprint() !== untouched
      ? await keeper.state()
      : before
    const problems = differences(before, after, batch)
    const changed = changedTables(before, after)
    if (changed.length > 0) await keeper.restore(changed)
    if (problems.length > 0 && batch.length > 1) {
      for (const one of batch) await together([one], found)
      return
    }
    for (const [one, others] of answered)
      if (others.length + problems.length > 0) found(one, [...others, ...problems])
  }
  return {
    world,
    cases,
    async run({ cases: some = cases, stopAtFirst = false } = {}) {
      const failures: Failure[] = []
      let count = 0
      const still = some.filter((one) => !changes(one))
      // Batches are checked at their end, so a smaller one stops sooner.
      const size = stopAtFirst ? batchSize / 4 : batchSize
      const batches = Array.from(
        { length: Math.ceil(still.length / size) },
        (_, at) => still.slice(at * size, (at + 1) * size),
      )
      before = await keeper.state()
      untouched = await keeper.fingerprint()
      const all = function*(): Generator<Case[]> {
        yield* batches
        yield* rounds(some.filter(changes), tenants)
      }
      for (const batch of all()) {
        await together(batch, (one, problems) => {
          failures.push({ name: nameOf(one), problems })
        })
        count += batch.length
        if (stopAtFirst && failures.length > 0) return { cases: count, failures }
      }
      return { cases: count, failures: [...failures, ...await lifecycleProblems(world, keeper)] }
    },
    restore: () => keeper.restore(),
    async close() {
      close()
      await keeper.close()
      await owner.end()
    },
  }
}

/**
 * Waits until PostgREST accepts a token signed with the key of this suite, after the notification.
 */
async function waitForKey(send: (one: Case) => Promise<Answer>, cases: Case[]): Promise<void> {
  const first = cases.find(({ actor: { caller } }) => caller.kind === 'user')
  if (first === undefined) throw new Error('there are no cases')
  for (const deadline = Date.now() + 30_000; (await send(first)).status === 401;) {
    if (Date.now() > deadline)
      throw new Error('PostgREST does not accept the key of tests/isolation')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * Runs the suite against an empty, migrated database and its PostgREST. @param select returns the
 * cases to run, of all with the same actor, table, command and target
 */
export async function runIsolation(
  place: Place,
  select: (cases: Case[]) => Case[],
): Promise<Result> {
  const started = Date.now()
  const suite = await prepareSuite(place)
  const ofOneKind = Map.groupBy(
    suite.cases,
    ({ actor, table, command, target }) => [actor.name, table, command, target].join(),
  )
  const tested = [...ofOneKind.values()].flatMap(select)
  try {
    return {
      ...await suite.run({ cases: tested }),
      world: suite.world,
      tested,
      milliseconds: Date.now() - started,
    }
  } finally {
    await suite.close()
  }
}
