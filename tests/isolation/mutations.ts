/**
 * The proof of the proof: weakens the row rules by one piece at a time and shows that the isolation suite turns red. A
 * weakening that it does not notice is a survivor, and a failure.
 *
 *   node tests/isolation/mutations.ts [words of a name]     all of them, or those whose name has the words
 */
import type { Case } from './cases.ts'
import { equivalents } from './equivalents.ts'
import { startStack } from '../support/stack.ts'
import { prepareSuite, type Place, type Suite } from './run.ts'
import { weakenings, type Weakening } from './weakenings.ts'

export type Outcome = { all: number, equivalent: number, tried: number, survivors: string[], milliseconds: number, slowest: [string, number][] }
type Options = {
  /** Which of them; all unless told. */
  choose?: (all: Weakening[]) => Weakening[]
  /** Asks the cases that are likely to notice, and not the rest. */
  likelyOnly?: boolean
  log?: (line: string) => void
}

/** Everything a weakening touches, as one text, to be sure that each is undone. */
const rules = `
  select md5(string_agg(what, ',' order by what)) as hash from (
    select format('%s %s %s %s %s', tablename, policyname, cmd, qual, with_check) as what from pg_policies
    union all select format('%s %s %s', relname, relrowsecurity, (select string_agg(a::text, ',' order by a::text) from unnest(relacl) a)) from pg_class where relnamespace in ('api'::regnamespace, 'auth'::regnamespace) and relkind = 'r'
    union all select format('%s %s %s', tgname, tgrelid, tgenabled) from pg_trigger where not tgisinternal
    union all select format('%s %s', conname, pg_get_constraintdef(oid)) from pg_constraint
    union all select pg_get_indexdef(indexrelid) from pg_index where indrelid::regclass::text like 'api.%'
    union all select format('%s %s %s', oid::regprocedure, pg_get_functiondef(oid), (select string_agg(a::text, ',' order by a::text) from unnest(proacl) a)) from pg_proc where pronamespace in ('api'::regnamespace, 'private'::regnamespace) and prokind = 'f'
    union all select p::text from private.role_permissions p) r`

/** One of each kind of actor notices most; the others come after. */
const first = new Set(['personal', 'owner of A', 'viewer of A', 'editor of A', 'removed, new token', 'anonymous', 'owner of B'])

/** The cases in the order in which they are likely to notice. */
function likely(cases: Case[], { table, command, name }: Weakening): Case[][] {
  if (name.includes('pre_request')) return [cases.filter(({ actor }) => actor.caller.kind === 'refused')]
  const near = cases.filter((one) => table === undefined || one.table === table)
  const early = near.filter(({ actor }) => first.has(actor.name))
  return [
    early.filter((one) => one.command === command),
    early.filter((one) => one.command !== command),
    near.filter(({ actor }) => !first.has(actor.name) && actor.asked === 'everything'),
  ]
}

/** Whether the suite turns red. */
async function isNoticed(suite: Suite, weakening: Weakening, likelyOnly: boolean): Promise<string | undefined> {
  const phases = likely(suite.cases, weakening)
  const asked = new Set(phases.flat())
  for (const phase of likelyOnly ? phases : [...phases, suite.cases.filter((one) => !asked.has(one))]) {
    const { failures } = await suite.run({ cases: phase, stopAtFirst: true })
    if (failures[0] !== undefined) return failures[0].name
  }
  return undefined
}

/** Tries the weakenings on a database of its own. @throws when one cannot be applied or undone */
export async function runMutations(place: Place, { choose = (all) => all, likelyOnly = false, log = () => {} }: Options = {}): Promise<Outcome> {
  const started = Date.now()
  const suite = await prepareSuite(place)
  try {
    const { owner } = suite.world
    const all = await weakenings(owner)
    const survivors: string[] = []
    const times: [string, number][] = []
    const hash = async (): Promise<string | undefined> => (await owner.query<{ hash: string }>(rules)).rows[0]?.hash
    const intact = await hash()
    const attempt = async (name: string, pieces: Weakening[]): Promise<void> => {
      const begun = Date.now()
      for (const piece of pieces)
        await owner.query(piece.apply).catch((error: unknown) => {
          throw new Error(`cannot apply: ${piece.name}: ${String(error)}`, { cause: error })
        })
      const by = pieces[0] === undefined ? undefined : await isNoticed(suite, pieces[0], likelyOnly)
      await suite.restore()
      for (const piece of pieces.toReversed()) await owner.query(piece.revert)
      if (await hash() !== intact) throw new Error(`not undone: ${name}`)
      times.push([name, Date.now() - begun])
      if (by === undefined) survivors.push(name)
      log(`${by === undefined ? 'SURVIVED' : 'noticed '} ${name}${by === undefined ? '' : ` — ${by}`} (${Date.now() - begun} ms)`)
    }
    for (const { name } of equivalents) if (!all.some((one) => name.test(one.name))) survivors.push(`equivalents.ts names nothing: ${name.source}`)
    const chosen = choose(all)
    let equivalent = 0
    for (const weakening of chosen) {
      const known = equivalents.find(({ name }) => name.test(weakening.name))
      if (known === undefined) await attempt(weakening.name, [weakening])
      else {
        equivalent += 1
        // what is kept twice must be noticed when both are weak
        if (known.keptBy === undefined) continue
        const captured = known.name.exec(weakening.name)
        const other = new RegExp(known.keptBy.replaceAll(/\$(\d)/g, (_, at: string) => captured?.[Number(at)] ?? ''))
        const partner = all.find(({ name }) => other.test(name))
        if (partner === undefined) survivors.push(`equivalents.ts: ${weakening.name} is kept by ${other.source}, which is not there`)
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
  `mutations: ${all} weakenings of one piece; ${tried} tried (${equivalent} known to be kept twice or by nothing), ${survivors.length} survived, ${
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
  const words = process.argv.slice(2).join(' ')
  try {
    await using place = await startStack({ auth: false, data: true, serverUrl })
    const outcome = await runMutations(place, { log: (line) => console.log(line), choose: (all) => all.filter(({ name }) => name.includes(words)) })
    console.log(summaryOf(outcome))
    for (const survivor of outcome.survivors) console.error(`survived: ${survivor}`)
    if (outcome.survivors.length > 0) process.exitCode = 1
  } finally {
    await stop()
  }
}
