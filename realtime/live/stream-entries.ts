/** The live streams of this process, and the tenants whose changes they report. */
import type { Checkpoint, Cursors } from './cursor.ts'
import type { Stream } from './event-stream.ts'
import type { Access } from './stream-access.ts'

/** The checkpoint of a tenant without a row: its user or organization is deleted. */
export const nowhere: Checkpoint = { position: 0, change: '00000000-0000-0000-0000-000000000000' }

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
  /** The part of the streams with which it gets its comments. */
  beat: number
  /** The tenants whose changes it reports: of the user, of the organization. */
  contexts: string[]
  endsAt: number
  /** Absent before the first check of the access. */
  membership?: string | null
  /** Absent before that check. */
  cursors?: Cursors
  /** The checkpoints of the newest cursor that was made for the client. */
  sent?: Checkpoint[]
}

/** The tenants that note the ends of accesses: of a user, and of all users. */
const endOfAccessOf = (userId: string): string => `a:${userId}`
const endOfAllAccess = 'a:'

/**
 * Returns the tenants whose changes a stream must know: those of its rows, that of the ends of its
 * user's access, and that of all users' (db/core/tenants.sql).
 */
const tenantsOf = (
  { contexts, access: { userId } }: Entry,
): string[] => [...contexts, endOfAccessOf(userId), endOfAllAccess]

/** Returns true for a tenant that notes the ends of accesses. */
export const isEndOfAccess = (tenant: string): boolean => tenant.startsWith('a:')

/** Makes the set of streams, which is empty. */
export function createEntries() {
  const entries = new Set<Entry>()
  const tenants = new Map<string, Tenant>()
  /** The tenants without a checkpoint. */
  const unread = new Set<string>()
  return {
    all: entries as ReadonlySet<Entry>,
    tenants: tenants as ReadonlyMap<string, Tenant>,
    add: (entry: Entry): void => {
      entries.add(entry)
      for (const name of tenantsOf(entry)) {
        const tenant = tenants.get(name) ?? { entries: new Set() }
        if (tenant.checkpoint === undefined) unread.add(name)
        tenants.set(name, tenant)
        tenant.entries.add(entry)
      }
    },
    remove: (entry: Entry): void => {
      entries.delete(entry)
      for (const name of tenantsOf(entry)) {
        const tenant = tenants.get(name)
        tenant?.entries.delete(entry)
        if (tenant?.entries.size !== 0) continue
        tenants.delete(name)
        unread.delete(name)
      }
    },
    /** Returns the streams of a user, of sessions and of keys. */
    ofUser: (userId: string): Entry[] => [...tenants.get(endOfAccessOf(userId))?.entries ?? []],
    checkpointsOf: ({ contexts }: Entry): Checkpoint[] =>
      contexts.map((name) => tenants.get(name)?.checkpoint ?? nowhere),
    moveTo: (name: string, checkpoint: Checkpoint): void => {
      const tenant = tenants.get(name)
      if (tenant === undefined) return
      tenant.checkpoint = checkpoint
      unread.delete(name)
    },
    /**
     * Returns the tenants that a read must compare because these have moved: of each stream of one
     * of them all, so that the read finds the end of its access too. Those without a checkpoint are
     * among them.
     */
    comparedWith: (moved: string[]): Set<string> =>
      new Set([
        ...unread,
        ...moved.flatMap((name) => [...tenants.get(name)?.entries ?? []]).flatMap(tenantsOf),
      ]),
  }
}

export type Entries = ReturnType<typeof createEntries>
