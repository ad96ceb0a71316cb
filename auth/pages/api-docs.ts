/**
 * The OpenAPI document of both surfaces, and the explorer at /docs. The service delivers Swagger UI
 * itself, so that browsers contact no other host.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { basePath } from '../../common/contract.ts'

type Served = (request: Request) => Promise<Response>

const zipped = promisify(gzip)

/**
 * Returns a handler that serves the result of `read`. The first request reads it. The result stays
 * in memory, plain and compressed.
 */
function served(headers: Record<string, string>, read: () => Buffer | Promise<Buffer>): Served {
  let kept: Promise<{ plain: Buffer<ArrayBuffer>, small: Buffer<ArrayBuffer> }> | undefined
  const load = async () => {
    const plain = Buffer.from(await read())
    return { plain, small: Buffer.from(await zipped(plain)) }
  }
  return async (request) => {
    kept ??= load()
    const { plain, small } = await kept.catch((error: unknown) => {
      // the next request tries again
      kept = undefined
      throw error
    })
    const isSmall = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
    return new Response(isSmall ? small : plain, {
      headers: {
        ...headers,
        vary: 'Accept-Encoding',
        ...(isSmall ? { 'content-encoding': 'gzip' } : {}),
      },
    })
  }
}

const ours = (name: string) => () => readFileSync(join(import.meta.dirname, name))
const swagger = (name: string) => () =>
  readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))

const js = 'text/javascript; charset=utf-8'
const css = 'text/css; charset=utf-8'

/** The files of the explorer, by their path. */
const files = {
  '/docs/docs.js': [js, ours('docs.js')],
  '/docs/docs.css': [css, ours('docs.css')],
  '/docs/swagger-ui-bundle.js': [js, swagger('swagger-ui-bundle.js')],
  '/docs/swagger-ui.css': [css, swagger('swagger-ui.css')],
} as const

// allows only our own files, and requests to our own origin
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const documentPaths = {
  all: `${basePath}/openapi.json`,
  wholeRows: `${basePath}/openapi-whole-rows.json`,
}

/** Reads the OpenAPI document of both surfaces, and its part for JSON with whole rows. */
export type Documents = Record<keyof typeof documentPaths, () => Promise<object>>

/** Builds the handlers of these paths. */
export function apiDocs(documents: Documents): [path: string, serve: Served][] {
  // The documents are public, and programs of any origin may read them.
  const readable = {
    'content-type': 'application/json',
    'cache-control': 'public, max-age=60',
    'access-control-allow-origin': '*',
  }
  const page = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
  return [
    ['/docs', served(page, ours('docs.html'))],
    ...(['all', 'wholeRows'] as const).map((name) =>
      [
        documentPaths[name],
        served(readable, async () => Buffer.from(JSON.stringify(await documents[name]()))),
      ] satisfies [string, Served]
    ),
    ...Object.entries(files).map(([path, [type, read]]) =>
      [
        path,
        served({ 'content-type': type, 'cache-control': 'public, max-age=3600' }, read),
      ] satisfies [string, Served]
    ),
  ]
}
