import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { ErrorNote } from './error-note.tsx'
import { Skeleton } from './skeleton.tsx'

type CardProps = {
  title: string
  /** What is to be known of the figures. */
  note?: ReactNode
  actions?: ReactNode
  /** What the card waits for; it shows its children when all are there. */
  queries: UseQueryResult[]
  /** How many rows it will have, about, while they are on their way. */
  rows?: number
  isWide?: boolean
  children: () => ReactNode
}

/** One answer of the overview, with its own waiting and its own failure, so that none waits for another. */
export function Card({ title, note, actions, queries, rows = 5, isWide = false, children }: CardProps) {
  const id = useId()
  const error = queries.find((query) => query.error !== null)?.error ?? null
  const isThere = queries.every(({ data }) => data !== undefined)
  return (
    <section className={isWide ? 'card card-wide' : 'card'} aria-labelledby={id}>
      <div className='card-head'>
        <h2 id={id}>{title}</h2>
        {note !== undefined && <small>{note}</small>}
        {actions}
      </div>
      <ErrorNote error={error} />
      {isThere ? children() : error === null && <Skeleton rows={rows} />}
    </section>
  )
}
