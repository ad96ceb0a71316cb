/** Notices in open forms about changes of other users. The input stays. */
import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { parts as m } from '../messages/parts.ts'

/** Announces a change of the edited row; nothing if the text is null. */
export const Meanwhile = ({ text }: { text: string | null }) => (
  <div role='status'>{text !== null && <p className='field-note'>{text}</p>}</div>
)

type RowMeanwhileProps<Row, Key extends QueryKey> = {
  /** The row as the form was opened; null for a new one. */
  row: Row | null
  /** The query of the page, which other changes update. */
  query: UseQueryOptions<Row[], Error, Row[], Key>
  /** The values that the form edits. */
  valuesOf: (row: Row) => object
}

/** Announces that the edited row has other values by now, or is deleted. */
export function RowMeanwhile<Row extends { id: string }, Key extends QueryKey>(
  { row, query, valuesOf }: RowMeanwhileProps<Row, Key>,
) {
  const { data } = useQuery({ ...query, enabled: false })
  const now = data?.find(({ id }) => id === row?.id)
  const isSame = row === null || data === undefined ||
    (now !== undefined && JSON.stringify(valuesOf(now)) === JSON.stringify(valuesOf(row)))
  return (
    <Meanwhile text={isSame ? null : now === undefined ? m.deletedMeanwhile : m.changedMeanwhile} />
  )
}
