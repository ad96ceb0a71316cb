/**
 * The rows and reports of queries that the user saw last, kept on this device for a start without a
 * connection. They are deleted at the end of the session, and never shown while the service
 * answers. Loaded on demand.
 */
import { hydrate, type Query, type QueryKey } from '@tanstack/react-query'
import { hasRows } from './live.ts'
import { queries } from './queries.ts'

type Entry = {
  id: string
  userId: string
  build: string
  queryHash: string
  queryKey: QueryKey
  data: unknown
  at: number
  size: number
}

const maximumAgeMs = 7 * 86_400_000
/** Characters of one query, and of all queries together. */
const maximumSize = { entry: 2_000_000, all: 10_000_000 }
const flushAfterMs = 2_000

/** Another build may expect other data. */
const build = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? ''

const settle = <Result>(request: IDBRequest<Result>): Promise<Result> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener(
      'error',
      () => reject(request.error ?? new Error('The storage failed.')),
    )
  })

let opened: Promise<IDBDatabase> | undefined

async function entries(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  opened ??= (async () => {
    const request = indexedDB.open('last-seen', 1)
    request.addEventListener(
      'upgradeneeded',
      () => request.result.createObjectStore('entries', { keyPath: 'id' }),
    )
    return settle(request)
  })()
  return (await opened).transaction('entries', mode).objectStore('entries')
}

/** Only rows of tables, the user and the teams: no keys, sessions, events or files. */
function isKept(query: Query): boolean {
  const [owner, , part] = query.queryKey
  return owner === 'me' ? part === 'session' || part === 'teams' : hasRows(query)
}

let recordedUser: string | null = null
const changed = new Map<string, Query>()
let timer: ReturnType<typeof setTimeout> | undefined

async function flush(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  const userId = recordedUser
  if (userId === null || changed.size === 0) return
  const next = [...changed.values()]
    .map(({ queryHash, queryKey, state: { data, dataUpdatedAt: at } }): Entry => (
      {
        id: `${userId} ${queryHash}`,
        userId,
        build,
        queryHash,
        queryKey,
        data,
        at,
        size: JSON.stringify(data).length,
      }
    ))
  changed.clear()
  const store = await entries('readwrite')
  // the session may have ended while the storage was opened
  if (recordedUser !== userId) return
  await Promise.all(
    next.filter(({ size }) => size <= maximumSize.entry).map((entry) => settle(store.put(entry))),
  )
}

const flushQuietly = () => void flush().catch(() => undefined)

queries.getQueryCache().subscribe(({ type, query }) => {
  if (
    recordedUser === null || type !== 'updated' || query.state.status !== 'success' ||
    !isKept(query)
  ) return
  changed.set(query.queryHash, query)
  timer ??= setTimeout(flushQuietly, flushAfterMs)
})
document.addEventListener(
  'visibilitychange',
  () => document.visibilityState === 'hidden' && flushQuietly(),
)

/**
 * Keeps what the user sees from now on, and what the page has read already. Deletes what is too old
 * or too much, and everything of other users.
 */
export async function recordLastSeen(userId: string): Promise<void> {
  // what another user has read is not stored as this user's
  if (recordedUser !== userId) changed.clear()
  recordedUser = userId
  for (const query of queries.getQueryCache().getAll())
    if (query.state.status === 'success' && isKept(query)) changed.set(query.queryHash, query)
  timer ??= setTimeout(flushQuietly, flushAfterMs)
  const all = await settle<Entry[]>((await entries('readonly')).getAll())
  let size = 0
  const surplus = all.toSorted((a, b) => b.at - a.at).filter((entry) => {
    size += entry.size
    return entry.userId !== userId || entry.build !== build ||
      entry.at < Date.now() - maximumAgeMs || size > maximumSize.all
  })
  const store = await entries('readwrite')
  await Promise.all(surplus.map(({ id }) => settle(store.delete(id))))
}

/**
 * Puts what was last seen into the cache, where nothing newer is. @returns the number of queries
 */
export async function restoreLastSeen(userId: string): Promise<number> {
  const all = await settle<Entry[]>((await entries('readonly')).getAll())
  const usable = all.filter((entry) =>
    entry.userId === userId && entry.build === build && entry.at >= Date.now() - maximumAgeMs
  )
  const state = {
    dataUpdateCount: 1,
    error: null,
    errorUpdateCount: 0,
    errorUpdatedAt: 0,
    fetchFailureCount: 0,
    fetchFailureReason: null,
    fetchMeta: null,
  }
  hydrate(queries, {
    mutations: [],
    queries: usable.map(({ queryHash, queryKey, data, at }) => (
      {
        dehydratedAt: at,
        queryHash,
        queryKey,
        state: {
          ...state,
          data,
          dataUpdatedAt: at,
          isInvalidated: false,
          status: 'success',
          fetchStatus: 'idle',
        },
      }
    )),
  }, { defaultOptions: { queries: { gcTime: maximumAgeMs } } })
  return usable.length
}

/** Deletes everything, and keeps nothing more until a session begins. */
export async function forgetLastSeen(): Promise<void> {
  recordedUser = null
  changed.clear()
  await settle((await entries('readwrite')).clear())
}

/** Deletes the data of contexts that the user has left. */
export async function keepLastSeenOf(contexts: readonly string[]): Promise<void> {
  const isLeft = ([owner]: QueryKey) => owner !== 'me' && !contexts.includes(String(owner))
  for (const [hash, { queryKey }] of changed) if (isLeft(queryKey)) changed.delete(hash)
  const left = (await settle<Entry[]>((await entries('readonly')).getAll()))
    .filter(({ queryKey }) => isLeft(queryKey))
  const store = await entries('readwrite')
  await Promise.all(left.map(({ id }) => settle(store.delete(id))))
}
