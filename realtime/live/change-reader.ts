/**
 * The reads of private.changes for all live streams of this process. One read runs at a time, and
 * passes each change to the streams that may report it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { describeError, type Log } from '../../common/log.ts'
import { failureMs } from './access-checks.ts'
import type { Checkpoint } from './cursor.ts'
import { columns, visibleChanges, type ChangeRow, type Rights } from './row-changes.ts'
import { isEndOfAccess, nowhere, type Entries, type Entry, type Tenant } from './stream-entries.ts'

/**
 * Time from one read to the next, in milliseconds. A stream gets the changes of a read as one
 * delivery. A notification of each change would save the reads, and halve the throughput of writes:
 * docs/decisions/live-changes.md#the-service-reads-changes-ten-times-a-second-without-notifications.
 */
const readMs = 100
/**
 * Time for which a read looks back for changes, in milliseconds: longer than a request takes from
 * its first change to its commit.
 */
const lookBackMs = 15_000
/**
 * Time after which a read compares all tenants, in milliseconds. It finds the changes of longer
 * transactions, and of a database that was restored.
 */
const fullReadMs = 30_000
/** Maximum number of rows of a tenant in one read. With more, its streams send `reset`. */
const maxRows = 5_000

/** The tenants with changes in the last seconds, and the last change of each. */
const lateRows = {
  name: 'late-changes',
  text: `select distinct on (tenant) tenant, change from private.changes
    where happened_at > clock_timestamp() - interval '${lookBackMs} ms' order by tenant, position desc`,
}

/**
 * Those of the tenants whose checkpoint is another one than at the last read, with their changes
 * since. A checkpoint that this process does not know yet is null. One statement has one snapshot,
 * so a read that sees a change also sees each end of access before it.
 */
const newRows = {
  name: 'changes',
  text:
    `select f.tenant, coalesce(t.position, 0) as at_position, coalesce(t.change, '${nowhere.change}') as at_change, c.position, c.after, ${columns}
    from unnest($1::text[], $2::bigint[], $3::uuid[]) as f (tenant, position, change)
    left join private.tenants t on t.tenant = f.tenant
    left join lateral (
      select * from private.changes c where c.tenant = t.tenant and c.position > f.position order by c.position limit ${
      maxRows + 1
    }
    ) c on true
    where coalesce(t.change, '${nowhere.change}') is distinct from f.change`,
}

/**
 * The changes of tenants since the checkpoints of a client's cursor, as far as the last read has
 * seen them.
 */
const missedRows = {
  name: 'missed-changes',
  text:
    `select f.tenant, c.position, c.after, ${columns} from unnest($1::text[], $2::bigint[], $3::bigint[]) as f (tenant, since, until)
    cross join lateral (
      select * from private.changes c where c.tenant = f.tenant and c.position > f.since and c.position <= f.until
      order by c.position limit ${maxRows + 1}
    ) c`,
}

type TenantRow = ChangeRow & { tenant: string, position: string | null, after: string | null }
type NewRow = TenantRow & { at_position: string, at_change: string }

/**
 * Returns true if the rows are all changes of a tenant after the checkpoint: the first one comes
 * after the change there.
 */
const isComplete = (since: Checkpoint, [first, ...rest]: TenantRow[]): boolean =>
  first !== undefined && Number(first.position) === since.position + 1 &&
  first.after === since.change && rest.length < maxRows

/** The changes of a tenant in one read. They are lost if they are not complete. */
type Move = { name: string, tenant: Tenant, changes: NewRow[], isLost: boolean }

/** Returns the changes of each tenant that has moved. */
const movesOf = (moved: Map<string, NewRow[]>, tenants: Entries['tenants']): Move[] =>
  [...moved].flatMap(([name, changes]) => {
    const tenant = tenants.get(name)
    // a checkpoint that was not known has no changes
    return tenant?.checkpoint === undefined
      ? []
      : [{
        name,
        tenant,
        changes,
        isLost: !isEndOfAccess(name) && !isComplete(tenant.checkpoint, changes),
      }]
  })

const entriesOf = (moves: Move[]): Entry[] => moves.flatMap(({ tenant }) => [...tenant.entries])

/** Adds the changes in a row that a stream may report. */
function addTo(entry: Entry, row: TenantRow, allRights: Rights): void {
  for (
    const change of visibleChanges(
      row,
      row.tenant.startsWith('o:') ? entry.access.organizationId : null,
      entry.access,
      allRights,
    )
  ) {
    if (entry.tables !== undefined && !entry.tables.has(change.table)) continue
    entry.stream.add(change)
  }
}

/**
 * Adds the changes since the checkpoints of a cursor up to the present ones. @returns true if they
 * are not complete
 */
export async function addMissed(
  pool: pg.Pool,
  entry: Entry,
  since: Checkpoint[],
  present: Checkpoint[],
  allRights: Rights,
): Promise<boolean> {
  const { rows } = await pool.query<TenantRow>({
    ...missedRows,
    values: [
      entry.contexts,
      since.map(({ position }) => position),
      present.map(({ position }) => position),
    ],
  })
  const isLost = entry.contexts.some((name, at) =>
    since[at]!.change !== present[at]!.change &&
    !isComplete(since[at]!, rows.filter(({ tenant }) => tenant === name))
  )
  if (!isLost) { for (const row of rows) addTo(entry, row, allRights) }
  return isLost
}

