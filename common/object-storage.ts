/**
 * The files in an object storage that speaks the protocol of Amazon S3. Each file is one object;
 * its key is the prefix and its id.
 */
import type { IncomingMessage } from 'node:http'
import { AwsV4Signer } from 'aws4fetch'
import type { Credentials } from './aws-credentials.ts'
import type { ObjectLocation } from './object-location.ts'
import { outboundStream } from './outbound.ts'

export type ObjectStorage = {
  /**
   * Stores an object. The storage itself refuses bytes that do not have the SHA-256.
   * @param size in bytes
   * @param sha256 in hexadecimal digits
   * @throws an error of the body as it is; ObjectError if the storage refuses
   */
  put: (id: string, size: number, sha256: string, body: AsyncIterable<Uint8Array>) => Promise<void>
  /**
   * Reads an object. @param first the first byte that is read @throws ObjectError, with the status
   * 404 if there is none
   */
  get: (id: string, first?: number) => AsyncGenerator<Buffer, void>
  /** Deletes an object. An unknown one is no error. @throws ObjectError */
  remove: (id: string) => Promise<void>
  /**
   * Returns an address that reads an object without further credentials. @param headers of the
   * response @param seconds until it ends
   */
  addressOf: (
    id: string,
    headers: Record<'content-type' | 'content-disposition' | 'cache-control', string>,
    seconds: number,
  ) => Promise<string>
}

/**
 * The error of a response that the storage sends in place of the requested one. It contains nothing
 * of its body.
 */
export type ObjectError = Error & { status: number }
export const isObjectError = (error: unknown): error is ObjectError =>
  error instanceof Error && error.name === 'ObjectError'

/** The SHA-256 of no bytes. */
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

type SignerOptions = ConstructorParameters<typeof AwsV4Signer>[0]

/** Returns the function that makes the signer of a request. */
const signers =
  (credentials: () => Promise<Credentials>, region: string) =>
  async (options: Omit<SignerOptions, keyof Credentials>): Promise<AwsV4Signer> => {
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials()
    return new AwsV4Signer({
      ...options,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region,
    })
  }

/** @param credentials called for each request */
export function createObjectStorage(
  { url, prefix, region }: ObjectLocation,
  credentials: () => Promise<Credentials>,
): ObjectStorage {
  const addressOfKey = (id: string) => `${url}/${prefix}${id}`
  const signer = signers(credentials, region)
  const send = async (
    method: string,
    id: string,
    headers: Record<string, string>,
    body?: AsyncIterable<Uint8Array>,
  ): Promise<IncomingMessage> => {
    const signed = await (await signer({
      method,
      url: addressOfKey(id),
      headers: { 'x-amz-content-sha256': emptySha256, ...headers },
    })).sign()
    const response = await outboundStream(signed.url, {
      method,
      headers: Object.fromEntries(signed.headers),
      body,
    })
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) return response
    response.destroy()
    throw Object.assign(
      new Error(`the object storage responded to ${method} with status ${status}`),
      { name: 'ObjectError', status },
    )
  }
  return {
    put: async (id, size, sha256, body) => {
      const response = await send('PUT', id, {
        'content-length': String(size),
        'x-amz-content-sha256': sha256,
      }, body)
      response.destroy()
    },
    get: async function*(id, first = 0) {
      // an empty range is refused, so the whole object is read without one
      const response = await send('GET', id, first === 0 ? {} : { range: `bytes=${first}-` })
      yield* response as AsyncIterable<Buffer>
    },
    remove: async (id) => {
      const response = await send('DELETE', id, {})
      response.destroy()
    },
    addressOf: async (id, headers, seconds) => {
      const address = new URL(addressOfKey(id))
      address.searchParams.set('X-Amz-Expires', String(seconds))
      for (const [name, value] of Object.entries(headers))
        address.searchParams.set(`response-${name}`, value)
      return (await (await signer({ method: 'GET', url: address.href, signQuery: true })).sign())
        .url.href
    },
  }
}
