/**
 * The operator's commands for the bytes of files. `files move` moves them to the place that
 * FILES_URL names, or back into the database. `files check` reads every byte. Both run beside the
 * service. A killed move leaves each file in one place; the next run continues.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../db/types.ts'
import { deleteNotedObjects } from '../common/deleted-objects.ts'
import type { ObjectStorage } from '../common/object-storage.ts'
import {
  checkFiles,
  chunksOf,
  isOf,
  measure,
  objectOf,
  storedFiles,
  type DamagedFile,
  type StoredFile,
} from '../db/stored-files.ts'
import {
  operatorError,
  usageError,
  type Command,
  type Deployment,
  type Output,
} from './terminal.ts'

/** The name of a move's connection, by which another one finds it. */
const moveName = 'files move'

/** The size of each chunk but the last, in bytes. */
const chunkBytes = 262_144

/** Files per line of the progress. */
const batchFiles = 100

/** Objects per deletion. */
const batchObjects = 20

/**
 * Notes the object of a file, so that the service deletes it at this time unless the file still
 * needs it.
 */
const noteObject = (db: Kysely<Tables>, fileId: string, at: 'now' | 'in an hour') =>
  db.insertInto('private.deleted_objects')
    .values({
      fileId,
      deletedAt: at === 'now' ? sql<Date>`now()` : sql<Date>`now() + interval '1 hour'`,
    })
    .onConflict((conflict) =>
      conflict.column('fileId').doUpdateSet((excluded) => ({
        deletedAt: excluded.ref('excluded.deletedAt'),
      }))
    ).execute()

type Outcome = 'moved' | 'gone' | 'wrong'

/** Moves one file to the object storage. Its chunks stay until its object has been read back. */
async function moveToObjects(
  db: Kysely<Tables>,
  objects: ObjectStorage,
  file: StoredFile,
): Promise<Outcome> {
  const found = await measure(chunksOf(db, file.id))
  const isThere = db.selectFrom('private.files').select('id').where('id', '=', file.id).where(
    'isExternal',
    '=',
    false,
  )
  if (!isOf(file, found)) return await isThere.executeTakeFirst() === undefined ? 'gone' : 'wrong'
  await noteObject(db, file.id, 'in an hour')
  await objects.put(file.id, found.size, found.sha256, chunksOf(db, file.id))
  const isSame = (await measure(objectOf(objects, file.id))).sha256 === found.sha256
  const isMoved = isSame && await db.transaction().execute(async (transaction) => {
    // without its note the service has deleted the object, because the move took longer than an
    // hour
    const { numDeletedRows } = await transaction.deleteFrom('private.deleted_objects').where(
      'fileId',
      '=',
      file.id,
    ).executeTakeFirst()
    const { numUpdatedRows } = await transaction.updateTable('private.files').set({
      isExternal: true,
    })
      .where('id', '=', file.id).where('isExternal', '=', false).where(
        sql.lit(numDeletedRows === 1n),
      ).executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await transaction.deleteFrom('private.file_chunks').where('fileId', '=', file.id).execute()
    return true
  })
  if (!isMoved) await noteObject(db, file.id, 'now')
  return isMoved ? 'moved' : isSame ? 'gone' : 'wrong'
}

/** Moves one file into the database, in one transaction. */
const moveToDatabase = (
  db: Kysely<Tables>,
  objects: ObjectStorage,
  file: StoredFile,
): Promise<Outcome> =>
  db.transaction().execute(async (transaction) => {
    const locked = await transaction.selectFrom('private.files').select('tenant').where(
      'id',
      '=',
      file.id,
    ).where('isExternal', '=', true)
      .forNoKeyUpdate().executeTakeFirst()
    if (locked === undefined) return 'gone'
    const { tenant } = locked
    let number = 0
    let waiting = Buffer.alloc(0)
    const store = async (bytes: Buffer) => {
      await transaction.insertInto('private.file_chunks')
        .values({ fileId: file.id, number, bytes, tenant }).execute()
      number += 1
    }
    const read = await measure(objectOf(objects, file.id), async (part) => {
      waiting = Buffer.concat([waiting, part])
      for (; waiting.length >= chunkBytes; waiting = waiting.subarray(chunkBytes))
        await store(waiting.subarray(0, chunkBytes))
    })
    if (waiting.length > 0) await store(waiting)
    const stored = await measure(chunksOf(transaction, file.id))
    if (!isOf(file, read) || stored.sha256 !== read.sha256) {
      await transaction.deleteFrom('private.file_chunks').where('fileId', '=', file.id).execute()
      return 'wrong'
    }
    await transaction.updateTable('private.files').set({ isExternal: false }).where(
      'id',
      '=',
      file.id,
    ).execute()
    await noteObject(transaction, file.id, 'now')
    return 'moved'
  })

