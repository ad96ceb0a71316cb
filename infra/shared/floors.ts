/** Floors: the oldest version of each program without a known flaw that concerns this product. floors.json lists them. */
import floors from './floors.json' with { type: 'json' }

export type Program = keyof typeof floors
/** Versions by program, as the programs write them. A program that is not seen has none. */
export type Versions = Partial<Record<Program, string | null | undefined>>
/** A program below its floor. `line` is for people; an error is a flaw that is exploitable. */
export type Finding = { program: Program, isError: boolean, line: string }

/** Reads the version of the server and of the PostgREST that is connected to it. */
export const databaseVersionsSql = `
  select split_part(current_setting('server_version'), ' ', 1) as postgresql,
    (select min(substring(application_name from '^PostgREST ([0-9.]+)')) from pg_stat_activity where datname = current_database()) as postgrest`

const numbers = (version: string): number[] => (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').map(Number)

/** Returns a negative number if the first version is older, a positive one if it is newer. */
function compare(one: string, other: string): number {
  const [a, b] = [numbers(one), numbers(other)]
  const at = a.findIndex((part, index) => part !== (b[index] ?? 0))
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? 0)
}

/** Returns the floor of a version: that of its major version, or of the next one that has a floor. */
export const floorOf = (program: Program, version: string): string | undefined =>
  floors[program].versions.find((floor) => (numbers(floor)[0] ?? 0) >= (numbers(version)[0] ?? 0))

/** Returns the programs that are below their floors. */
export function belowFloors(versions: Versions): Finding[] {
  return Object.entries(versions).flatMap(([name, version]) => {
    const program = name as Program
    // a development build may have no number
    if (version == null || !/\d/.test(version)) return []
    const floor = floorOf(program, version)
    if (floor === undefined || compare(version, floor) >= 0) return []
    const { name: called, why, exploitable: isError } = floors[program]
    return [{ program, isError, line: `${isError ? 'Error' : 'Warning'}: ${called} ${numbers(version).join('.')} is below ${floor}: ${why}.` }]
  })
}
