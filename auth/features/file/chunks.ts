/** The bytes of files in the database: chunks of 256 KiB, each written and read by a statement of its own. No connection waits for a client. */
import type pg from 'pg'
import { fairQueue } from '../../../common/fair-queue.ts'
import { withClient } from '../../database.ts'
import { refuse } from '../../errors.ts'

/** The size of each chunk but the last, in bytes. */
export const chunkBytes = 262_144

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

export type Chunks = {
  /** Begins a file. @returns its id; undefined if the upload has ended or another one has finished it */
  begin: (file: TicketFile, isExternal: boolean) => Promise<string | undefined>
  /** Stores a chunk. @returns false if the upload has ended */
  write: (file: TicketFile, fileId: string, number: number, bytes: Buffer) => Promise<boolean>
  /** Makes the attachment ready. @returns undefined if the upload has ended */
  finish: (file: TicketFile, fileId: string, contentType: string) => Promise<{ changeId: string | null, contentType: string } | undefined>
  /** Deletes the file of a failed upload. */
  discard: (file: TicketFile, fileId: string) => Promise<void>
  /** Reads a chunk. @returns undefined if the access has ended */
  read: (file: TicketFile, fileId: string, number: number) => Promise<Buffer | undefined>
}

/** Statements at once of all files together, so that the other connections of the pool remain for sign-ins. */
const statements = 4
const waitingStatements = 2_000
const waitMs = 60_000

/** @param pool connections of the auth service */
export function createChunks(pool: pg.Pool): Chunks {
  const queue = fairQueue(statements, waitingStatements, waitMs)
  /** Runs a prepared statement. */
  const run = async <Row extends pg.QueryResultRow>({ userId }: TicketFile, name: string, text: string, values: unknown[]): Promise<Row | undefined> => {
    const leave = await queue.enter(userId) ?? refuse('SERVICE_BUSY', 5)
    try {
      return await withClient(pool, async (client) => (await client.query<Row>({ name, text, values })).rows[0])
    } finally {
      leave()
    }
  }
  return {
    begin: async (file, isExternal) =>
      (await run<{ id: string | null }>(file, 'begin-file', 'select private.begin_file($1, $2)::text as id', [file.tokenHash, isExternal]))?.id ?? undefined,
    write: async (file, fileId, number, bytes) =>
      (await run<{ stored: boolean }>(file, 'write-chunk', 'select private.write_chunk($1, $2, $3, $4) as stored', [file.tokenHash, fileId, number, bytes]))
        ?.stored === true,
    finish: async (file, fileId, contentType) => {
      const row = await run<{ changeId: string | null, contentType: string }>(
        file,
        'finish-upload',
        'select change_id::text as "changeId", content_type as "contentType" from private.finish_upload($1, $2, $3)',
        [file.tokenHash, fileId, contentType],
      )
      return row
    },
    discard: async (file, fileId) => {
      await run(file, 'discard-file', 'select from private.discard_file($1, $2)', [file.tokenHash, fileId])
    },
    read: async (file, fileId, number) => {
      // base64 takes two thirds of the time of the hexadecimal digits that pg reads
      const row = await run<{ bytes: string | null }>(file, 'read-chunk', `select encode(private.read_chunk($1, $2, $3), 'base64') as bytes`, [
        file.tokenHash,
        fileId,
        number,
      ])
      return row === undefined || row.bytes === null ? undefined : Buffer.from(row.bytes, 'base64')
    },
  }
}
