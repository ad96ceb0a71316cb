/** A request's JSON body, at most 64 KiB of it. */
import { refusal } from '../errors.ts'

const maxBytes = 64 * 1024
/** A larger body is read to its end and thrown away, so that the client reads our answer instead of a broken pipe; up to here. */
const maxDiscardedBytes = 16 * 1024 * 1024

async function readText(request: Request): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size <= maxBytes) chunks.push(chunk)
      if (size > maxDiscardedBytes) break
    }
  } catch {
    // a client that goes away is no failure of ours, and must not ring the alarm for them
    throw refusal('VALIDATION_ERROR', 'The request body did not arrive whole.')
  }
  if (size > maxBytes) throw refusal('PAYLOAD_TOO_LARGE')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw refusal('VALIDATION_ERROR', 'The request body is not valid UTF-8.')
  }
}

/**
 * Reads and parses the body; no body at all is an empty object.
 * @throws Refusal PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or VALIDATION_ERROR
 */
export async function readJson(request: Request): Promise<unknown> {
  // a stream costs more to open than the rest of such a request
  if (request.headers.get('content-length') === '0') return {}
  const text = await readText(request)
  if (text === '') return {}
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? '')) throw refusal('UNSUPPORTED_MEDIA_TYPE')
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw refusal('VALIDATION_ERROR', 'The request body is not valid JSON.')
  }
}
