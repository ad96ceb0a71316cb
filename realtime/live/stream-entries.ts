/** The live streams of this process, and the tenants whose changes they report. */
import type { Checkpoint, Cursors } from './cursor.ts'
import type { Stream } from './event-stream.ts'
import type { Access } from './stream-access.ts'

/** The checkpoint of a tenant without a row: its user or organization is deleted. */
export const nowhere: Checkpoint = { position: 0, change: '00000000-0000-0000-0000-000000000000' }

/**
 * Returns a parameter of the statement that reads changes. The text is made only when a checkpoint or a stream is new,
 * because a read has two for each stream.
 */
const arrayOf = (values: (string | number | undefined)[]): string =>
  `{${
    values.map((
      value,
    ) => (value === undefined ? 'null' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`)).join()
  }}`

/** A tenant of streams, as in private.tenants. */
export type Tenant = {
  /** Absent before the first read. */
  checkpoint?: Checkpoint
  entries: Set<Entry>
}

/** A stream with its access. */
export type Entry = {
  access: Access
  tables: ReadonlySet<string> | undefined
  stream: Stream<Checkpoint[]>
  isOpen: boolean
  /** The tenants whose changes it reports: of the user, of the organization. */
  contexts: string[]
  endsAt: number
  /** Absent before the first check of the access. */
  membership?: string | null
  /** Absent before that check. */
  cursors?: Cursors
}

/**
 * Returns the tenants that a read compares: those of the stream's changes, of the ends of its
 * user's access, and of all users' (db/core/tenants.sql).
 */
const tenantsOf = (
  { contexts, access: { userId } }: Entry,
): string[] => [...contexts, `a:${userId}`, 'a:']

/** Returns true for a tenant that notes the ends of accesses. */
export const isEndOfAccess = (tenant: string): boolean => tenant.startsWith('a:')

/** Makes the set of streams, which is empty. */
export function createEntries() {
  const entries = new Set<Entry>()
  const tenants = new Map<string, Tenant>()
  /** The parameters of the next read. */
  let parameters: string[] | undefined
  const parametersOf = (): string[] => {
    const checkpoints = [...tenants.values()].map(({ checkpoint }) => checkpoint)
    return [
      arrayOf([...tenants.keys()]),
      arrayOf(checkpoints.map((checkpoint) => checkpoint?.position)),
      arrayOf(checkpoints.map((checkpoint) => checkpoint?.change)),
    ]
  }
  return {
    all: entries as ReadonlySet<Entry>,
    tenants: tenants as ReadonlyMap<string, Tenant>,
    add: (entry: Entry): void => {
      entries.add(entry)
      for (const name of tenantsOf(entry)) {
        const tenant = tenants.get(name) ?? { entries: new Set() }
        tenants.set(name, tenant)
        tenant.entries.add(entry)
      }
      parameters = undefined
    },
    remove: (entry: Entry): void => {
      entries.delete(entry)
      for (const name of tenantsOf(entry)) {
        const tenant = tenants.get(name)
        tenant?.entries.delete(entry)
        if (tenant?.entries.size === 0) tenants.delete(name)
      }
      parameters = undefined
    },
    checkpointsOf: ({ contexts }: Entry): Checkpoint[] =>
      contexts.map((name) => tenants.get(name)?.checkpoint ?? nowhere),
    /** Returns the parameters of a read: the tenants and their checkpoints. */
    parameters: (): string[] => parameters ??= parametersOf(),
    /** Makes the parameters again, after a checkpoint has changed. */
    renewParameters: (): void => {
      parameters = undefined
    },
  }
}

export type Entries = ReturnType<typeof createEntries>
