/**
 * The evidence that rotates. A run with `PART=3/5` leaves out the files of the other four parts,
 * and a run without PART tests everything. `.ci/run` derives PART from the number of commits, so
 * five commits in a row test everything:
 * docs/decisions/tests-and-tools.md#every-commit-tests-a-part-of-the-evidence-and-five-commits-test-all-of-it.
 */
import evidence from './rotation.json' with { type: 'json' }

/**
 * What each part tests: files of tests, and checks of `.ci/run`. A file of no part runs with every
 * commit.
 */
export const parts: string[][] = evidence.parts

/**
 * The suites that run whole with each commit that changes a room, in addition to its part. Both are
 * beginnings of paths. A change of the database leaves the weakenings in parts, because all of them
 * take ten minutes.
 */
export const rooms: [room: string, suites: string[]][] = Object.entries(evidence.rooms)

/**
 * Returns the suites of the rooms that changed paths belong to: beginnings of paths. A path belongs
 * to the room with the longest name that it begins with.
 */
export const suitesOf = (changed: string[]): string[] =>
  changed.flatMap((path) =>
    rooms.filter(([room]) => path.startsWith(room))
      .toSorted(([one], [other]) => other.length - one.length)[0]?.[1] ?? []
  )

/**
 * Returns the number of a part, or undefined for everything. @throws if the text has another form
 * than `3/5`
 */
function readPart(text: string): number | undefined {
  if (text === '') return undefined
  const [, number = '', of = ''] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  if (Number(of) !== parts.length || parts[Number(number) - 1] === undefined)
    throw new Error(
      `PART is ${text}, and must be 1/${parts.length} to ${parts.length}/${parts.length}.`,
    )
  return Number(number)
}

/**
 * Returns what a run leaves out, and how it selects cases.
 * @param partText such as `3/5`; an empty text means everything
 * @param changed the paths that the commit changes
 */
export function rotation(partText: string, changed: string[]) {
  const part = readPart(partText)
  const suites = suitesOf(changed)
  const isOfRoom = (file: string): boolean =>
    part === undefined || suites.some((suite) => file.startsWith(suite))
  return {
    /** The files that this run leaves out. A changed file of tests runs. */
    leftOut: parts.flatMap((files, at) =>
      at + 1 === part ? [] : files.filter((file) => !isOfRoom(file) && !changed.includes(file))
    ),
    /**
     * Selects this run's items of a group of similar cases in a test file: at least one. All parts
     * together have all items.
     */
    selected: <Item>(file: string, group: Item[]): Item[] => {
      if (part === undefined || isOfRoom(file)) return group
      const span = Math.min(parts.length, group.length)
      return group.filter((_, at) => at % span === (part - 1) % span)
    },
  }
}

export const { leftOut, selected } = rotation(
  process.env['PART'] ?? '',
  (process.env['CHANGED'] ?? '').split('\n'),
)
