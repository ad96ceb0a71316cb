/**
 * Reads what `restic snapshots --json` says on the input, and tells which copies are off-site, and which of them is meant.
 *
 *     snapshots.ts list
 *     snapshots.ts choose <dump or pitr> <latest or a name> <deployment>   prints the id of restic
 *     snapshots.ts alone <deployment>                                      fails where another deployment's copies are there too
 */
import { text } from 'node:stream/consumers'

/** As restic says it; the tags are those of infra/docker/backups/offsite. */
export type Snapshot = { id: string, time: string, hostname: string, tags?: string[] }
/** A figure is undefined in a copy that was made before it was noted. */
export type Copy = { id: string, kind: string, name: string, deployment: string, people?: number, rows?: number, bytes?: number }

/** All copies, oldest first. */
export function copiesOf(snapshots: Snapshot[]): Copy[] {
  const copies = snapshots.map(({ id, time, hostname, tags = [] }): Copy => {
    const figure = (name: string) => {
      const tag = tags.find((one) => one.startsWith(`${name}=`))
      return tag === undefined ? {} : { [name]: Number(tag.slice(name.length + 1)) }
    }
    const made = new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
    const name = tags.find((tag) => /^(?:finance|pitr)-\d{8}T\d{6}Z$/.test(tag)) ?? `pitr-${made}Z`
    return { id, kind: tags[0] ?? '', name, deployment: hostname, ...figure('people'), ...figure('rows'), ...figure('bytes') }
  })
  return copies.toSorted((one, other) => momentOf(one).localeCompare(momentOf(other)))
}

const momentOf = ({ name }: Copy) => name.slice(name.indexOf('-') + 1)
const figures = ({ people, rows, bytes }: Copy) =>
  [[people, 'people'], [rows, 'rows'], [bytes, 'bytes']].map(([number, unit]) => `${number ?? '?'} ${unit}`).join(', ')
const described = (copy: Copy) => `${copy.name} of ${copy.deployment}: ${figures(copy)}`

/**
 * The copy that somebody wants who says a name or `latest`. The latest is the newest that has people, because a database that
 * was begun anew and is still empty would be the newest otherwise; where none has any it is the newest.
 * @returns it, with those that are newer and were passed over @throws with what there is instead
 */
export function choose(copies: Copy[], kind: string, wanted: string, deployment: string): { chosen: Copy, passedOver: Copy[] } {
  const ofKind = copies.filter((copy) => copy.kind === kind)
  const ours = ofKind.filter((copy) => copy.deployment === deployment)
  const chosen = wanted === 'latest' ? ours.findLast(({ people }) => people !== 0) ?? ours.at(-1) : ours.find(({ name }) => name === wanted)
  if (chosen !== undefined) return { chosen, passedOver: wanted === 'latest' ? ours.slice(ours.indexOf(chosen) + 1) : [] }
  const others = [...new Set(ofKind.map((copy) => copy.deployment))].join(', ')
  if (ours.length > 0) throw new Error(`Off-site is no ${wanted} of ${deployment}. To see what there is: infra/docker/restore --from-offsite list`)
  throw new Error(`Nothing is off-site of ${deployment}${others === '' ? '.' : `, but of ${others}: OFFSITE_NAME in offsite.env says whose is taken.`}`)
}

async function main([command, ...args]: string[]): Promise<void> {
  const copies = copiesOf(JSON.parse(await text(process.stdin) || '[]'))
  if (command === 'list') {
    for (const copy of copies) console.log(described(copy))
  } else if (command === 'alone') {
    if (copies.some(({ deployment }) => deployment !== args[0])) process.exitCode = 1
  } else {
    const [kind = '', wanted = '', deployment = ''] = args
    const { chosen, passedOver } = choose(copies, kind, wanted, deployment)
    for (const copy of passedOver) console.error(`Passed over, because nobody is in it: ${described(copy)}`)
    console.error(`Taken from off-site: ${described(chosen)}`)
    console.log(chosen.id)
  }
}

if (import.meta.main) {
  await main(process.argv.slice(2)).catch((error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
