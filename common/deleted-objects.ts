/**
 * Deletes the objects of deleted and moved files from the object storage. The database notes them
 * in private.deleted_objects.
 */
import type pg from 'pg'
import type { ObjectStorage } from './object-storage.ts'

/** The time for which an address of an object is valid, in seconds. */
export const addressSeconds = 60

/**
 * A noted object stays this long, in seconds: its address may still be valid, and a download may
 * have begun.
 */
export const objectGraceSeconds = 2 * addressSeconds

/**
 * Deletes objects, and then their rows. A failure keeps all rows. @param most the maximum number
 * @returns the number
 */
export async function deleteNotedObjects(
  client: pg.ClientBase,
  objects: Pick<ObjectStorage, 'remove'>,
  most: number,
  graceSeconds = objectGraceSeconds,
): Promise<number> {
  await client.query('begin')
  try {
    const { rows } = await client.query<{ id: string }>(
      `delete from private.deleted_objects where file_id in (
         select file_id from private.deleted_objects where deleted_at <= now() - make_interval(secs => $2) order by deleted_at limit $1 for update skip locked)
       returning file_id as id`,
      [most, graceSeconds],
    )
    await Promise.all(rows.map(({ id }) => objects.remove(id)))
    await client.query('commit')
    return rows.length
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
