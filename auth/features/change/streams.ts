/**
 * The live streams of this process. While there are any, it reads private.changes every 100 milliseconds with one statement for all of them.
 * Every process reads for itself, so several need nothing between them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { describeError, type Log } from '../../../common/log.ts'
import { refuse } from '../../errors.ts'
import { readAccesses, type Access } from './access.ts'
import { columns, lostAccess, readRights, visibleChanges, type ChangeRow, type Rights } from './changes.ts'
import { createCursors, type Cursors } from './cursor.ts'
import { createStream, type Closing, type EndReason, type Stream } from './stream.ts'

/** Maximum number of streams of a person with sessions, and of an API key, in one process. */
const maxOfPerson = 6
const maxOfKey = 2

/** Time after which a client over a limit may try again, in seconds. */
const retryAfterSeconds = 30

/** Interval of comments, in milliseconds. Load balancers close a connection that is idle for 60 s. */
const beatMs = 20_000
/** Interval of the check for stuck readers, in milliseconds. */
const stuckCheckMs = 5_000
/** Interval of the check of all accesses, in milliseconds. Most ends are noted in private.changes and found at once. */
const accessCheckMs = 30_000
/** Minimum time between two such checks, in milliseconds: the clock of the database may be behind. */
const minCheckMs = 250
/**
 * Time from one read to the next, in milliseconds. A stream gets the changes of a read as one delivery. A notification of each change would
 * save the reads, and halve the throughput of writes: docs/decisions/live/read-changes-ten-times-a-second.md.
 */
const readMs = 100
/** Pause after a failed read or check, in milliseconds. */
const failureMs = 2_000

/** Maximum number of rows that one read returns. With more, each stream sends `reset`. */
const maxRows = 5_000

/**
 * The rows that the snapshot of the last read does not see. A transaction that commits late is new in the first read after its commit. The
 * database has another identity after a restore or a failover, where transactions may have the same numbers.
 */
const newRows = {
  name: 'changes',
  text: `with now as materialized (
      select private.changes_seen()::text as snapshot, private.is_incomplete_since($1::pg_snapshot, k.from_xid) as is_cut,
        private.database_identity() as database
      from private.changes_kept k
    )
    select now.*, ${columns} from now left join lateral (
      select * from private.changes c where c.xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(c.xid, $1::pg_snapshot)
      order by c.xid limit ${maxRows + 1}
    ) c on true`,
}

/** The rows of a client's contexts since its cursor, as far as the last read has seen them. Later rows follow the ends of accesses that they may follow. */
const missedRows = {
  name: 'missed-changes',
  text: `select pg_snapshot_xmax(pg_current_snapshot()) < $1::text::xid8 or k.from_xid > $1::text::xid8 as is_cut, ${columns}
    from private.changes_kept k left join lateral (
      select * from private.changes c where c.xid >= $1::text::xid8
        and (c.organization_id is null and c.user_id = $2 or c.organization_id = $3) and c.table_name <> '${lostAccess}'
        and pg_visible_in_snapshot(c.xid, $4::pg_snapshot)
      order by c.xid limit ${maxRows + 1}
    ) c on true`,
}

type MissedRow = ChangeRow & { is_cut: boolean }
type NewRow = MissedRow & { snapshot: string, database: string }

/** The rows of a read: without changes it is one row with the snapshot. */
const changesIn = <Found extends ChangeRow>(rows: Found[]): Found[] => rows.filter(({ table_name: table }) => table !== null as string | null)

/** Returns the first transaction that the snapshot may not see. */
const xminOf = (snapshot: string): bigint => BigInt(snapshot.slice(0, snapshot.indexOf(':')))

type Entry = {
  access: Access
  tables: ReadonlySet<string> | undefined
  stream: Stream
  isOpen: boolean
  contexts: string[]
  endsAt: number
  /** Absent before the first check of the access. */
  membership?: string | null
  /** Absent before the first read after that check. */
  cursors?: Cursors
}

/** The state after a read. */
type Position = { snapshot: string, xid: bigint, database: string, cursorsOf: (reader: string) => Cursors }

export type StreamsObserver = {
  /** Called for each closed stream. */
  closed: (closing: Closing) => void
  /** Called with the number of changes in each delivery. */
  sent: (changes: number) => void
  /** Called if changes were lost and streams are told so. */
  lost: (streams: number) => void
}

export type ChangeStreams = {
  /** Reads the rights of roles and the tables, which only a migration changes. */
  rights: () => Promise<Rights>
  /**
   * Opens a stream.
   * @param tables undefined for all tables
   * @param lastEventId the cursor of a client that resumes
   * @throws Refusal RATE_LIMIT_EXCEEDED, SERVICE_BUSY, UNAUTHORIZED
   */
  open: (access: Access, tables: ReadonlySet<string> | undefined, lastEventId: string | undefined) => Promise<ReadableStream<Uint8Array>>
  count: () => number
  /** The time since the last read, in seconds; 0 without streams. */
  lagSeconds: () => number
  /** Closes all streams, and opens no more. Clients resume at another process. */
  close: () => void
  stop: () => Promise<void>
}

