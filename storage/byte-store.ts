/**
 * The interface of the two places of bytes: chunks in the database (chunk-store.ts), and an object
 * storage (object-store.ts).
 */

/** The file of a ticket. */
export type TicketFile = {
  tokenHash: Buffer
  isUpload: boolean
  /** The user whose token has opened the ticket. */
  userId: string
  attachmentId: string
  name: string
  /** Null until the file is stored. */
  contentType: string | null
  /** In bytes. */
  size: number
  /** In hexadecimal digits. */
  sha256: string
  status: 'pending' | 'ready'
  /** The id of the stored bytes; null until then. */
  fileId: string | null
  /** Whether the bytes are in the object storage. */
  isExternal: boolean | null
}

/** A range of bytes, both ends included. */
export type Range = { first: number, last: number }

/** The response to a download, but for its bytes. */
type Download = {
  status: 200 | 206
  /** They include those of the range. */
  headers: Record<string, string>
  contentType: string
  disposition: string
  range: Range
  /**
   * Closes the connection, so that the client sees an incomplete file. An error of the stream would
   * add its message to the bytes.
   */
  cut: () => void
}

export type FileStore = {
  isExternal: boolean
  /**
   * Stores the bytes of a file.
   * @param body throws before its last part unless the bytes are those of the announced SHA-256; a
   * part is overwritten two parts later
   * @throws the error of the body as it is; Rejection NOT_FOUND if the upload has ended,
   * SERVICE_BUSY
   */
  write: (file: TicketFile, fileId: string, body: AsyncIterable<Buffer>) => Promise<void>
  /** Responds to a download. @throws Rejection SERVICE_BUSY */
  send: (file: TicketFile, fileId: string, download: Download) => Promise<Response>
}
