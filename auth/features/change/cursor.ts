/**
 * The cursors of live streams, which are the ids of their events. A cursor holds the number of a transaction. The number is encrypted,
 * because the numbers of two events would tell how many transactions strangers have made in between.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const numberBytes = 8

/** The form of a cursor in base64url: the nonce, the encrypted number, and a tag of 16 bytes. */
const form = /^[\w-]{48}$/

/** The cursors of one reader in one database. */
export type Cursors = {
  /** @param xid a transaction. The stream has sent all changes of earlier ones */
  encode: (xid: bigint) => string
  /** @returns undefined for a text that is no cursor of this reader, database and secret */
  decode: (cursor: string) => bigint | undefined
}

/**
 * @param secret BETTER_AUTH_SECRET, so that every process of a deployment reads the cursors of the others
 * @param database a text that differs in another database, and in this one after a restore or failover: transactions there may have the same numbers
 * @returns a function of a reader: a cursor of other readers gives no position
 */
export function createCursors(secret: string, database: string): (reader: string) => Cursors {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'cursors of live streams', 32))
  return (reader) => {
    const owner = Buffer.from(`${database} ${reader}`)
    return {
      encode: (xid) => {
        const number = Buffer.alloc(numberBytes)
        number.writeBigUInt64BE(xid)
        const nonce = randomBytes(nonceBytes)
        const cipher = createCipheriv(algorithm, key, nonce).setAAD(owner)
        return Buffer.concat([nonce, cipher.update(number), cipher.final(), cipher.getAuthTag()]).toString('base64url')
      },
      decode: (cursor) => {
        if (!form.test(cursor)) return undefined
        const bytes = Buffer.from(cursor, 'base64url')
        const tag = bytes.subarray(nonceBytes + numberBytes)
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes)).setAAD(owner).setAuthTag(tag)
        const number = decipher.update(bytes.subarray(nonceBytes, nonceBytes + numberBytes))
        try {
          decipher.final()
        } catch {
          return undefined
        }
        return number.readBigUInt64BE()
      },
    }
  }
}