type Options = { pool: pg.Pool, secret: string, maxStreams: number, observer: StreamsObserver, log: Log }

export function createChangeStreams({ pool, secret, maxStreams, observer, log }: Options): ChangeStreams {
  const entries = new Set<Entry>()
  const byContext = new Map<string, Set<Entry>>()
  const stopping = new AbortController()
  let rightsOnce: Promise<Rights> | undefined
  /** undefined without streams. */
  let position: Position | undefined

  const rights = (): Promise<Rights> =>
    rightsOnce ??= readRights(pool).catch((error: unknown) => {
      rightsOnce = undefined
      throw error
    })

  const remove = (entry: Entry): void => {
    entries.delete(entry)
    for (const context of entry.contexts) {
      const others = byContext.get(context)
      others?.delete(entry)
      if (others?.size === 0) byContext.delete(context)
    }
    if (entries.size === 0) position = undefined
  }

  // An access that has ended closes its stream before the stream tells a later change.
  let checkTimer: NodeJS.Timeout | undefined
  let checkAt = Infinity
  /** Checks all accesses at a time, in milliseconds since 1970, unless an earlier check is planned. */
  const planCheck = (at: number): void => {
    if (at >= checkAt || stopping.signal.aborted) return
    clearTimeout(checkTimer)
    checkAt = at
    checkTimer = setTimeout(checkAll, Math.max(0, at - Date.now()))
  }
  const checkAll = (): void => {
    checkAt = Infinity
    check([...entries]).then(
      () => entries.size > 0 && planCheck(Math.max(Date.now() + minCheckMs, Math.min(Date.now() + accessCheckMs, ...[...entries].map(({ endsAt }) => endsAt)))),
      (error: unknown) => {
        log.warn({ error: describeError(error) }, 'the accesses of live streams could not be checked; trying again')
        // the last check has proved each access only until its end
        for (const { stream, endsAt } of entries) if (endsAt <= Date.now()) stream.close('expired', 'expired')
        planCheck(Date.now() + failureMs)
      },
    )
  }
  const check = async (some: Entry[]): Promise<void> => {
    if (some.length === 0) return
    const all = await readAccesses(pool, some.map(({ access }) => access))
    some.forEach((entry, at) => {
      const living = all[at]
      if (living !== undefined) Object.assign(entry, living)
      else {
        const reason: EndReason = (entry.access.token?.endsAt.getTime() ?? Infinity) <= Date.now() ? 'expired' : 'ended'
        entry.stream.close(reason, reason)
      }
    })
  }

  // Reading: one read at a time.
  let readAt = 0
  let hasFailed = false
  let reading: Promise<void> | undefined
  let mustReadAgain = false
  let isReadingOften = false
  const rowsSince = async (snapshot: string | null): Promise<NewRow[]> => (await pool.query<NewRow>({ ...newRows, values: [snapshot] })).rows
  const readOnce = async (): Promise<void> => {
    if (entries.size === 0) return
    const former = position
    let rows = await rowsSince(former?.snapshot ?? null)
    const isOtherDatabase = rows[0]?.database !== former?.database
    const isLost = isOtherDatabase || rows[0]?.is_cut === true || rows.length > maxRows
    if (isOtherDatabase) {
      await pool.query('select private.forget_restored_changes()')
      rows = await rowsSince(null)
    }
    const [first] = rows
    const allRights = await rights()
    const changes = changesIn(rows)
    const losers = new Set(changes.filter(({ table_name: table }) => table === lostAccess).map(({ user_id: user }) => user))
    if (isLost || losers.size > 0) {
      await check([...entries].filter(({ access: { userId } }) => isLost || losers.has(null) || losers.has(userId)))
    }
    // the last stream may have closed meanwhile
    if (entries.size === 0 || first === undefined) return
    const { snapshot, database } = first
    position = {
      snapshot,
      xid: xminOf(snapshot),
      database,
      cursorsOf: isOtherDatabase || former === undefined ? createCursors(secret, database) : former.cursorsOf,
    }
    // a stream without cursors has no position before this read, so it has lost nothing
    const losing = isLost ? [...entries].filter(({ cursors }) => cursors !== undefined) : []
    for (const { stream } of losing) stream.reset()
    if (losing.length > 0) observer.lost(losing.length)
    for (const entry of entries) {
      const reader = readerOf(entry)
      if (reader !== undefined && (isOtherDatabase || entry.cursors === undefined)) entry.cursors = position.cursorsOf(reader)
    }
    if (!isLost) { for (const row of changes) report(row, allRights) }
    if (isLost || changes.length > 0) { for (const { stream, isOpen } of entries) if (isOpen) stream.deliver(position.xid) }
    readAt = performance.now()
    hasFailed = false
  }
  const report = (row: ChangeRow, allRights: Rights): void => {
    for (const entry of byContext.get(contextOf(row.user_id, row.organization_id)) ?? []) addTo(entry, row, allRights)
  }
  const addTo = (entry: Entry, row: ChangeRow, allRights: Rights): void => {
    for (const change of visibleChanges(row, entry.access, allRights)) {
      if (entry.tables !== undefined && !entry.tables.has(change.table)) continue
      entry.stream.add(change)
    }
  }
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
  /** Resolves after a read that began after the call. */
  const read = (): Promise<void> => {
    mustReadAgain = true
    reading ??= readAll()
    return reading
  }
  const readOften = async (): Promise<void> => {
    isReadingOften = true
    while (entries.size > 0 && !stopping.signal.aborted) {
      const begun = performance.now()
      const pause = await read().then(() => Math.max(0, readMs - (performance.now() - begun)), (error: unknown) => {
        if (!hasFailed) log.warn({ error: describeError(error) }, 'changes could not be read; trying again')
        hasFailed = true
        return failureMs
      })
      await sleep(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
    isReadingOften = false
  }

  const beats = setInterval(() => {
    if (position !== undefined) { for (const { stream } of entries) stream.beat(position.xid) }
  }, beatMs).unref()
  const stuckChecks = setInterval(() => {
    for (const { stream } of entries) stream.dropIfStuck()
  }, stuckCheckMs).unref()

  const refuseOverLimit = ({ userId, sessionId, keyRole }: Access): void => {
    if (stopping.signal.aborted) refuse('SERVICE_BUSY', 1)
    if (entries.size >= maxStreams) refuse('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
    const others = [...entries].filter(({ access }) => keyRole === null ? access.keyRole === null && access.userId === userId : access.sessionId === sessionId)
    if (others.length >= (keyRole === null ? maxOfPerson : maxOfKey)) refuse('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
  }

  /** Refuses a stream that was closed while it was opened. */
  const refuseIfClosed = (entry: Entry): void => {
    if (stopping.signal.aborted) refuse('SERVICE_BUSY', 1)
    if (!entries.has(entry)) refuse('UNAUTHORIZED')
  }

  /** Adds the changes since the cursor. @returns true if they are not complete */
  const addMissed = async (entry: Entry, since: bigint, allRights: Rights): Promise<boolean> => {
    const { userId, organizationId, keyRole } = entry.access
    const { rows } = await pool.query<MissedRow>({
      ...missedRows,
      values: [String(since), keyRole !== null && organizationId !== null ? null : userId, organizationId, position?.snapshot],
    })
    const changes = changesIn(rows)
    if (rows[0]?.is_cut === true || changes.length > maxRows) return true
    for (const row of changes) addTo(entry, row, allRights)
    return false
  }

  const open: ChangeStreams['open'] = async (access, tables, lastEventId) => {
    const allRights = await rights()
    refuseOverLimit(access)
    const { userId, organizationId, keyRole } = access
    const entry: Entry = {
      access,
      tables,
      isOpen: false,
      endsAt: Infinity,
      contexts: [
        ...(keyRole !== null && organizationId !== null ? [] : [contextOf(userId, null)]),
        ...(organizationId === null ? [] : [contextOf(null, organizationId)]),
      ],
      stream: createStream((xid) => entry.cursors?.encode(xid) ?? '', (closing) => {
        remove(entry)
        observer.closed(closing)
      }, observer.sent),
    }
    entries.add(entry)
    for (const context of entry.contexts) byContext.set(context, (byContext.get(context) ?? new Set()).add(entry))
    try {
      // after the entry was added, so that no end in between is missed
      await check([entry])
      refuseIfClosed(entry)
      await read()
      const since = lastEventId === undefined ? undefined : entry.cursors?.decode(lastEventId)
      const isLost = lastEventId !== undefined && (since === undefined || await addMissed(entry, since, allRights))
      refuseIfClosed(entry)
      const { cursors, xid } = { cursors: entry.cursors!, xid: position!.xid }
      entry.isOpen = true
      entry.stream.open(since === undefined || isLost ? cursors.encode(xid) : lastEventId!, isLost)
      entry.stream.deliver(xid)
      if (!isReadingOften) void readOften()
      planCheck(Math.min(entry.endsAt, Date.now() + accessCheckMs))
      return entry.stream.body
    } catch (error) {
      entry.stream.close('stop')
      throw error
    }
  }
  const close = (): void => {
    stopping.abort()
    for (const { stream } of entries) stream.close('stop')
  }
  return {
    rights,
    open,
    count: () => [...entries].filter(({ isOpen }) => isOpen).length,
    lagSeconds: () => (position === undefined ? 0 : (performance.now() - readAt) / 1_000),
    close,
    stop: async () => {
      close()
      clearInterval(beats)
      clearInterval(stuckChecks)
      clearTimeout(checkTimer)
      await reading?.catch(() => undefined)
    },
  }
}

/** The key of a context: the personal rows of a user, or the rows of an organization. */
const contextOf = (
  userId: string | null,
  organizationId: string | null,
): string => (organizationId === null ? `user ${userId}` : `organization ${organizationId}`)

/**
 * Returns the reader that a cursor belongs to. A cursor ends with the membership and the role, because the time in between has ids that the
 * reader may not learn. @returns undefined before the first check of the access
 */
const readerOf = ({ access: { userId, role }, membership }: Entry): string | undefined =>
  membership === undefined ? undefined : `${userId} ${membership} ${role}`
