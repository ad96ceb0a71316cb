/**
 * A small object storage that speaks the protocol of Amazon S3. It verifies each signature of AWS
 * Signature Version 4 with code of its own, in headers and in the query, and the hash of each body.
 * Its objects are in memory.
 */
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

const [accessKeyId, secretAccessKey, region, bucket] = [
  'AKIDOFTHETESTS',
  'secret/of+the=tests',
  'eu-central-1',
  'receipts',
]

export type FakeS3 = AsyncDisposable & {
  /** The settings for this storage. */
  env: Record<'FILES_URL' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>
  /** The objects, by their keys. */
  objects: Map<string, Buffer>
  /** The methods and statuses of all requests so far. */
  requests: { method: string, key: string, status: number }[]
  /**
   * Called with each valid request before it is served. It may respond itself, wait or destroy the
   * connection.
   */
  intercept: ((request: IncomingMessage, response: ServerResponse) => unknown) | undefined
  close: () => Promise<void>
}

const sha256 = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

/** Encodes as the signature requires: everything but letters, digits and `-._~`. */
const encode = (text: string): string =>
  [...Buffer.from(text)].map((byte) => {
    const character = String.fromCharCode(byte)
    return /[\w.~-]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')

type Signed = {
  algorithm: string
  credential: string
  headers: string
  signature: string
  time: string
  seconds: number
}

/** Returns the parts of the signature in the query or in the header. */
function signatureOf(request: IncomingMessage, query: URLSearchParams): Signed | undefined {
  if (query.has('X-Amz-Signature')) {
    const part = (name: string) => query.get(`X-Amz-${name}`) ?? ''
    return {
      algorithm: part('Algorithm'),
      credential: part('Credential'),
      headers: part('SignedHeaders'),
      signature: part('Signature'),
      time: part('Date'),
      seconds: Number(part('Expires')),
    }
  }
  const found = /^(\S+) Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/
    .exec(request.headers.authorization ?? '')
  if (found === null) return undefined
  const [, algorithm = '', credential = '', headers = '', signature = ''] = found
  return {
    algorithm,
    credential,
    headers,
    signature,
    time: String(request.headers['x-amz-date']),
    seconds: 900,
  }
}

/** Returns the problem of a signature; undefined if it is valid. @param now in milliseconds */
function signatureProblem(request: IncomingMessage, url: URL, now: number): string | undefined {
  const signed = signatureOf(request, url.searchParams)
  if (signed === undefined) return 'AccessDenied'
  const day = signed.time.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  if (signed.algorithm !== 'AWS4-HMAC-SHA256' || signed.credential !== `${accessKeyId}/${scope}`)
    return 'InvalidAccessKeyId'
  const at = Date.parse(
    signed.time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  if (
    !(signed.seconds >= 1 && signed.seconds <= 604_800) ||
    !(now >= at - 900_000 && now <= at + signed.seconds * 1000)
  ) return 'RequestTimeTooSkewed'
  const names = signed.headers.split(';')
  const isInQuery = url.searchParams.has('X-Amz-Signature')
  if (
    !names.includes('host') ||
    !isInQuery && !(names.includes('x-amz-content-sha256') && names.includes('x-amz-date'))
  ) return 'AccessDenied'
  const query = [...url.searchParams].filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`).join('&')
  const canonical = [
    request.method,
    url.pathname.split('/').map((part) => encode(decodeURIComponent(part))).join('/'),
    query,
    ...names.map((name) => `${name}:${String(request.headers[name]).trim().replace(/ +/g, ' ')}`),
    '',
    signed.headers,
    isInQuery ? 'UNSIGNED-PAYLOAD' : String(request.headers['x-amz-content-sha256']),
  ].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (from, text) => hmac(from, text),
    `AWS4${secretAccessKey}`,
  )
  const expected = hmac(key, ['AWS4-HMAC-SHA256', signed.time, scope, sha256(canonical)].join('\n'))
    .toString('hex')
  return expected === signed.signature ? undefined : 'SignatureDoesNotMatch'
}

/** Sends an object, or the range of it that the request asks for. */
function sendObject(
  { headers: { range } }: IncomingMessage,
  query: URLSearchParams,
  found: Buffer,
  response: ServerResponse,
): void {
  for (const name of ['content-type', 'content-disposition', 'cache-control']) {
    const value = query.get(`response-${name}`)
    if (value !== null) response.setHeader(name, value)
  }
  const [, first, last = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (first === undefined)
    return void response.writeHead(200, { 'content-length': found.length }).end(found)
  if (Number(first) >= found.length) return void response.writeHead(416).end()
  const part = found.subarray(Number(first), last === '' ? undefined : Number(last) + 1)
  response.writeHead(206, {
    'content-length': part.length,
    'content-range': `bytes ${first}-${Number(first) + part.length - 1}/${found.length}`,
  }).end(part)
}

/** Starts the storage. @param now the time, in milliseconds since 1970 */
export async function fakeS3(now = () => Date.now()): Promise<FakeS3> {
  const fail = (response: ServerResponse, status: number, code: string) =>
    response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`)
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '', 'http://localhost')
    const key = decodeURIComponent(url.pathname).slice(`/${bucket}/`.length)
    response.on(
      'close',
      () =>
        started.requests.push({
          method: request.method ?? '',
          key,
          status: response.writableFinished ? response.statusCode : 0,
        }),
    )
    const problem = signatureProblem(request, url, now())
    if (problem !== undefined || !url.pathname.startsWith(`/${bucket}/`))
      return fail(response, 403, problem ?? 'NoSuchBucket')
    await started.intercept?.(request, response)
    if (response.writableEnded || response.destroyed) return undefined
    if (request.method === 'PUT') {
      if (request.headers['content-length'] === undefined)
        return fail(response, 411, 'MissingContentLength')
      const body = await buffer(request)
      if (sha256(body) !== request.headers['x-amz-content-sha256'])
        return fail(response, 400, 'XAmzContentSHA256Mismatch')
      started.objects.set(key, body)
      return response.writeHead(200).end()
    }
    if (request.method === 'DELETE') {
      started.objects.delete(key)
      return response.writeHead(204).end()
    }
    const found = started.objects.get(key)
    return found === undefined
      ? fail(response, 404, 'NoSuchKey')
      : sendObject(request, url.searchParams, found, response)
  }
  const server = createServer((request, response) => {
    // the client has aborted its request
    serve(request, response).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    await server[Symbol.asyncDispose]()
  }
  const started: FakeS3 = {
    env: {
      FILES_URL: `s3://${bucket}/of/tests?region=${region}&endpoint=http://127.0.0.1:${
        (server.address() as AddressInfo).port
      }`,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    objects: new Map(),
    requests: [],
    intercept: undefined,
    close,
    [Symbol.asyncDispose]: close,
  }
  return started
}
