/** The files of attachments: their rows in the database, and the place of their bytes. */
import type pg from 'pg'
import type { FairQueue } from '../common/fair-queue.ts'
import type { Log } from '../common/log.ts'
import type { ObjectStorage } from '../common/object-storage.ts'
import { reject } from '../http/errors.ts'
import { createChunkStore } from './chunk-store.ts'
import { fileStatements } from './statements.ts'
import { createObjectStore } from './object-store.ts'
import type { FileStore, TicketFile } from './byte-store.ts'

export type Files = {
  /** The place of new files. */
  newFiles: FileStore
  /**
   * Returns the place of a stored file. @throws Rejection SERVICE_BUSY if it is in an object
   * storage and FILES_URL is not set
   */
  storeOf: (file: TicketFile) => FileStore
  /**
   * Begins a file. @returns its id; undefined if the upload has ended or another one has finished
   * it
   */
  begin: (file: TicketFile) => Promise<string | undefined>
  /** Makes the attachment ready. @returns undefined if the upload has ended */
  finish: (
    file: TicketFile,
    fileId: string,
    contentType: string,
  ) => Promise<{ changeId: string | null, contentType: string } | undefined>
  /** Deletes the file of a failed upload. */
  discard: (file: TicketFile, fileId: string) => Promise<void>
}

/** Seconds after which a client repeats a download that needs a setting of the operator. */
const missingSettingSeconds = 60

/** Logs a warning if files are in an object storage, for a service without FILES_URL. */
export async function warnOfUnreachableFiles(pool: pg.Pool, log: Log): Promise<void> {
  const { rows: [found] } = await pool.query<{ exist: boolean }>(
    'select private.has_external_files() as exist',
  )
  if (found?.exist === true)
    log.warn(
      { setting: 'FILES_URL' },
      'FILES_URL is not set, and files are in an object storage: their downloads are refused',
    )
}

/**
 * @param pool connections of the auth service
 * @param downloads limits the downloads from the database
 * @param objects the place of new files; undefined for the database
 */
export function createFiles(
  pool: pg.Pool,
  downloads: Pick<FairQueue, 'enter'>,
  objects: ObjectStorage | undefined,
  log: Log,
): Files {
  const run = fileStatements(pool)
  const inDatabase = createChunkStore(run, downloads, objects, log)
  const inObjects = objects && createObjectStore(objects, log)
  const newFiles = inObjects ?? inDatabase
  return {
    newFiles,
    storeOf: ({ isExternal, attachmentId }) => {
      if (isExternal !== true) return inDatabase
      if (inObjects !== undefined) return inObjects
      log.error(
        { setting: 'FILES_URL', attachment_id: attachmentId },
        'FILES_URL is not set, and the file of a download is in an object storage',
      )
      return reject('SERVICE_BUSY', missingSettingSeconds)
    },
    begin: async (file) =>
      (await run<{ id: string | null }>(
        file,
        'begin-file',
        'select private.begin_file($1, $2)::text as id',
        [newFiles.isExternal],
      ))?.id ?? undefined,
    finish: (file, fileId, contentType) =>
      run(
        file,
        'finish-upload',
        'select change_id::text as "changeId", content_type as "contentType" from private.finish_upload($1, $2, $3)',
        [fileId, contentType],
      ),
    discard: async (file, fileId) => {
      await run(file, 'discard-file', 'select from private.discard_file($1, $2)', [fileId])
    },
  }
}
