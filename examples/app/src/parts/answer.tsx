import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { missingRate } from '../data/exchange-rates.ts'
import { ErrorNote } from './error-note.tsx'
import { Skeleton } from './skeleton.tsx'

type AnswerProps<Data extends unknown[]> = {
  /** What is waited for, with its own waiting and its own failure, so that nothing else waits. */
  to: [...{ [Place in keyof Data]: UseQueryResult<Data[Place]> }]
  /** What is said where the first has no rows. */
  empty: ReactNode
  /** What has the size of the answer while it is on its way. */
  shape?: ReactNode
  children: (...data: { [Place in keyof Data]: NonNullable<Data[Place]> }) => ReactNode
}

/** What was asked for, when all of it is there. What was read before stays when it cannot be read again. */
export function Answer<Data extends unknown[]>({ to, empty, shape = <Skeleton />, children }: AnswerProps<Data>) {
  const queries: UseQueryResult[] = to
  const error = queries.find((query) => query.error !== null)?.error ?? null
  const rate = error === null ? null : missingRate(error)
  const data = queries.map((query) => query.data)
  const isThere = !data.includes(undefined)
  const isEmpty = Array.isArray(data[0]) && data[0].length === 0
  return (
    <>
      <ErrorNote error={error} />
      {rate !== null && <Link to='/exchange-rates' search={rate}>Exchange rates</Link>}
      {!isThere && error === null && shape}
      {isThere && (isEmpty ? empty : children(...data as { [Place in keyof Data]: NonNullable<Data[Place]> }))}
    </>
  )
}
