/**
 * The live streams of this process. While there are any, it reads private.changes every 100
 * milliseconds with one statement for all of them. Every process reads for itself, so several need
 * nothing between them.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { describeError, type Log } from '../../common/log.ts'
import { reject } from '../../http/errors.ts'
import { readAccesses, type Access } from './stream-access.ts'
import { columns, readRights, visibleChanges, type ChangeRow, type Rights } from './row-changes.ts'
import { createCursors, type Cursors, type Checkpoint } from './cursor.ts'
import { createStream, type Closing, type EndReason, type Stream } from './event-stream.ts'

/** Maximum number of streams of a person with sessions, and of an API key, in one process. */
const maxOfPerson = 6
const maxOfKey = 2

/** Time after which a client over a limit may try again, in seconds. */
const retryAfterSeconds = 30

/**
 * Interval of comments, in milliseconds. Load balancers close a connection that is idle for 60 s.
 */
const beatMs = 20_000
/** Interval of the check for stuck readers, in milliseconds. */
const stuckCheckMs = 5_000
/**
 * Interval of the check of all accesses, in milliseconds. Most ends are noted in private.changes
 * and found at once.
 */
const accessCheckMs = 30_000
/**
 * Minimum time between two such checks, in milliseconds: the clock of the database may be behind.
 */
const minCheckMs = 250
/**
 * Time from one read to the next, in milliseconds. A stream gets the changes of a read as one
 * delivery. A notification of each change would save the reads, and halve the throughput of writes:
 * docs/decisions/live-changes.md#the-service-reads-changes-ten-times-a-second-without-notifications.
 */
const readMs = 100
/** Pause after a failed read or check, in milliseconds. */
const failureMs = 2_000

/** Maximum number of rows of a tenant in one read. With more, its streams send `reset`. */
const maxRows = 5_000

/** The checkpoint of a tenant without a row: its user or organization is deleted. */
const nowhere: Checkpoint = { position: 0, change: '00000000-0000-0000-0000-000000000000' }

/**
 * The tenants whose checkpoint is another one than at the last read, with their changes since. A
 * checkpoint that this process does not know yet is null. One statement has one snapshot, so a read
 * that sees a change also sees each end of access before it.
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

/**
 * Returns a parameter of the statement. The text is made only when a checkpoint or a stream is new,
 * because a read has two for each stream.
 */
