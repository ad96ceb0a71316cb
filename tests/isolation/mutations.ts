/**
 * Mutation test of the isolation suite: weakens one piece of the row rules at a time, and the suite
 * must fail. This program reports a weakening without a failing case as a survivor, and then fails.
 *
 * node tests/isolation/mutations.ts [text] all weakenings, or those with this text in their name
 */
import type { Case } from './cases.ts'
import { equivalents } from './equivalents.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { prepareSuite, type Place, type Suite } from './run.ts'
import { weakenings, type Weakening } from './weakenings.ts'

export type Outcome = {
  all: number
  equivalent: number
  tried: number
  survivors: string[]
  milliseconds: number
  slowest: [string, number][]
}
type Options = {
  /** Selects weakenings. The default is all. */
  choose?: (all: Weakening[]) => Weakening[]
  log?: (line: string) => void
}

/** A hash of all rules that a weakening can touch, to check that each is reverted. */
const rules = `
  select md5(string_agg(what, ',' order by what)) as hash from (
    select format('%s %s %s %s %s', tablename, policyname, cmd, qual, with_check) as what from pg_policies
    union all select format('%s %s %s', relname, relrowsecurity, (select string_agg(a::text, ',' order by a::text) from unnest(relacl) a)) from pg_class where relnamespace in ('api'::regnamespace, 'auth'::regnamespace) and relkind = 'r'
    union all select format('%s %s %s', tgname, tgrelid, tgenabled) from pg_trigger where not tgisinternal
    union all select format('%s %s', conname, pg_get_constraintdef(oid)) from pg_constraint
    union all select pg_get_indexdef(indexrelid) from pg_index where indrelid::regclass::text like 'api.%'
    union all select format('%s %s %s', oid::regprocedure, pg_get_functiondef(oid), (select string_agg(a::text, ',' order by a::text) from unnest(proacl) a)) from pg_proc where pronamespace in ('api'::regnamespace, 'private'::regnamespace) and prokind = 'f'
    union all select p::text from private.role_permissions p) r`

/** These actors notice most weakenings, so their cases run first. */
const first = new Set([
  'personal',
  'owner of A',
  'viewer of A',
  'editor of A',
  'removed, new token',
  'anonymous',
  'owner of B',
])

/**
 * Starts what the weakenings are tried on. A connection keeps a plan of each of the many different
 * queries until its memory is full, which would fail a case that has noticed nothing. So
 * connections live short.
 */
export const startPlace = (origin: { serverUrl?: string } = {}): Promise<Stack> =>
  startStack({ auth: false, data: true, dataEnv: { PGRST_DB_POOL_MAX_LIFETIME: '20' }, ...origin })

/** Groups the cases by their likelihood to notice the weakening. */
function likely(cases: Case[], { table, command, name }: Weakening): Case[][] {
  if (name.includes('pre_request'))
    return [cases.filter(({ actor }) => actor.caller.kind === 'refused')]
  const near = cases.filter((one) => table === undefined || one.table === table)
  const early = near.filter(({ actor }) => first.has(actor.name))
  return [
    early.filter((one) => one.command === command),
    early.filter((one) => one.command !== command),
    near.filter(({ actor }) => !first.has(actor.name) && actor.depth === 'everything'),
    // a right of a table can count only in a function
    cases.filter((one) =>
      one.command === 'call' && one.table !== table && first.has(one.actor.name)
    ),
  ]
}

/** Returns the first failing case, or undefined if the suite passes. */
async function isNoticed(suite: Suite, weakening: Weakening): Promise<string | undefined> {
  const phases = likely(suite.cases, weakening)
  const likelyCases = new Set(phases.flat())
  for (const phase of [...phases, suite.cases.filter((one) => !likelyCases.has(one))]) {
    const { failures } = await suite.run({ cases: phase, stopAtFirst: true })
    if (failures[0] !== undefined) return failures[0].name
  }
  return undefined
}