/**
 * Deletes the objects of files that are in the database again. Waits until no download uses them.
 */
async function deleteMovedObjects(
  db: Kysely<Tables>,
  pool: pg.Pool,
  objects: ObjectStorage,
  graceSeconds: number,
  out: Output,
): Promise<void> {
  const remaining = async () =>
    Number(
      (await db.selectFrom('private.deleted_objects').select((of) =>
        of.fn.countAll<string>().as('count')
      ).where('deletedAt', '<=', sql<Date>`now()`)
        .executeTakeFirstOrThrow()).count,
    )
  const count = await remaining()
  if (count === 0) return
  out.write(`Deleting ${count} objects after ${graceSeconds} s, when no download uses them.\n`)
  while (await remaining() > 0) {
    const client = await pool.connect()
    const deleted = await deleteNotedObjects(client, objects, batchObjects, graceSeconds).finally(
      () => client.release(),
    )
    if (deleted === 0) await sleep(250)
  }
}

const filesOf = (count: number): string => `${count} file${count === 1 ? '' : 's'}`

const nameOf = (
  { attachmentId, objectId }: DamagedFile,
): string => (objectId === null ? attachmentId : `${attachmentId} (object …${objectId})`)

/** @throws an operator error that lists the damaged files */
const reportWrong = (wrong: DamagedFile[], remedy: string) => {
  if (wrong.length > 0)
    throw operatorError(
      `The bytes of ${filesOf(wrong.length)} are missing or wrong: ${
        wrong.map(nameOf).join(', ')
      }. ${remedy}`,
    )
}

async function check(
  db: Kysely<Tables>,
  objects: ObjectStorage | undefined,
  out: Output,
): Promise<void> {
  const { files, externalFiles, wrong } = await checkFiles(db, objects)
  if (externalFiles > 0 && objects === undefined)
    throw operatorError('FILES_URL must be set: files are in an object storage.')
  out.write(`Read ${filesOf(files)} in the database and ${externalFiles} in the object storage.\n`)
  reportWrong(
    wrong,
    'These are the ids of their attachments. Restore them from a backup, or an object from its older version.',
  )
}

async function move(
  db: Kysely<Tables>,
  { pool, graceSeconds }: Pick<Deployment, 'pool' | 'graceSeconds'>,
  objects: ObjectStorage,
  toDatabase: boolean,
  out: Output,
): Promise<void> {
  // before the search, so that of two at once none misses the other
  await sql`select set_config('application_name', ${moveName}, false)`.execute(db)
  const { rows: others } = await sql`
    select from pg_stat_activity where datname = current_database() and application_name = ${moveName} and pid <> pg_backend_pid()`
    .execute(db)
  if (others.length > 0) throw operatorError('Another move of files runs. Wait for its end.')
  const moveOne = toDatabase ? moveToDatabase : moveToObjects
  const wrong: DamagedFile[] = []
  let moved = 0
  for await (const file of storedFiles(db, toDatabase)) {
    const outcome = await moveOne(db, objects, file)
    if (outcome === 'wrong')
      wrong.push({ attachmentId: file.attachmentId, objectId: file.isExternal ? file.id : null })
    if (outcome === 'moved') moved += 1
    if (outcome === 'moved' && moved % batchFiles === 0) out.write(`Moved ${filesOf(moved)}.\n`)
  }
  out.write(
    `Moved ${filesOf(moved)} ${toDatabase ? 'into the database' : 'to the object storage'}.\n`,
  )
  if (toDatabase) await deleteMovedObjects(db, pool, objects, graceSeconds, out)
  reportWrong(wrong, 'They stay in their place. `files check` has the remedy.')
}

export const filesCommands: Record<string, Command> = {
  'files move': async (db, _args, options, out, deployment) => {
    if (options.to !== undefined && options.to !== 'database')
      throw usageError('--to must be database.')
    const objects = await deployment.openFiles()
    if (objects === undefined)
      throw operatorError('FILES_URL must be set, also to move files back into the database.')
    await move(db, deployment, objects, options.to === 'database', out)
  },
  'files check': async (db, _args, _options, out, { openFiles }) =>
    check(db, await openFiles(), out),
}
