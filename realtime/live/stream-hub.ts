/**
 * The live streams of this process. While there are any, it reads private.changes every 100
 * milliseconds with one statement for all of them. Every process reads for itself, so several need
 * nothing between them.
 */
import type pg from 'pg'
import type { Log } from '../../common/log.ts'
import { reject } from '../../http/errors.ts'
import type { SendBody } from '../../http/route.ts'
import { createAccessChecks } from './access-checks.ts'
import { addMissed, createChangeReader } from './change-reader.ts'
import { createCursors, type Checkpoint } from './cursor.ts'
import { Stream, type Closing } from './event-stream.ts'
import { readRights, type Rights } from './row-changes.ts'
import type { Access } from './stream-access.ts'
import { createEntries, type Entries, type Entry } from './stream-entries.ts'

/** Maximum number of streams of a person with sessions, and of an API key, in one process. */
export const maxOfPerson = 6
export const maxOfKey = 2

/** Time after which a client over a limit may try again, in seconds. */
const retryAfterSeconds = 30

/**
 * Interval of comments, in milliseconds. Load balancers close a connection that is idle for 60 s.
 */
const beatMs = 20_000
/** Number of parts of the streams that get their comments one after the other. */
const beatParts = 100
/** Interval of the check for stuck readers, in milliseconds. */
const stuckCheckMs = 5_000
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
  ) => Promise<SendBody>
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

/** The parts that open a stream. */
type Parts = {
  pool: pg.Pool
  maxStreams: number
  observer: StreamsObserver
  entries: Entries
  rights: () => Promise<Rights>
  cursorsOf: ReturnType<typeof createCursors>
  checks: ReturnType<typeof createAccessChecks>
  reader: ReturnType<typeof createChangeReader>
  /** Fires when the service stops. */
  signal: AbortSignal
}

/** Refuses a stream over a limit. */
function rejectOverLimit(
  { entries, maxStreams, signal }: Parts,
  { userId, sessionId, keyRole }: Access,
): void {
  if (signal.aborted) reject('SERVICE_BUSY', 1)
  if (entries.all.size >= maxStreams) reject('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
  const others = entries.ofUser(userId).filter(({ access }) =>
    keyRole === null ? access.keyRole === null : access.sessionId === sessionId
  )
  if (others.length >= (keyRole === null ? maxOfPerson : maxOfKey))
    reject('RATE_LIMIT_EXCEEDED', retryAfterSeconds)
}

/** Refuses a stream that was closed while it was opened. */
function rejectIfClosed({ entries, signal }: Parts, entry: Entry): void {
  if (signal.aborted) reject('SERVICE_BUSY', 1)
  if (!entries.all.has(entry)) reject('UNAUTHORIZED')
}

/** Makes a stream that is not open yet. */
function newEntry(
  { entries, observer }: Parts,
  access: Access,
  tables: ReadonlySet<string> | undefined,
): Entry {
  const { userId, organizationId, keyRole } = access
  const entry: Entry = {
    access,
    tables,
    isOpen: false,
    beat: entries.all.size % beatParts,
    endsAt: Infinity,
    contexts: [
      ...(keyRole !== null && organizationId !== null ? [] : [`u:${userId}`]),
      ...(organizationId === null ? [] : [`o:${organizationId}`]),
    ],
    stream: new Stream<Checkpoint[]>(
      (checkpoints) => {
        entry.sent = checkpoints
        return entry.cursors?.encode(checkpoints) ?? ''
      },
      (closing) => {
        entries.remove(entry)
        observer.closed(closing)
      },
      observer.sent,
    ),
  }
  return entry
}

/** Opens a stream: ChangeStreams. */
async function openStream(
  parts: Parts,
  access: Access,
  tables: ReadonlySet<string> | undefined,
  lastEventId: string | undefined,
): Promise<SendBody> {
  const { pool, entries, rights, cursorsOf, checks, reader } = parts
  const allRights = await rights()
  rejectOverLimit(parts, access)
  const entry = newEntry(parts, access, tables)
  entries.add(entry)
  try {
    await reader.read()
    // after a read, so that no end in between is missed
    await checks.check([entry])
    rejectIfClosed(parts, entry)
    const cursors = cursorsOf(`${access.userId} ${entry.membership} ${access.role}`)
    entry.cursors = cursors
    const since = lastEventId === undefined
      ? undefined
      : cursors.decode(lastEventId, entry.contexts.length)
    const isLost = lastEventId !== undefined &&
      (since === undefined ||
        await addMissed(pool, entry, since, entries.checkpointsOf(entry), allRights))
    rejectIfClosed(parts, entry)
    entry.isOpen = true
    entry.stream.open(
      since === undefined || isLost ? cursors.encode(entries.checkpointsOf(entry)) : lastEventId!,
      isLost,
    )
    entry.stream.deliver(entries.checkpointsOf(entry))
    reader.begin()
    checks.planFor(entry)
    return (outgoing) => entry.stream.sendTo(outgoing)
  } catch (error) {
    entry.stream.close('stop')
    throw error
  }
}

/** Returns the function that reads the rights of roles once. After a failure it reads again. */
function rightsReader(pool: pg.Pool): () => Promise<Rights> {
  let rightsOnce: Promise<Rights> | undefined
  return () =>
    rightsOnce ??= readRights(pool).catch((error: unknown) => {
      rightsOnce = undefined
      throw error
    })
}

/** Starts the hub, which reads nothing before the first stream. */
export function createChangeStreams(
  { pool, secret, maxStreams, observer, log }: Options,
): ChangeStreams {
  const entries = createEntries()
  const stopping = new AbortController()
  const { signal } = stopping
  const rights = rightsReader(pool)
  const checks = createAccessChecks({ pool, entries, log, signal })
  const reader = createChangeReader({
    pool,
    entries,
    rights,
    check: checks.check,
    onLoss: (streams) => observer.lost(streams),
    log,
    signal,
  })
  const cursorsOf = createCursors(secret)
  const parts = { pool, maxStreams, observer, entries, rights, cursorsOf, checks, reader, signal }
  // a part of the streams at a time, because events would wait for all of them
  let beat = 0
  const beats = setInterval(() => {
    beat = (beat + 1) % beatParts
    for (const entry of entries.all) {
      if (entry.beat !== beat) continue
      const checkpoints = entries.checkpointsOf(entry)
      // a cursor costs an encryption, and most streams have not moved
      const hasMoved = checkpoints.some((checkpoint, at) => checkpoint !== entry.sent?.[at])
      entry.stream.beat(hasMoved ? checkpoints : undefined)
    }
  }, beatMs / beatParts).unref()
  const stuckChecks = setInterval(() => {
    for (const { stream } of entries.all) stream.dropIfStuck()
  }, stuckCheckMs).unref()

  const close = (): void => {
    stopping.abort()
    for (const { stream } of entries.all) stream.close('stop')
  }
  return {
    rights,
    open: (access, tables, lastEventId) => openStream(parts, access, tables, lastEventId),
    count: () => [...entries.all].filter(({ isOpen }) => isOpen).length,
    lagSeconds: reader.lagSeconds,
    close,
    stop: async () => {
      close()
      clearInterval(beats)
      clearInterval(stuckChecks)
      checks.stop()
      await reader.settled()
    },
  }
}
