/**
 * Lists and selects off-site copies. Its standard input is the output of `restic snapshots --json`.
 *
 *     snapshots.ts list
 *     snapshots.ts choose <dump or pitr> <latest or a name> <deployment>   prints restic's id of the copy
 *     snapshots.ts alone <deployment>                                      fails if the repository has copies of another deployment
 */
import { text } from 'node:stream/consumers'

/** A snapshot of restic. infra/docker/backups/offsite sets the tags. */
export type Snapshot = { id: string, time: string, hostname: string, tags?: string[] }
/** An off-site copy. Copies of earlier versions lack some of the numbers. */
export type Copy = {
  id: string
  kind: string
  name: string
  deployment: string
  people?: number
  rows?: number
  bytes?: number
}

/** Returns the copies, oldest first. */
export function copiesOf(snapshots: Snapshot[]): Copy[] {
  const copies = snapshots.map(({ id, time, hostname, tags = [] }): Copy => {
    const figure = (name: string) => {
      const tag = tags.find((one) => one.startsWith(`${name}=`))
      return tag === undefined ? {} : { [name]: Number(tag.slice(name.length + 1)) }
    }
    const made = new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')
    const name = tags.find((tag) => /^(?:finance|pitr)-\d{8}T\d{6}Z$/.test(tag)) ?? `pitr-${made}Z`
    return {
      id,
      kind: tags[0] ?? '',
      name,
      deployment: hostname,
      ...figure('people'),
      ...figure('rows'),
      ...figure('bytes'),
    }
  })
  return copies.toSorted((one, other) => momentOf(one).localeCompare(momentOf(other)))
}

const momentOf = ({ name }: Copy) => name.slice(name.indexOf('-') + 1)
const figures = ({ people, rows, bytes }: Copy) =>
  [[people, 'people'], [rows, 'rows'], [bytes, 'bytes']].map(([number, unit]) =>
    `${number ?? '?'} ${unit}`
  ).join(', ')
const described = (copy: Copy) => `${copy.name} of ${copy.deployment}: ${figures(copy)}`

/**
 * Returns the copy with the given name. `latest` is the newest copy that has users, because copies
 * of a newly created, empty database would otherwise be newer. If no copy has users, `latest` is
 * the newest.
 * @returns the copy, and the newer copies that it skipped
 * @throws Error with a hint at the existing copies
 */
export function choose(
  copies: Copy[],
  kind: string,
  wanted: string,
  deployment: string,
): { chosen: Copy, skipped: Copy[] } {
  const ofKind = copies.filter((copy) => copy.kind === kind)
  const ours = ofKind.filter((copy) => copy.deployment === deployment)
  const chosen = wanted === 'latest'
    ? ours.findLast(({ people }) => people !== 0) ?? ours.at(-1)
    : ours.find(({ name }) => name === wanted)
  if (chosen !== undefined)
    return { chosen, skipped: wanted === 'latest' ? ours.slice(ours.indexOf(chosen) + 1) : [] }
  const others = [...new Set(ofKind.map((copy) => copy.deployment))].join(', ')
  if (ours.length > 0)
    throw new Error(
      `No off-site copy ${wanted} of ${deployment}. To list the copies: infra/docker/restore --from-offsite list`,
    )
  throw new Error(
    `No off-site copy of ${deployment}${
      others === ''
        ? '.'
        : `, only of ${others}. OFFSITE_NAME in offsite.env selects the deployment.`
    }`,
  )
}

async function main([command, ...args]: string[]): Promise<void> {
  const copies = copiesOf(JSON.parse(await text(process.stdin) || '[]'))
  if (command === 'list') {
    for (const copy of copies) console.log(described(copy))
  } else if (command === 'alone') {
    if (copies.some(({ deployment }) => deployment !== args[0])) process.exitCode = 1
  } else {
    const [kind = '', wanted = '', deployment = ''] = args
    const { chosen, skipped } = choose(copies, kind, wanted, deployment)
    for (const copy of skipped)
      console.error(`Skipped, because it has no users: ${described(copy)}`)
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
