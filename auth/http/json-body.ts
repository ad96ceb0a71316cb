/** Reads JSON bodies of up to 64 KiB. */
import { refusal } from '../errors.ts'

const maxBytes = 64 * 1024
/** A larger body is read up to this size and dropped, so that the client reads our response instead of a broken pipe. */
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
    // A client that disconnects is no failure of the service.
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
 * Reads and parses the body. An empty body is an empty object.
 * @throws Refusal PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE or VALIDATION_ERROR
 */
export async function readJson(request: Request): Promise<unknown> {
  // opening the stream would cost more than the rest of such a request
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
