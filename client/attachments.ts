/**
 * Files of transactions: `attach`, `fileUrl`, `readFile` and `streamFile`. The rows are in
 * `attachments`; the bytes move with tickets.
 */
import type { PostgrestClient } from '@supabase/postgrest-js'
import type { Fetch } from './auth.ts'
import type { Arguments, Database, Reply, Row } from './database.ts'
import { FinanceError, financeError, unwrap } from './errors.ts'
import { shrinkImage } from './shrink.ts'
import { type SendFile, sendWithFetch, sendWithXhr } from './upload.ts'

export type AttachOptions = {
  /** Default: the name of the `File`, or `file` for a `Blob` */
  name?: string
  note?: string
  /**
   * Makes an image smaller in a browser, and removes its position and other metadata. Default true.
   * See `shrinkImage`.
   */
  shrink?: boolean
  /**
   * Called with the number of bytes that were sent, and the size of the file. Node calls it only
   * after the upload.
   */
  onProgress?: (sent: number, size: number) => void
  /** Cancels the upload and deletes its attachment. `attach` then fails with `ABORTED`. */
  signal?: AbortSignal
}

export type Attachments = {
  /**
   * Adds a file to a transaction, given by its row or its id. The client uploads two files at a
   * time; further calls wait in order. The same file again returns the attachment that the
   * transaction already has.
   * @returns the row of the attachment
   * @throws FinanceError `QUOTA_EXCEEDED` above a limit, `UNSUPPORTED_MEDIA_TYPE` for other types
   * of files, `FILE_UNREADABLE`, and `ABORTED` after a cancellation
   */
  attach: (
    transaction: string | { id: string },
    file: Blob,
    options?: AttachOptions,
  ) => Promise<Row<'attachments'>>
  /**
   * Opens a file for links and images. The address is a credential and expires after a minute.
   * @throws FinanceError
   */
  fileUrl: (attachmentId: string) => Promise<{ url: string, expiresAt: Date }>
  /** Reads a file. @returns a Blob with the type of the file @throws FinanceError */
  readFile: (attachmentId: string) => Promise<Blob>
  /** Reads a large file in parts. @throws FinanceError */
  streamFile: (attachmentId: string) => Promise<ReadableStream<Uint8Array>>
}

/** Maximum uploads at a time: the limit of the service for each user. */
const maxUploads = 2
/** Maximum requests for one response that is neither 429 nor 503. */
const maxAttempts = 5
/** The longest `Retry-After` that the client waits for, in seconds. */
const maxRetryAfter = 60
/** Larger files are hashed in parts, which needs no memory for the whole file. */
const maxHashedAtOnce = 16 * 1024 * 1024

/** Returns the SHA-256 of a file in hexadecimal digits. */
async function sha256Of(file: Blob): Promise<string> {
  // pages without TLS have no `subtle`
  const subtle = (globalThis.crypto as { subtle?: typeof crypto.subtle }).subtle
  if (subtle !== undefined && file.size <= maxHashedAtOnce) {
    return [...new Uint8Array(await subtle.digest('SHA-256', await file.arrayBuffer()))]
      .map((byte) => byte.toString(16).padStart(2, '0')).join('')
  }
  const [{ sha256 }, { bytesToHex }] = await Promise.all([
    import('@noble/hashes/sha2.js'),
    import('@noble/hashes/utils.js'),
  ])
  const digest = sha256.create()
  const reader = file.stream().getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read())
    digest.update(part.value)
  return bytesToHex(digest.digest())
}

/**
 * Makes an image smaller and hashes the file. @throws FinanceError `FILE_UNREADABLE` if the device
 * cannot read it, or no longer
 */
async function prepared(file: Blob, shrinks: boolean): Promise<{ sent: Blob, sha256: string }> {
  try {
    const sent = shrinks ? await shrinkImage(file) : file
    return { sent, sha256: await sha256Of(sent) }
  } catch (error) {
    throw new FinanceError(0, { code: 'FILE_UNREADABLE', message: 'The file cannot be read.' }, {
      cause: error,
    })
  }
}

const cancelled = (signal: AbortSignal) =>
  new FinanceError(0, { code: 'ABORTED', message: 'The upload was canceled.' }, {
    cause: signal.reason,
  })

/** Throws if the upload was cancelled. @throws FinanceError `ABORTED` */
const checkSignal = (signal: AbortSignal | undefined): void => {
  if (signal?.aborted === true) throw cancelled(signal)
}

/**
 * Waits until `begin` calls its argument. It returns a function that ends the wait. @throws
 * FinanceError `ABORTED` after a cancellation
 */
const waitFor = (begin: (resolve: () => void) => () => void, signal: AbortSignal | undefined) =>
  new Promise<void>((resolve, reject) => {
    checkSignal(signal)
    const cancel = () => {
      end()
      reject(cancelled(signal!))
    }
    const end = begin(() => {
      signal?.removeEventListener('abort', cancel)
      resolve()
    })
    signal?.addEventListener('abort', cancel, { once: true })
  })

