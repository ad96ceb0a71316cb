/**
 * The cursor of a live stream, which is the id of its events. It holds the number of a transaction. The number is encrypted, because the
 * numbers of two events would tell how many transactions strangers have made in between.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-128-ecb'

/** The form of a cursor: 16 bytes in base64url. */
const form = /^[\w-]{22}$/

export type Cursors = {
  /** @param xid a transaction. The stream has told all changes of earlier ones */
  encode: (xid: bigint) => string
  /** @returns undefined for a text that is no cursor of this database and secret */
  decode: (cursor: string) => bigint | undefined
}

/**
 * @param secret BETTER_AUTH_SECRET, so that every process of a deployment reads the cursors of the others
 * @param database four bytes that another database or a restored one does not have: its transactions have other numbers
 */
export function createCursors(secret: string, database: Buffer): Cursors {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'cursors of live streams', 16))
  return {
    encode: (xid) => {
      // one block: the transaction, the database, and random bytes
      const block = Buffer.alloc(16)
      block.writeBigUInt64BE(xid)
      database.copy(block, 8, 0, 4)
      randomBytes(4).copy(block, 12)
      return createCipheriv(algorithm, key, null).setAutoPadding(false).update(block).toString('base64url')
    },
    decode: (cursor) => {
      if (!form.test(cursor)) return undefined
      const block = createDecipheriv(algorithm, key, null).setAutoPadding(false).update(Buffer.from(cursor, 'base64url'))
      return block.length === 16 && block.subarray(8, 12).equals(database.subarray(0, 4)) ? block.readBigUInt64BE() : undefined
    },
  }
}