type ReaderParts = {
  pool: pg.Pool
  entries: Entries
  rights: () => Promise<Rights>
  /** Checks the accesses of streams, and closes those that have ended. */
  check: (some: Entry[]) => Promise<void>
  /** Called if changes were lost and streams are told so. */
  onLoss: (streams: number) => void
  log: Log
  /** Fires when the service stops. */
  signal: AbortSignal
}

/**
 * Returns the tenants of streams that a read must compare. Most of them have not moved, so that a
 * read of all of them would cost the more the more streams there are.
 */
async function comparedTenants(pool: pg.Pool, entries: Entries): Promise<string[]> {
  const { rows } = await pool.query<{ tenant: string, change: string }>(lateRows)
  const moved = rows.filter(({ tenant, change }) =>
    entries.tenants.get(tenant)?.checkpoint?.change !== change
  )
  return [...entries.comparedWith(moved.map(({ tenant }) => tenant))]
}

/**
 * Reads the changes since the last read, and delivers them. @param isFull whether it compares all
 * tenants
 */
async function readChanges(
  { pool, entries, rights, check, onLoss }: ReaderParts,
  isFull: boolean,
): Promise<void> {
  const compared = isFull ? [...entries.tenants.keys()] : await comparedTenants(pool, entries)
  if (compared.length === 0) return
  const checkpoints = compared.map((name) => entries.tenants.get(name)?.checkpoint)
  const { rows } = await pool.query<NewRow>({
    ...newRows,
    values: [
      compared,
      checkpoints.map((checkpoint) => checkpoint?.position),
      checkpoints.map((checkpoint) => checkpoint?.change),
    ],
  })
  const allRights = await rights()
  const moved = Map.groupBy(rows, ({ tenant }) => tenant)
  const moves = movesOf(moved, entries.tenants)
  const losing = new Set(entriesOf(moves.filter(({ isLost }) => isLost)))
  await check([
    ...new Set([...losing, ...entriesOf(moves.filter(({ name }) => isEndOfAccess(name)))]),
  ])
  for (const [name, [row]] of moved) {
    if (row !== undefined)
      entries.moveTo(name, { position: Number(row.at_position), change: row.at_change })
  }
  // a stream without cursors has no checkpoint before this read, so it has lost nothing
  const resetting = [...losing].filter((entry) =>
    entries.all.has(entry) && entry.cursors !== undefined
  )
  for (const { stream } of resetting) stream.reset()
  if (resetting.length > 0) onLoss(resetting.length)
  for (const { name, tenant, changes, isLost } of moves) {
    if (isEndOfAccess(name)) continue
    if (!isLost) {
      for (const row of changes)
        for (const entry of tenant.entries) if (!losing.has(entry)) addTo(entry, row, allRights)
    }
    for (const entry of tenant.entries)
      if (entry.isOpen) entry.stream.deliver(entries.checkpointsOf(entry))
  }
}

/** Runs one read at a time. */
function oneAtATime(readOnce: () => Promise<void>) {
  let reading: Promise<void> | undefined
  let mustReadAgain = false
  const readAll = async (): Promise<void> => {
    try {
      while (mustReadAgain) {
        mustReadAgain = false
        await readOnce()
      }
    } finally {
      // in the same step as the last check, so that no call in between is missed
      reading = undefined
    }
  }
  return {
    /** Resolves after a read that began after the call. */
    read: (): Promise<void> => {
      mustReadAgain = true
      reading ??= readAll()
      return reading
    },
    /** Resolves when no read runs. */
    settled: async (): Promise<void> => await reading?.catch(() => undefined),
  }
}

/** Makes the reader, which reads only when it is called. */
export function createChangeReader(parts: ReaderParts) {
  const { entries, log, signal } = parts
  let readAt = 0
  let fullReadAt = -Infinity
  let isBehind = true
  let hasFailed = false
  let isReadingOften = false
  const readOnce = async (): Promise<void> => {
    if (entries.all.size === 0) return
    const begun = performance.now()
    // after a failure or a pause, changes can be older than a read looks back
    const isFull = isBehind || begun - fullReadAt > fullReadMs || begun - readAt > lookBackMs / 2
    isBehind = true
    await readChanges(parts, isFull)
    isBehind = false
    readAt = performance.now()
    if (isFull) fullReadAt = begun
    hasFailed = false
  }
  const { read, settled } = oneAtATime(readOnce)
  const readOften = async (): Promise<void> => {
    isReadingOften = true
    while (entries.all.size > 0 && !signal.aborted) {
      const begun = performance.now()
      const pause = await read().then(
        () => Math.max(0, readMs - (performance.now() - begun)),
        (error: unknown) => {
          if (!hasFailed)
            log.warn({ error: describeError(error) }, 'changes could not be read; trying again')
          hasFailed = true
          return failureMs
        },
      )
      await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined)
    }
    isReadingOften = false
  }
  return {
    read,
    /** Reads until there are no streams. */
    begin: (): void => {
      if (!isReadingOften) void readOften()
    },
    /** The time since the last read, in seconds; 0 without streams. */
    lagSeconds: () => (entries.all.size === 0 ? 0 : (performance.now() - readAt) / 1_000),
    settled,
  }
}
