import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Shown } from '../data/transaction-filters.ts'
import type { Days } from '../locale/months.ts'

type RowsLinkProps = Pick<Shown, 'account' | 'sort' | 'search'> & {
  /** null for all time. */
  days?: Days | null
  /** Its id; null for the rows without one, left out for all. */
  category?: string | null
  /** null for all currencies together. */
  currency?: string | null | undefined
  label?: string | undefined
  className?: string | undefined
  children: ReactNode
}

/** Leads from a figure to the transactions that it is made of. */
export function RowsLink({ days, category, currency, label, className, children, ...same }: RowsLinkProps) {
  const search = {
    ...same,
    ...(category !== undefined && { category: category ?? 'none' }),
    ...(currency != null && { currency }),
    ...(days != null && { from: days.start, to: days.end }),
  }
  return <Link to='/transactions' search={search} aria-label={label} className={className}>{children}</Link>
}
