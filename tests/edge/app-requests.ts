/** A small built app, and the edge's responses for it. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { raw } from './support.ts'

const script = `console.log('${'money '.repeat(400)}')\n`
export const secret = 'nobody is to read this'

const files: Record<string, string | Buffer> = {
  'app/index.html': '<!doctype html><title>Money</title>',
  'app/about/index.html': '<!doctype html><title>About</title>',
  'app/favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'app/robots.txt': 'User-agent: *\n',
  'app/assets/index-aB3x_9Qz.js': script,
  'app/assets/index-aB3x_9Qz.js.gz': gzipSync(script),
  'app/assets/main.3f2a9c1b4d5e6f70.css': 'body{}',
  'app/assets/my-overview.js': '1',
  'app/assets/vendor-12345678.html': '<!doctype html>',
  'app/.env': secret,
  'app/assets/.map/index.txt': secret,
  // The edge reserves these names.
  'app/api/auth/get-session': secret,
  'app/data/transactions': secret,
  'app/rest/v1/index.html': secret,
  'app/auth/v1/token': secret,
  'app/api/collections/users/records': secret,
  'app/docs/index.html': secret,
  'app/healthz': secret,
  'app/metrics': secret,
  'app/readyz': secret,
  'secret.txt': secret,
}

/** Writes the app into a folder, and a secret file outside of it. @returns the app's folder */
export async function writeApp(folder: string): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o755 })
    await writeFile(join(folder, name), content, { mode: 0o644 })
  }
  return join(folder, 'app')
}

type Answer = { status: number, headers: Record<string, string>, body: string }

