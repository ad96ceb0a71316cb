/**
 * The bytes of files in the object storage. Uploads pass through this service; a client downloads
 * from the storage itself.
 */
import { describeError, type Log } from '../common/log.ts'
import { addressSeconds } from '../common/deleted-objects.ts'
import type { ObjectStorage } from '../common/object-storage.ts'
import { isRejection, reject } from '../http/errors.ts'
import type { FileStore } from './byte-store.ts'

/** Seconds after which a client repeats a request that the storage has failed. */
const retrySeconds = 5

/** Returns copies of the parts, because a socket may hold a part until it has been sent. */
async function* copiesOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const part of body) yield Buffer.from(part)
}

export function createObjectStore(objects: ObjectStorage, log: Log): FileStore {
  const unlessBusy = async <Result>(
    action: string,
    request: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await request()
    } catch (error) {
      if (isRejection(error)) throw error
      log.warn(
        { setting: 'FILES_URL', action, error: describeError(error) },
        'the object storage failed',
      )
      return reject('SERVICE_BUSY', retrySeconds)
    }
  }
  return {
    isExternal: true,
    write: (file, fileId, body) =>
      unlessBusy('upload', () => objects.put(fileId, file.size, file.sha256, copiesOf(body))),
    send: async (_file, fileId, { headers, contentType, disposition }) => {
      const response = {
        'content-type': contentType,
        'content-disposition': disposition,
        'cache-control': 'private, no-store',
      }
      const location = await unlessBusy(
        'download',
        () => objects.addressOf(fileId, response, addressSeconds),
      )
      const { 'cross-origin-resource-policy': policy = '' } = headers
      return new Response(null, {
        status: 302,
        headers: {
          location,
          'cache-control': 'private, no-store',
          'referrer-policy': 'no-referrer',
          'cross-origin-resource-policy': policy,
        },
      })
    },
  }
}
