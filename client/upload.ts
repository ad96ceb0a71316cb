/**
 * Sends the bytes of a file: in browsers with XMLHttpRequest, because `fetch` reports no progress
 * of an upload, and elsewhere with `fetch`.
 */
import type { Fetch } from './auth.ts'

/** Sends a file. `onSent` receives the number of bytes that were sent. */
export type SendFile = (
  url: string,
  file: Blob,
  onSent: (bytes: number) => void,
  signal: AbortSignal | undefined,
) => Promise<Response>

/**
 * The part of XMLHttpRequest that this file uses. Declared here, because programs without the
 * browser's types also import the client.
 */
type Listen<Name extends string> = (
  name: Name,
  listener: (event: { loaded: number }) => void,
) => void
type Xhr = {
  upload: { addEventListener: Listen<'progress'> }
  addEventListener: Listen<'load' | 'error' | 'abort'>
  readonly status: number
  readonly responseText: string
  open: (method: string, url: string) => void
  send: (body: Blob) => void
  abort: () => void
  getAllResponseHeaders: () => string
}

const { XMLHttpRequest: Request } = globalThis as unknown as { XMLHttpRequest?: new() => Xhr }

const headersOf = (xhr: Xhr): [string, string][] =>
  xhr.getAllResponseHeaders().split('\r\n').flatMap((line) => {
    const colon = line.indexOf(':')
    return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).trim()]] : []
  })

/** Undefined outside of browsers. */
export const sendWithXhr: SendFile | undefined = Request &&
  ((url, file, onSent, signal) =>
    new Promise((resolve, reject) => {
      const xhr = new Request()
      const abort = () => xhr.abort()
      const end = (settle: () => void) => () => {
        signal?.removeEventListener('abort', abort)
        settle()
      }
      xhr.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
      xhr.addEventListener(
        'load',
        end(() =>
          resolve(new Response(xhr.responseText, { status: xhr.status, headers: headersOf(xhr) }))
        ),
      )
      xhr.addEventListener('error', end(() => reject(new TypeError('The upload failed.'))))
      xhr.addEventListener('abort', end(() => reject(signal?.reason as Error)))
      xhr.open('PUT', url)
      signal?.addEventListener('abort', abort)
      xhr.send(file)
    }))

export const sendWithFetch = (send: Fetch): SendFile => (url, file, _, signal) =>
  send(url, { method: 'PUT', body: file, credentials: 'omit', ...(signal && { signal }) })
