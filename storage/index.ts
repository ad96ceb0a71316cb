/** The surface of storage/: the files of attachments. auth/main.ts runs it in its process. */
import { deleteNotedObjects } from '../common/deleted-objects.ts'
import { fairQueue, type FairQueue } from '../common/fair-queue.ts'
import { withClient } from '../http/database.ts'
import type { Room } from '../http/room.ts'
import { createFiles, warnOfUnreachableFiles, type Files } from './attachment-files.ts'
import { fileRoutes } from './routes.ts'

type StorageServices = {
  files: Files
  /** Limits uploads. */
  uploadQueue: Pick<FairQueue, 'enter'>
}

declare module '../http/route.ts' {
  interface Services extends StorageServices {}
}

/** Files per statement. A file has up to 400 chunks, or is one request to the object storage. */
const batchFiles = 20

export const storage: Room<undefined, undefined, StorageServices> = {
  routes: [{ name: 'Files', description: 'The bytes of attachments.', routes: fileRoutes }],
  metrics: () => undefined,
  services: async ({ pool, log, objects }) => {
    if (objects === undefined) await warnOfUnreachableFiles(pool, log)
    // A transfer has at most two chunks in memory. The body of a waiting upload is not read.
    return {
      files: createFiles(pool, fairQueue(64, 512, 240_000, 16), objects, log),
      uploadQueue: fairQueue(64, 512, 240_000, 2),
    }
  },
  // Clients cause all its work.
  jobs: () => () => Promise.resolve(),
  sweeps: ({ pool, objects }, { activityDays }) => [
    {
      table: 'private.files',
      async deleteBatch() {
        const { rows } = await pool.query<{ count: string }>(
          'select private.forget_files($1, $2) as count',
          [activityDays, batchFiles],
        )
        return Number(rows[0]?.count) >= batchFiles
      },
    },
    // without the object storage, notes of deleted objects stay
    ...(objects === undefined ? [] : [{
      table: 'private.deleted_objects',
      deleteBatch: async () =>
        await withClient(pool, (client) => deleteNotedObjects(client, objects, batchFiles)) >=
          batchFiles,
    }]),
  ],
}
