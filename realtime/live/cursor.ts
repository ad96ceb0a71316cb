/**
 * The cursors of live streams, which are the ids of their events. A cursor holds the checkpoint of
 * each tenant of the stream. It is encrypted for its reader. Otherwise a former member who joins
 * again could learn ids of the time in between, and a viewer the number of changes that the role
 * may not see.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const positionBytes = 8
const checkpointBytes = positionBytes + 16

/** The position of a tenant, and the id of the change there: private.tenants. */
export type Checkpoint = { position: number, change: string }

/** The cursors of one reader. */
export type Cursors = {
  encode: (checkpoints: Checkpoint[]) => string
  /**
   * @param count the number of the stream's tenants
   * @returns undefined for a text that is no cursor of this reader and secret
   */
  decode: (cursor: string, count: number) => Checkpoint[] | undefined
}

const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

function toBytes({ position, change }: Checkpoint): Buffer {
  const number = Buffer.alloc(positionBytes)
  number.writeBigUInt64BE(BigInt(position))
  return Buffer.concat([number, Buffer.from(change.replaceAll('-', ''), 'hex')])
}

/**
 * @param secret BETTER_AUTH_SECRET, so that every process of a deployment reads the cursors of the
 * others
 * @returns a function of a reader: a cursor of other readers gives no checkpoints
 */
export function createCursors(secret: string): (reader: string) => Cursors {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'cursors of live streams', 32))
  return (reader) => {
    const owner = Buffer.from(reader)
    return {
      encode: (checkpoints) => {
        const nonce = randomBytes(nonceBytes)
        const cipher = createCipheriv(algorithm, key, nonce).setAAD(owner)
        return Buffer.concat([
          nonce,
          cipher.update(Buffer.concat(checkpoints.map(toBytes))),
          cipher.final(),
          cipher.getAuthTag(),
        ]).toString('base64url')
      },
      decode: (cursor, count) => {
        const bytes = Buffer.from(cursor, 'base64url')
        const end = nonceBytes + count * checkpointBytes
        if (bytes.length !== end + tagBytes || bytes.toString('base64url') !== cursor)
          return undefined
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes)).setAAD(
          owner,
        ).setAuthTag(bytes.subarray(end))
        const plain = decipher.update(bytes.subarray(nonceBytes, end))
        try {
          decipher.final()
        } catch {
          return undefined
        }
        return Array.from({ length: count }, (_, at) => {
          const checkpoint = plain.subarray(at * checkpointBytes, (at + 1) * checkpointBytes)
          return {
            position: Number(checkpoint.readBigUInt64BE()),
            change: uuidOf(checkpoint.subarray(positionBytes)),
          }
        })
      },
    }
  }
}
