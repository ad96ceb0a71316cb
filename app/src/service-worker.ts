/**
 * The service worker. It keeps the files of the app's build, so that the app opens without a
 * connection. It never answers for the service: requests to `/api` and `/data` pass by. The
 * document comes from the network if there is one, so an upgrade or a rollback reaches users with
 * the next page load.
 */

/** The paths of the build's files and their version, which the build inserts. */
declare const BUILD_FILES: readonly string[]
declare const BUILD_VERSION: string

type LifecycleEvent = Event & { waitUntil: (work: Promise<unknown>) => void }
type FetchEvent = LifecycleEvent & {
  request: Request
  respondWith: (response: Promise<Response>) => void
}

/** The worker's own scope. The types of a page lack it. */
type WorkerScope = {
  addEventListener:
    & ((type: 'install' | 'activate', listener: (event: LifecycleEvent) => void) => void)
    & ((type: 'fetch', listener: (event: FetchEvent) => void) => void)
  skipWaiting: () => Promise<void>
  clients: { claim: () => Promise<void> }
  registration: { unregister: () => Promise<boolean> }
}

const worker = self as unknown as WorkerScope

const prefix = 'app-'
const cacheName = `${prefix}${BUILD_VERSION}`
const documentPath = '/'

/** Pages open from the cache if the network takes longer, in milliseconds. */
const patienceMs = 5_000

/** Paths that the edge answers without the app. */
const isOfService = (path: string): boolean =>
  /^\/(?:(?:api|data|rest\/v1|docs)(?:\/|$)|(?:healthz|livez|readyz|metrics)$)/.test(path)

/**
 * Stores a file of the build. A file with a hash in its name may come from the cache of the former
 * version.
 */
async function keep(cache: Cache, path: string): Promise<void> {
  const isDocument = path === documentPath
  const response = (isDocument ? undefined : await caches.match(path)) ??
    await fetch(path, { cache: isDocument ? 'reload' : 'default' })
  if (!response.ok || response.redirected) throw new Error(`${path} is ${response.status}`)
  await cache.put(path, response)
}

async function install(): Promise<void> {
  const cache = await caches.open(cacheName)
  await Promise.all(BUILD_FILES.map((path) => keep(cache, path)))
  await worker.skipWaiting()
}

/** Deletes the caches of older versions. The former one stays for pages that are still open. */
async function activate(): Promise<void> {
  const others = (await caches.keys()).filter((name) =>
    name.startsWith(prefix) && name !== cacheName
  )
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)))
  await worker.clients.claim()
}

/**
 * Removes the worker and its files if the server no longer has it: the operator serves another app,
 * or an older version.
 */
async function leaveIfGone(): Promise<void> {
  const { status, headers } = await fetch('/sw.js', { method: 'HEAD', cache: 'no-store' })
  const isOther = status === 200 && headers.get('content-type')?.includes('javascript') !== true
  if (status !== 404 && status !== 410 && !isOther) return
  await worker.registration.unregister()
  await Promise.all(
    (await caches.keys()).filter((name) => name.startsWith(prefix)).map((name) =>
      caches.delete(name)
    ),
  )
}

/**
 * Returns the document of a page: from the network, or from the cache if the network fails or is
 * too slow.
 */
async function openPage(event: FetchEvent): Promise<Response> {
  const cached = () => caches.match(documentPath, { cacheName })
  const fetched = fetch(event.request)
  try {
    const late = new Promise<'late'>((resolve) => {
      setTimeout(resolve, patienceMs, 'late')
    })
    const first = await Promise.race([fetched, late])
    const response = first === 'late' ? await cached() ?? await fetched : first
    // a proxy answers while the service is down
    if (response.status >= 500) return await cached() ?? response
    event.waitUntil(leaveIfGone().catch(() => undefined))
    return response
  } catch (error) {
    const response = await cached()
    if (response === undefined) throw error
    return response
  }
}

worker.addEventListener('install', (event) => event.waitUntil(install()))
worker.addEventListener('activate', (event) => event.waitUntil(activate()))
worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== location.origin || isOfService(pathname)) return
  if (mode === 'navigate') event.respondWith(openPage(event))
  else if (pathname.startsWith('/assets/'))
    event.respondWith(caches.match(event.request).then((cached) => cached ?? fetch(event.request)))
})
