/**
 * Version floors: the oldest version of each program without a known flaw that concerns this
 * product. See floors.json.
 */
import floors from './floors.json' with { type: 'json' }

export type Program = keyof typeof floors
/** Versions by program, in each program's own format. A program that was not found has none. */
export type Versions = Partial<Record<Program, string | null | undefined>>
/** A program below its floor. `isError` means that the flaw is exploitable. */
export type Finding = { program: Program, isError: boolean, line: string }

/**
 * Reads the version of the server and the oldest version among the PostgREST processes that are
 * connected to it.
 */
export const databaseVersionsSql = `
  select split_part(current_setting('server_version'), ' ', 1) as postgresql,
    (select min(substring(application_name from '^PostgREST ([0-9.]+)')) from pg_stat_activity where datname = current_database()) as postgrest`

/** Returns the version number in a program's output. A development build may have none. */
const numberIn = (version: string): string | undefined => /\d+(?:\.\d+)*/.exec(version)?.[0]

/**
 * Returns the floor of a version: that of its major version, or of the next one that has a floor.
 */
export const floorOf = (program: Program, version: string): string | undefined =>
  floors[program].versions.find((floor) =>
    Number.parseInt(floor, 10) >= Number.parseInt(numberIn(version) ?? '0', 10)
  )

/** Returns the programs that are below their floors. */
export function belowFloors(versions: Versions): Finding[] {
  return Object.entries(versions).flatMap(([name, version]) => {
    const program = name as Program
    const number = numberIn(version ?? '')
    const floor = number === undefined ? undefined : floorOf(program, number)
    if (
      number === undefined || floor === undefined ||
      number.localeCompare(floor, 'en', { numeric: true }) >= 0
    ) return []
    const { name: called, why, exploitable: isError } = floors[program]
    return [{
      program,
      isError,
      line: `${
        isError ? 'Error' : 'Warning'
      }: ${called} ${number} is below ${floor}: ${why}. It still runs. To update it: docs/operations.md, Floors.`,
    }]
  })
}
