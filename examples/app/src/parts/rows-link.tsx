import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Days } from '../locale/months.ts'

type RowsLinkProps = {
  days?: Days
  /** Its id; null for the rows without one, left out for all. */
  category?: string | null
  account?: string
  /** null for all currencies together. */
  currency?: string | null | undefined
  label?: string | undefined
  className?: string | undefined
  children: ReactNode
}

/** Leads from a figure to the transactions that it is made of. */
export function RowsLink({ days, category, account, currency, label, className, children }: RowsLinkProps) {
  const search = {
    ...(category !== undefined && { category: category ?? 'none' }),
    ...(account !== undefined && { account }),
    ...(currency != null && { currency }),
    ...(days !== undefined && { from: days.start, to: days.end }),
  }
  return <Link to='/transactions' search={search} aria-label={label} className={className}>{children}</Link>
}