const arrayOf = (values: (string | number | undefined)[]): string =>
  `{${
    values.map((
      value,
    ) => (value === undefined ? 'null' : `"${String(value).replaceAll(/["\\]/g, '\\$&')}"`)).join()
  }}`

/** A tenant of streams, as in private.tenants. */
type Tenant = {
  /** Absent before the first read. */
  checkpoint?: Checkpoint
  entries: Set<Entry>
}

type Entry = {
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
   * @throws Rejection RATE_LIMIT_EXCEEDED, SERVICE_BUSY, UNAUTHORIZED
   */
  open: (
    access: Access,
    tables: ReadonlySet<string> | undefined,
    lastEventId: string | undefined,
  ) => Promise<ReadableStream<Uint8Array>>
  count: () => number
  /** The time since the last read, in seconds; 0 without streams. */
  lagSeconds: () => number
  /** Closes all streams, and opens no more. Clients resume at another process. */
  close: () => void
  stop: () => Promise<void>
}

type Options = {
  pool: pg.Pool
  secret: string
  maxStreams: number
  observer: StreamsObserver
  log: Log
}

export function createChangeStreams(
  { pool, secret, maxStreams, observer, log }: Options,
): ChangeStreams {
  const entries = new Set<Entry>()
  const tenants = new Map<string, Tenant>()
  const cursorsOf = createCursors(secret)
  const stopping = new AbortController()
  let rightsOnce: Promise<Rights> | undefined
  const rights = (): Promise<Rights> =>
    rightsOnce ??= readRights(pool).catch((error: unknown) => {
      rightsOnce = undefined
      throw error
    })

  const add = (entry: Entry): void => {
    entries.add(entry)
    for (const name of tenantsOf(entry)) {
      const tenant = tenants.get(name) ?? { entries: new Set() }
      tenants.set(name, tenant)
      tenant.entries.add(entry)
    }
    parameters = undefined
  }
  const remove = (entry: Entry): void => {
    entries.delete(entry)
    for (const name of tenantsOf(entry)) {
      const tenant = tenants.get(name)
      tenant?.entries.delete(entry)
      if (tenant?.entries.size === 0) tenants.delete(name)
    }
    parameters = undefined
  }
  const checkpointsOf = ({ contexts }: Entry): Checkpoint[] =>
    contexts.map((name) => tenants.get(name)?.checkpoint ?? nowhere)

  // An access that has ended closes its stream before the stream tells a later change.
  let checkTimer: NodeJS.Timeout | undefined
  let checkAt = Infinity
  /**
   * Checks all accesses at a time, in milliseconds since 1970, unless an earlier check is planned.
   */
  const planCheck = (at: number): void => {
    if (at >= checkAt || stopping.signal.aborted) return
    clearTimeout(checkTimer)
    checkAt = at
    checkTimer = setTimeout(checkAll, Math.max(0, at - Date.now()))
  }
  const checkAll = (): void => {
    checkAt = Infinity
    check([...entries]).then(
      () =>
        entries.size > 0 &&
        planCheck(
          Math.max(
            Date.now() + minCheckMs,
            Math.min(
              Date.now() + accessCheckMs,
              ...[...entries].map(({ endsAt }) => endsAt),
            ),
          ),
        ),
      (error: unknown) => {
        log.warn(
          { error: describeError(error) },
          'the accesses of live streams could not be checked; trying again',
        )
        // the last check has proved each access only until its end
        for (const { stream, endsAt } of entries)
          if (endsAt <= Date.now()) stream.close('expired', 'expired')
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
        const reason: EndReason = (entry.access.token?.endsAt.getTime() ?? Infinity) <= Date.now()
          ? 'expired'
          : 'ended'
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
  const readOnce = async (): Promise<void> => {
    if (entries.size === 0) return
    parameters ??= parametersOf()
    const { rows } = await pool.query<NewRow>({ ...newRows, values: parameters })
    const allRights = await rights()
    const moved = Map.groupBy(rows, ({ tenant }) => tenant)
    const moves = [...moved].flatMap(([name, changes]) => {
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
    const losing = new Set(
      moves.filter(({ isLost }) => isLost).flatMap(({ tenant }) => [...tenant.entries]),
    )
    await check([
      ...new Set([
        ...losing,
        ...moves.filter(({ name }) => isEndOfAccess(name)).flatMap((
          { tenant },
        ) => [...tenant.entries]),
      ]),
    ])
    for (const [name, [row]] of moved) {
      const tenant = tenants.get(name)
      if (tenant !== undefined && row !== undefined)
        tenant.checkpoint = { position: Number(row.at_position), change: row.at_change }
    }
    if (moved.size > 0) parameters = undefined
    // a stream without cursors has no checkpoint before this read, so it has lost nothing
    const resetting = [...losing].filter((entry) =>
      entries.has(entry) && entry.cursors !== undefined
    )
    for (const { stream } of resetting) stream.reset()
    if (resetting.length > 0) observer.lost(resetting.length)
    for (const { name, tenant, changes, isLost } of moves) {
      if (isEndOfAccess(name)) continue
      if (!isLost) {
        for (const row of changes)
          for (const entry of tenant.entries) if (!losing.has(entry)) addTo(entry, row, allRights)
      }
      for (const entry of tenant.entries)
        if (entry.isOpen) entry.stream.deliver(checkpointsOf(entry))
    }
    readAt = performance.now()
    hasFailed = false
  }
  const addTo = (entry: Entry, row: TenantRow, allRights: Rights): void => {
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
      const pause = await read().then(
        () => Math.max(0, readMs - (performance.now() - begun)),
        (error: unknown) => {
          if (!hasFailed)
            log.warn({ error: describeError(error) }, 'changes could not be read; trying again')
          hasFailed = true
          return failureMs
        },
      )
      await sleep(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
    isReadingOften = false
  }

  const beats = setInterval(() => {
    for (const entry of entries) entry.stream.beat(checkpointsOf(entry))
  }, beatMs).unref()
  const stuckChecks = setInterval(() => {
    for (const { stream } of entries) stream.dropIfStuck()
  }, stuckCheckMs).unref()

  const rejectOverLimit = ({ userId, sessionId, keyRole }: Access): void => {
    if (stopping.signal.aborted) reject('SERVICE_BUSY', 1)
    if (entries.size >= maxStreams) reject('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
    const others = [...entries].filter(({ access }) =>
      keyRole === null
        ? access.keyRole === null && access.userId === userId
        : access.sessionId === sessionId
    )
    if (others.length >= (keyRole === null ? maxOfPerson : maxOfKey))
      reject('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
  }

  /** Refuses a stream that was closed while it was opened. */
  const rejectIfClosed = (entry: Entry): void => {
    if (stopping.signal.aborted) reject('SERVICE_BUSY', 1)
    if (!entries.has(entry)) reject('UNAUTHORIZED')
  }

  /**
   * Adds the changes since the checkpoints of a cursor up to the present ones. @returns true if
   * they are not complete
   */
  const addMissed = async (
    entry: Entry,
    since: Checkpoint[],
    present: Checkpoint[],
    allRights: Rights,
  ): Promise<boolean> => {
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

  const open: ChangeStreams['open'] = async (access, tables, lastEventId) => {
    const allRights = await rights()
    rejectOverLimit(access)
    const { userId, organizationId, keyRole } = access
    const entry: Entry = {
      access,
      tables,
      isOpen: false,
      endsAt: Infinity,
      contexts: [
        ...(keyRole !== null && organizationId !== null ? [] : [`u:${userId}`]),
        ...(organizationId === null ? [] : [`o:${organizationId}`]),
      ],
      stream: createStream<Checkpoint[]>(
        (checkpoints) => entry.cursors?.encode(checkpoints) ?? '',
        (closing) => {
          remove(entry)
          observer.closed(closing)
        },
        observer.sent,
      ),
    }
    add(entry)
    try {
      await read()
      // after a read, so that no end in between is missed
      await check([entry])
      rejectIfClosed(entry)
      const cursors = cursorsOf(`${userId} ${entry.membership} ${access.role}`)
      entry.cursors = cursors
      const since = lastEventId === undefined
        ? undefined
        : cursors.decode(lastEventId, entry.contexts.length)
      const isLost = lastEventId !== undefined &&
        (since === undefined || await addMissed(entry, since, checkpointsOf(entry), allRights))
      rejectIfClosed(entry)
      entry.isOpen = true
      entry.stream.open(
        since === undefined || isLost ? cursors.encode(checkpointsOf(entry)) : lastEventId!,
        isLost,
      )
      entry.stream.deliver(checkpointsOf(entry))
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
    lagSeconds: () => (entries.size === 0 ? 0 : (performance.now() - readAt) / 1_000),
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

/**
 * Returns the tenants that a read compares: those of the stream's changes, of the ends of its
 * user's access, and of all users' (db/core/tenants.sql).
 */
const tenantsOf = (
  { contexts, access: { userId } }: Entry,
): string[] => [...contexts, `a:${userId}`, 'a:']

const isEndOfAccess = (tenant: string): boolean => tenant.startsWith('a:')
