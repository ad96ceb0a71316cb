/**
 * The cursors of live streams, which are the ids of their events. A cursor holds the number of a transaction. The number is encrypted,
 * because the numbers of two events would tell how many transactions strangers have made in between.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-128-ecb'

/** The form of a cursor: 16 bytes in base64url. */
const form = /^[\w-]{22}$/

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
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'cursors of live streams', 16))
  return (reader) => {
    const owner = createHash('sha256').update(`${database} ${reader}`).digest().subarray(0, 4)
    return {
      encode: (xid) => {
        // one block: the transaction, its owner, and random bytes
        const block = Buffer.alloc(16)
        block.writeBigUInt64BE(xid)
        owner.copy(block, 8)
        randomBytes(4).copy(block, 12)
        return createCipheriv(algorithm, key, null).setAutoPadding(false).update(block).toString('base64url')
      },
      decode: (cursor) => {
        if (!form.test(cursor)) return undefined
        const block = createDecipheriv(algorithm, key, null).setAutoPadding(false).update(Buffer.from(cursor, 'base64url'))
        return block.length === 16 && block.subarray(8, 12).equals(owner) ? block.readBigUInt64BE() : undefined
      },
    }
  }
}
