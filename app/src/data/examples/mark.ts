/**
 * The mark of example rows: ids that begin with these digits. Ids of the database are random and
 * have a 4 in place of the 8.
 */
const mark = 'e8a3b1e5-b00c-8'

/** The smallest and the largest marked id, for filters. */
export const markedIds = {
  first: `${mark}000-0000-000000000000`,
  last: `${mark}fff-ffff-ffffffffffff`,
}

export const isMarked = (id: string): boolean => id.startsWith(mark)

/** Returns a new id with the mark. */
export const markedId = (): string => `${mark}${crypto.randomUUID().slice(mark.length)}`

/** The metadata of an example account that stays because the user's own rows are in it. */
export const keptMetadata = { kept: true }

/** Whether an account shows that the context has example books. */
export const isExample = ({ id, metadata }: { id: string, metadata: unknown }): boolean =>
  isMarked(id) && (metadata as Partial<typeof keptMetadata> | null)?.kept !== true
