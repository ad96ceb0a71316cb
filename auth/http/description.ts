/**
 * The OpenAPI document of both surfaces, and the explorer at /docs. The service delivers Swagger UI itself, so that browsers contact
 * no other host.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { basePath } from '../config.ts'

type Served = (request: Request) => Promise<Response>

const zipped = promisify(gzip)

/** Returns a handler for a static file. It reads and compresses the file at the first request. */
function served(headers: Record<string, string>, read: () => Buffer): Served {
  let kept: Promise<{ plain: Buffer<ArrayBuffer>, small: Buffer<ArrayBuffer> }> | undefined
  return async (request) => {
    kept ??= (async () => {
      const plain = Buffer.from(read())
      return { plain, small: Buffer.from(await zipped(plain)) }
    })()
    const { plain, small } = await kept
    const isSmall = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
    return new Response(isSmall ? small : plain, {
      headers: { ...headers, vary: 'Accept-Encoding', ...(isSmall ? { 'content-encoding': 'gzip' } : {}) },
    })
  }
}

type Servers = { servers?: { url: string }[] }

/**
 * Returns the OpenAPI document with the address and the cookie name of this deployment.
 * @param file the text of docs/openapi.json
 */
export function deployed(file: string, publicUrl: string): string {
  const document = JSON.parse(file) as Servers & { paths: Record<string, Servers>, components: { securitySchemes: { session: { name: string } } } }
  for (const { servers = [] } of [document, ...Object.values(document.paths)]) {
    for (const server of servers) server.url = `${publicUrl}${server.url === '/' ? '' : server.url}`
  }
  const { session } = document.components.securitySchemes
  if (publicUrl.startsWith('https:')) session.name = `__Secure-${session.name}`
  return JSON.stringify(document)
}

const ours = (name: string) => () => readFileSync(join(import.meta.dirname, 'pages', name))
const swagger = (name: string) => () => readFileSync(createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`))

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

const documentPath = `${basePath}/openapi.json`

/** The paths of the description and the explorer. */
export const descriptionPaths: readonly string[] = [documentPath, '/docs', ...Object.keys(files)]

/** Builds the handlers of these paths. Reads docs/openapi.json, so the service does not start without it. */
export function description(publicUrl: string): [path: string, serve: Served][] {
  const document = Buffer.from(deployed(readFileSync(join(import.meta.dirname, '../../docs/openapi.json'), 'utf8'), publicUrl))
  // The document is public, and programs of any origin may read it.
  const readable = { 'content-type': 'application/json', 'cache-control': 'public, max-age=60', 'access-control-allow-origin': '*' }
  const page = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }
  return [
    [documentPath, served(readable, () => document)],
    ['/docs', served(page, ours('docs.html'))],
    ...Object.entries(files).map(([path, [type, read]]) =>
      [path, served({ 'content-type': type, 'cache-control': 'public, max-age=3600' }, read)] satisfies [string, Served]
    ),
  ]
}
