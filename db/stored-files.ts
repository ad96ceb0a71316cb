/**
 * Reads the bytes of stored files and compares them with their sizes and hashes, for the operator's
 * command and for drills.
 */
import { createHash } from 'node:crypto'
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely'
import type pg from 'pg'
import { isObjectError, type ObjectStorage } from '../common/object-storage.ts'
import type { Tables } from './types.ts'

/** Files per query. */
const batchFiles = 100

/** A stored file. `sha256` is null if its attachment was deleted. */
export type StoredFile = {
  id: string
  attachmentId: string
  size: string
  sha256: string | null
  isExternal: boolean
}

/**
 * Returns the stored files, in the order of their ids. @param isExternal the place; undefined for
 * both
 */
export async function* storedFiles(
  db: Kysely<Tables>,
  isExternal?: boolean,
): AsyncGenerator<StoredFile, void> {
  for (let after = '00000000-0000-0000-0000-000000000000';;) {
    const files = await db.selectFrom('private.files as f').select([
      'f.id',
      'f.attachmentId',
      'f.size',
      'f.isExternal',
    ])
      .select(
        sql<string | null>`(select a.sha256 from api.attachments a where a.id = f.attachment_id)`
          .as('sha256'),
      )
      .where('f.storedAt', 'is not', null).where('f.id', '>', after)
      .$if(
        isExternal !== undefined,
        (query) => query.where('f.isExternal', '=', isExternal === true),
      )
      .orderBy('f.id').limit(batchFiles).execute()
    yield* files
    if (files.length < batchFiles) return
    after = files.at(-1)?.id ?? after
  }
}

/** Reads a file in the database chunk by chunk, so that neither side holds the whole file. */
export async function* chunksOf(db: Kysely<Tables>, fileId: string): AsyncGenerator<Buffer, void> {
  for (let number = 0;; number += 1) {
    const chunk = await db.selectFrom('private.file_chunks').select('bytes').where(
      'fileId',
      '=',
      fileId,
    ).where('number', '=', number).executeTakeFirst()
    if (chunk === undefined) return
    yield chunk.bytes as Buffer
  }
}

/** Reads an object. A missing one has no bytes. */
export async function* objectOf(
  objects: ObjectStorage,
  fileId: string,
): AsyncGenerator<Buffer, void> {
  try {
    yield* objects.get(fileId)
  } catch (error) {
    if (!isObjectError(error) || error.status !== 404) throw error
  }
}

/** Returns the number and the SHA-256 of bytes. @param use called with each part */
export async function measure(
  parts: AsyncIterable<Buffer>,
  use: (part: Buffer) => Promise<void> = () => Promise.resolve(),
): Promise<{ size: number, sha256: string }> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of parts) {
    hash.update(part)
    size += part.length
    await use(part)
  }
  return { size, sha256: hash.digest('hex') }
}

/**
 * Whether bytes are those of the file. The hash of a deleted attachment is not stored, so only the
 * size of its file counts.
 */
export const isOf = (
  file: StoredFile,
  { size, sha256 }: { size: number, sha256: string },
): boolean => size === Number(file.size) && (file.sha256 === null || sha256 === file.sha256)

/**
 * A damaged file, by its attachment. `objectId` is the end of its key in the object storage; null
 * for a file in the database.
 */
export type DamagedFile = { attachmentId: string, objectId: string | null }

/**
 * Stored files: their number and bytes in the database, their number in the object storage, and the
 * damaged ones.
 */
export type FileCheck = {
  files: number
  bytes: number
  externalFiles: number
  wrong: DamagedFile[]
}

/**
 * Compares each file with its size and SHA-256. @param objects the object storage; without it its
 * files are only counted
 */
export async function checkFiles(db: Kysely<Tables>, objects?: ObjectStorage): Promise<FileCheck> {
  const found: FileCheck = { files: 0, bytes: 0, externalFiles: 0, wrong: [] }
  for await (const file of storedFiles(db)) {
    const { id, size, attachmentId, isExternal } = file
    found.files += isExternal ? 0 : 1
    found.bytes += isExternal ? 0 : Number(size)
    found.externalFiles += isExternal ? 1 : 0
    const parts = !isExternal ? chunksOf(db, id) : objects && objectOf(objects, id)
    if (parts === undefined || isOf(file, await measure(parts))) continue
    // the file may have been deleted or moved meanwhile
    const isStill = await db.selectFrom('private.files').select('id').where('id', '=', id).where(
      'isExternal',
      '=',
      isExternal,
    ).executeTakeFirst()
    if (isStill !== undefined) found.wrong.push({ attachmentId, objectId: isExternal ? id : null })
  }
  const { rows: missing } = await sql<{ id: string }>`
    select a.id from api.attachments a
    where a.status = 'ready' and not exists (select from private.files f where f.attachment_id = a.id and f.stored_at is not null)
    order by a.id`.execute(db)
  found.wrong.push(...missing.map(({ id }) => ({ attachmentId: id, objectId: null })))
  return found
}

/** Opens the database for the functions above. */
export const filesDatabase = (pool: pg.Pool): Kysely<Tables> =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