/** Tries the weakenings on a new database. @throws if one cannot be applied or reverted */
export async function runMutations(
  place: Place,
  { choose = (all) => all, log = () => {} }: Options = {},
): Promise<Outcome> {
  const started = Date.now()
  const suite = await prepareSuite(place)
  try {
    const { owner } = suite.world
    const all = await weakenings(owner)
    const survivors: string[] = []
    const times: [string, number][] = []
    const hash = async (): Promise<string | undefined> =>
      (await owner.query<{ hash: string }>(rules)).rows[0]?.hash
    const intact = await hash()
    const attempt = async (name: string, pieces: Weakening[]): Promise<void> => {
      const begun = Date.now()
      for (const piece of pieces)
        await owner.query(piece.apply).catch((error: unknown) => {
          throw new Error(`cannot apply: ${piece.name}: ${String(error)}`, { cause: error })
        })
      const by = pieces[0] === undefined ? undefined : await isNoticed(suite, pieces[0])
      await suite.restore()
      for (const piece of pieces.toReversed()) await owner.query(piece.revert)
      if (await hash() !== intact) throw new Error(`not undone: ${name}`)
      times.push([name, Date.now() - begun])
      if (by === undefined) survivors.push(name)
      log(
        `${by === undefined ? 'SURVIVED' : 'noticed '} ${name}${
          by === undefined ? '' : ` — ${by}`
        } (${Date.now() - begun} ms)`,
      )
    }
    for (const { name } of equivalents)
      if (!all.some((one) => name.test(one.name)))
        survivors.push(`equivalents.ts names nothing: ${name.source}`)
    const chosen = choose(all)
    let equivalent = 0
    for (const weakening of chosen) {
      const equivalence = equivalents.find(({ name }) => name.test(weakening.name))
      if (equivalence === undefined) await attempt(weakening.name, [weakening])
      else {
        equivalent += 1
        // If a second piece enforces the rule, the suite must notice that both are weakened.
        if (equivalence.keptBy === undefined) continue
        const captured = equivalence.name.exec(weakening.name)
        const other = new RegExp(
          equivalence.keptBy.replaceAll(/\$(\d)/g, (_, at: string) => captured?.[Number(at)] ?? ''),
        )
        const partner = all.find(({ name }) => other.test(name))
        if (partner === undefined)
          survivors.push(
            `equivalents.ts: ${weakening.name} is enforced by ${other.source}, which does not exist`,
          )
        else await attempt(`${weakening.name} + ${partner.name}`, [weakening, partner])
      }
    }
    return {
      all: all.length,
      equivalent,
      tried: times.length,
      survivors,
      milliseconds: Date.now() - started,
      slowest: times.toSorted((a, b) => b[1] - a[1]).slice(0, 5),
    }
  } finally {
    await suite.close()
  }
}

export const summaryOf = ({ all, equivalent, tried, survivors, milliseconds }: Outcome): string =>
  `mutations: ${all} weakenings of one piece; ${tried} tried (${equivalent} equivalent, see equivalents.ts), ${survivors.length} survived, ${
    Math.round(milliseconds / 1000)
  } s`

if (import.meta.main) {
  const { default: setup } = await import('../support/global.ts')
  let serverUrl = ''
  const stop = await setup(
    {
      provide: (_: string, url: string) => {
        serverUrl = url
      },
    } as unknown as Parameters<typeof setup>[0],
  )
  const text = process.argv.slice(2).join(' ')
  try {
    await using place = await startPlace({ serverUrl })
    const outcome = await runMutations(place, {
      log: (line) => console.log(line),
      choose: (all) => all.filter(({ name }) => name.includes(text)),
    })
    console.log(summaryOf(outcome))
    for (const survivor of outcome.survivors) console.error(`survived: ${survivor}`)
    if (outcome.survivors.length > 0) process.exitCode = 1
  } finally {
    await stop()
  }
}