/** Sends one request unchanged, unlike fetch. A chunked body is returned without decoding. */
export async function requestFile(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const fields = Object.entries({ host: 'localhost', connection: 'close', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const [head = '', ...rest] = (await raw(url, `${method} ${path} HTTP/1.1\r\n${fields}\r\n`))
    .split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  return {
    status: Number(first.split(' ')[1]),
    // A header may occur twice.
    headers: lines.reduce<Record<string, string>>((before, line) => {
      const [name, value] = [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]
      return { ...before, [name]: name in before ? `${before[name]}, ${value}` : value }
    }, {}),
    body: rest.join('\r\n\r\n'),
  }
}

/** The headers of a browser's navigation. */
export const page = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const document = {
  'content-type': /^text\/html; charset=utf-8$/,
  'cache-control': /^no-cache$/,
  'content-security-policy': /^frame-ancestors 'none'$/,
  'x-content-type-options': /^nosniff$/,
  'referrer-policy': /^no-referrer$/,
  'x-request-id': /./,
  etag: /./,
}
const forEver = {
  'cache-control': /^public, max-age=31536000, immutable$/,
  'x-content-type-options': /^nosniff$/,
}
const checked = { 'cache-control': /^no-cache$/ }
const appPath = { ...document, vary: /accept(?!-)/i }
const noPage = {
  'cache-control': /^no-store$/,
  'content-security-policy': /^default-src 'none'; .*frame-ancestors 'none'$/,
  'x-content-type-options': /^nosniff$/,
}
const notFound = {
  ...noPage,
  vary: /^accept, accept-encoding$/i,
  'content-type': /^application\/json$/,
}
const html = /<title>Money/
const nothing = /^(?:0\r\n)?(?:\r\n)?$/
const surfaces =
  'The auth surface is at /api/auth, and the data surface at /data. All routes are at /docs.'
const nothingHere = new RegExp(
  `{"error":"NOT_FOUND","message":"This path does not exist. ${surfaces}"}`,
)
const onlyReads = new RegExp(
  `{"error":"METHOD_NOT_ALLOWED","message":"The app has only GET and HEAD. ${surfaces}"}`,
)

type Case = [
  what: string,
  request: [method: string, path: string, headers?: Record<string, string>],
  status: number,
  headers: Record<string, RegExp>,
  body: RegExp,
]

/** Requests, with the status, some headers and the body of the response. */
export const appRequests: Case[] = [
  ['the app, for any Accept', ['GET', '/'], 200, document, html],
  ['the app with a query', ['GET', '/?from=mail', page], 200, document, html],
  ['a path of the app', ['GET', '/transactions/42', page], 200, appPath, html],
  ['an encoded path of the app', ['GET', '/b%C3%BCcher%20und%20mehr', page], 200, appPath, html],
  ['a path that starts like a surface', ['GET', '/database', page], 200, appPath, html],
  ['a page in a folder', ['GET', '/about', page], 200, document, /<title>About/],
  ['a page in a folder, with a slash', ['GET', '/about/', page], 200, document, /<title>About/],
  ['a path of the app with a slash', ['GET', '/transactions/', page], 200, appPath, html],
  ['the document by its file name', ['GET', '/index.html'], 200, document, html],
  ['the headers of the app', ['HEAD', '/'], 200, document, nothing],
  [
    'a path of the app requested as JSON',
    ['GET', '/transactions/42', { accept: 'application/json' }],
    404,
    notFound,
    nothingHere,
  ],
  ['a script with a hash', ['GET', '/assets/index-aB3x_9Qz.js'], 200, {
    ...forEver,
    'content-type': /javascript/,
  }, /^console\.log/],
  ['a style with a long hash', ['GET', '/assets/main.3f2a9c1b4d5e6f70.css'], 200, {
    ...forEver,
    'content-type': /^text\/css/,
  }, /^body/],
  ['a script without a hash', ['GET', '/assets/my-overview.js'], 200, checked, /^1$/],
  [
    'a document with what looks like a hash',
    ['GET', '/assets/vendor-12345678.html'],
    200,
    checked,
    /doctype/,
  ],
  [
    'an image',
    ['GET', '/favicon.svg'],
    200,
    { ...checked, 'content-type': /^image\/svg\+xml/ },
    /^<svg/,
  ],
  [
    'a script with gzip accepted',
    ['GET', '/assets/index-aB3x_9Qz.js', { 'accept-encoding': 'gzip' }],
    200,
    {
      ...forEver,
      'content-encoding': /^gzip$/,
      vary: /accept-encoding/i,
    },
    /^(?!console)./s,
  ],
  ['a part', ['GET', '/robots.txt', { range: 'bytes=0-3' }], 206, {
    'content-range': /^bytes 0-3\/14$/,
  }, /^User$/],
  ['a range outside of the file', ['GET', '/robots.txt', { range: 'bytes=99-' }], 416, {
    'content-range': /^bytes \*\/14$/,
  }, /./s],
  [
    'a range of another build',
    ['GET', '/robots.txt', { range: 'bytes=0-3', 'if-range': '"other"' }],
    200,
    {},
    /^User-agent/,
  ],
  [
    'a script that does not exist',
    ['GET', '/assets/index-00000000.js', page],
    404,
    notFound,
    nothingHere,
  ],
  ['a folder', ['GET', '/assets'], 404, notFound, nothingHere],
  ['a folder with a slash', ['GET', '/assets/'], 404, notFound, nothingHere],
  ['a file whose name starts with a dot', ['GET', '/.env', page], 404, notFound, nothingHere],
  ['the same, encoded', ['GET', '/%2eenv', page], 404, notFound, nothingHere],
  [
    'a file in a folder whose name starts with a dot',
    ['GET', '/assets/.map/index.txt'],
    404,
    notFound,
    nothingHere,
  ],
  ['a file outside of the app', ['GET', '/../secret.txt'], 404, notFound, nothingHere],
  ['the same, encoded', ['GET', '/%2e%2e/secret.txt'], 404, notFound, nothingHere],
  ['the same, with slashes encoded', ['GET', '/..%2fsecret.txt'], 404, notFound, nothingHere],
  ['the same, encoded twice', ['GET', '/%252e%252e%252fsecret.txt'], 404, notFound, nothingHere],
  ['the same, from a folder', ['GET', '/assets/../../secret.txt'], 404, notFound, nothingHere],
  ['the same, with backslashes', ['GET', '/..%5csecret.txt'], 404, notFound, nothingHere],
  [
    'a POST',
    ['POST', '/', { 'content-length': '0' }],
    405,
    { ...noPage, allow: /^GET, HEAD$/ },
    onlyReads,
  ],
  ['a TRACE', ['TRACE', '/'], 405, { ...noPage, allow: /^GET, HEAD$/ }, onlyReads],
  ['a DELETE to a path of the app', ['DELETE', '/transactions/42'], 405, {
    ...noPage,
    allow: /^GET, HEAD$/,
  }, onlyReads],
]

/** Paths that the edge never serves from the app, although it has files with these names. */
export const reservedPaths = [
  '/api/auth/get-session',
  '/api/collections/users/records',
  '/auth/v1/token',
  '/data/transactions',
  '/rest/v1',
  '/docs',
  '/docs/index.html',
  '/healthz',
  '/metrics',
  '/readyz',
]
