/**
 * Serves a built single-page app at `/`. A path without a file is a route of the app and gets its
 * index.html.
 */
import { access, readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono, type Context } from 'hono'
import { compress } from 'hono/compress'
import { configError } from '../common/errors.ts'
import { acceptsHtml, defaultHost, type Listener } from '../common/http-server.ts'
import type { ObjectLocation } from '../common/object-location.ts'
import type { WireError } from '../common/error-codes.ts'
import { headersOfEdge } from './reject.ts'
import { onlyReads, nothingHere } from './unknown-paths.ts'

/** Paths of the edge itself. A file of the app with such a name is never served. */
const reserved =
  /^\/(?:(?:api|data|rest\/v1|docs)(?:[/?]|$)|(?:healthz|livez|readyz|metrics)(?:\?|$))/

/** Returns true if the target of a request, as received, may be a path of the app. */
export const isOfApp = (target: string): boolean => target.startsWith('/') && !reserved.test(target)

/**
 * Returns true for a file name with a hash of its content, as bundlers write it: `-` or `.`, then
 * eight letters, digits, `_` or `-`, or at least 16 hexadecimal digits, then the extension. Eight
 * lower-case letters are a word and no hash.
 */
const isHashed = (path: string): boolean =>
  /[-.](?:[\w-]{8}|[0-9a-f]{16,64})(?:\.[a-z0-9]+){1,2}$/.test(path) &&
  !/[-.][A-Za-z][a-z_-]{7}(?:\.[a-z0-9]+){1,2}$/.test(path) && !path.endsWith('.html')

/** Checks that APP_DIR names a built app. @throws ConfigError */
export async function needApp(directory: string): Promise<void> {
  await access(join(directory, 'index.html')).catch(() => {
    throw configError(
      'APP_DIR must be a folder with an index.html that can be read: build the app first, or name the folder of its build.',
    )
  })
}

/**
 * Returns the Content-Security-Policy of the reference app's documents, from a file of its build
 * that is never served.
 * @param files the object storage, from which the app reads files
 */
export async function policyOfApp(directory: string, files?: ObjectLocation): Promise<string> {
  const policy = (await readFile(join(directory, '.content-security-policy'), 'utf8')).trim()
  if (files === undefined) return policy
  return ['connect-src', 'img-src'].reduce((text, name) => {
    const found = new RegExp(`(?:^|; *)${name} [^;]*`).exec(text)?.[0]
    const { origin } = new URL(files.url)
    return found === undefined
      ? `${text}; ${name} 'self' ${origin}`
      : text.replace(found, `${found} ${origin}`)
  }, policy)
}

type File = { path: string, etag: string }

/** Extensions of compressed copies that serveStatic prefers to a file. */
const copies = ['.br', '.zst', '.gz']

/**
 * Returns the segments of a path. Undefined if a segment is hidden, or could lead out of the
 * folder.
 */
function namesIn(path: string): string[] | undefined {
  try {
    const names = path.replace(/^\/|\/$/g, '').split('/').map(decodeURIComponent)
    const isFit = path === '/' ||
      names.every((name) => name !== '' && !name.startsWith('.') && !/[/\\\0]/.test(name))
    return isFit ? names : undefined
  } catch {
    return undefined
  }
}

/** Returns true for a path that exists and that symbolic links lead out of the folder. */
async function leadsOut(directory: string, path: string): Promise<boolean> {
  const [root, target] = await Promise.all([
    realpath(directory),
    realpath(join(directory, path)).catch(() => undefined),
  ])
  return target !== undefined && target !== root && !target.startsWith(`${root}${sep}`)
}

/** Finds the file of a path, or the index.html of a folder. */
async function fileAt(directory: string, ...names: string[]): Promise<File | undefined> {
  const path = join(...names)
  const stats = await leadsOut(directory, path)
    ? undefined
    : await stat(join(directory, path)).catch(() => undefined)
  if (stats?.isDirectory() === true)
    return names.at(-1) === 'index.html'
      ? undefined
      : fileAt(directory, ...names, 'index.html')
  // weak, because the compressed copy has the same tag
  return stats?.isFile() === true
    ? { path, etag: `W/"${Math.round(stats.mtimeMs).toString(36)}-${stats.size.toString(36)}"` }
    : undefined
}

/** Serves a file. @param policy the Content-Security-Policy of documents */
async function answer(
  directory: string,
  policy: string,
  context: Context,
  { path, etag }: File,
): Promise<Response> {
  const cachedTags =
    context.req.header('if-none-match')?.split(',').map((tag) =>
      tag.trim().replace(/^(?!W\/)/, 'W/')
    ) ?? []
  const isKnown = cachedTags.includes(etag)
  const precompressed =
    !(await Promise.all(copies.map((extension) => leadsOut(directory, `${path}${extension}`))))
      .includes(true)
  const served = isKnown
    ? undefined
    : await serveStatic({ root: directory, path, precompressed })(
      context,
      () => Promise.resolve(),
    )
  const response = served ?? new Response(null, { status: isKnown ? 304 : 404 })
  response.headers.set('etag', etag)
  response.headers.set('accept-ranges', 'bytes')
  response.headers.set(
    'cache-control',
    isHashed(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
  )
  if (path.endsWith('.html')) response.headers.set('content-security-policy', policy)
  return response
}

/** Builds the app that serves the files. `path` is the path as received. */
function filesApp(directory: string, policy: string): Hono<{ Bindings: { path: string } }> {
  const app = new Hono<{ Bindings: { path: string } }>()
  app.use(async (context, next) => {
    await next()
    context.res.headers.set('x-content-type-options', 'nosniff')
    context.res.headers.set('referrer-policy', 'no-referrer')
  })
  // for files without a compressed copy in the build
  app.use(compress({ encoding: 'gzip' }))
  app.get('*', async (context) => {
    // the path as received, before dot segments are resolved
    const names = namesIn(context.env.path)
    if (names === undefined) return context.notFound()
    const isPlace = !(names.at(-1) ?? '').includes('.') && acceptsHtml(context.req.raw)
    const file = await fileAt(directory, ...names)
    if (file !== undefined) return answer(directory, policy, context, file)
    const index = isPlace ? await fileAt(directory, 'index.html') : undefined
    if (index === undefined) return context.notFound()
    const place = await answer(directory, policy, context, index)
    place.headers.append('vary', 'Accept')
    return place
  })
  // the answer depends on the Accept header, so no cache may keep it
  app.notFound((context) =>
    context.json({ error: 'NOT_FOUND', message: nothingHere } satisfies WireError, 404, {
      ...headersOfEdge,
      vary: 'Accept',
    })
  )
  return app
}

/**
 * Builds the listener for the app.
 * @param directory the folder with its index.html; a new build in it is served at once
 * @param policy the Content-Security-Policy of documents
 */
export function appFiles(directory: string, policy: string): Listener {
  const app = filesApp(directory, policy)
  return getRequestListener(({ url, method, headers: given }, bindings) => {
    const { incoming } = bindings as HttpBindings
    if (method !== 'GET' && method !== 'HEAD')
      return Response.json(
        { error: 'METHOD_NOT_ALLOWED', message: onlyReads } satisfies WireError,
        {
          status: 405,
          headers: { ...headersOfEdge, allow: 'GET, HEAD' },
        },
      )
    const headers = new Headers(given)
    // If-Range needs a strong etag, and these are weak, so the client receives the complete file
    if (headers.has('if-range')) headers.delete('range')
    return app.fetch(new Request(url, { method, headers }), {
      path: incoming.url?.split('?', 1)[0] ?? '/',
    })
  }, defaultHost)
}