/** Returns a function that runs two uploads at a time, and the others in order. */
function uploadSlots() {
  let free = maxUploads
  const waiting = new Set<() => void>()
  const leave = () => {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
      next()
    }
  }
  return async <Result>(
    work: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> => {
    checkSignal(signal)
    if (free > 0) free -= 1
    else {
      await waitFor((admit) => {
        waiting.add(admit)
        return () => waiting.delete(admit)
      }, signal)
    }
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

/**
 * Sends a request again after 429 and 503, if the response says when. @returns the successful
 * response @throws FinanceError
 */
async function request(send: () => Promise<Response>, signal?: AbortSignal): Promise<Response> {
  for (let attempt = 1;; attempt += 1) {
    checkSignal(signal)
    const response = await send().catch((error: unknown) => {
      checkSignal(signal)
      throw financeError(error, 0)
    })
    if (response.ok) return response
    const isBusy = response.status === 429 || response.status === 503
    const seconds = Number(response.headers.get('retry-after') ?? NaN)
    if (!isBusy || attempt === maxAttempts || !(seconds <= maxRetryAfter)) {
      throw financeError(await response.json().catch(() => undefined), response.status)
    }
    await waitFor((resolve) => {
      const timer = setTimeout(resolve, seconds * 1000)
      return () => clearTimeout(timer)
    }, signal)
  }
}

/**
 * Calls a function that issues a ticket. A cancellation does not stop the request, because the
 * response has the id of a new attachment.
 */
async function issueTicket<Name extends 'begin_upload' | 'open_attachment'>(
  data: PostgrestClient<Database>,
  name: Name,
  input: Arguments<Name>,
  signal?: AbortSignal,
): Promise<Reply<Name>> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  }
  const response = await request(() => data.fetch!(`${data.url}/rpc/${name}`, init), signal)
  return response.json() as Promise<Reply<Name>>
}

/** Uploads the file of a pending attachment. Deletes the attachment after a failure. */
async function uploadPending(
  data: PostgrestClient<Database>,
  id: string,
  send: () => Promise<Response>,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await request(send, signal)
  } catch (error) {
    const discarded = data.from('attachments').delete().eq('id', id)
    // a failed request may have stored the file, and then the attachment stays
    await (signal?.aborted === true ? discarded : discarded.eq('status', 'pending'))
    throw error
  }
}

/**
 * Builds the functions.
 * @param url the address of the route for files
 * @param send sends requests without a token
 * @param customFetch replaces the browser's own upload, which reports its progress
 * @param watch observes a request that changes rows
 */
export function attachmentsOf(
  data: PostgrestClient<Database>,
  url: string,
  send: Fetch,
  customFetch: Fetch | undefined,
  watch: (request: Promise<Response>) => Promise<Response>,
): Attachments {
  const inSlot = uploadSlots()
  const upload: SendFile = customFetch === undefined && sendWithXhr !== undefined
    ? sendWithXhr
    : sendWithFetch(send)

  const attach: Attachments['attach'] = (
    transaction,
    file,
    { name, note, shrink = true, onProgress = () => undefined, signal } = {},
  ) =>
    inSlot(async () => {
      const { sent, sha256 } = await prepared(file, shrink)
      const { size } = sent
      const { name: fileName = 'file' } = sent as Partial<File>
      const { attachment_id: id, ticket, status } = await issueTicket(data, 'begin_upload', {
        transaction_id: typeof transaction === 'string' ? transaction : transaction.id,
        name: name ?? fileName,
        size,
        sha256,
        ...(note !== undefined && { note }),
      }, signal)
      if (status === 'pending') {
        const sendFile = () =>
          watch(upload(`${url}/${ticket}`, sent, (bytes) => onProgress(bytes, size), signal))
        await uploadPending(data, id, sendFile, signal)
      }
      onProgress(size, size)
      return unwrap(data.from('attachments').select().eq('id', id).single())
    }, signal)

  const fileUrl: Attachments['fileUrl'] = async (id) => {
    const { ticket, expires_in: seconds } = await issueTicket(data, 'open_attachment', { id })
    return { url: `${url}/${ticket}`, expiresAt: new Date(Date.now() + seconds * 1000) }
  }

  const openFile = async (id: string): Promise<Response> => {
    const { url: address } = await fileUrl(id)
    return request(() => send(address, { credentials: 'omit' }))
  }
  const readFile: Attachments['readFile'] = async (id) => {
    const response = await openFile(id)
    return response.blob().catch((error: unknown) => {
      throw financeError(error, 0)
    })
  }
  const streamFile: Attachments['streamFile'] = async (id) =>
    (await openFile(id)).body ?? new Blob([]).stream()

  return { attach, fileUrl, readFile, streamFile }
}
