/** Small building blocks of every page. */
import { FinanceError } from 'finance-client'
import { Link } from '@tanstack/react-router'
import { type ComponentProps, type HTMLAttributes, type ReactNode, useId } from 'react'
import type { TransactionView } from '../data/transactions/filters.ts'
import { formatAmount } from '../locale/amounts.ts'
import { firstMonth, lastMonth } from '../locale/days.ts'
import { addMonths, type Days, formatPeriod } from '../locale/months.ts'
import { messageOf } from './error-messages.ts'
import { parts as m } from '../messages/parts.ts'

/** The title of a page and of its window, and the page's actions. */
export const PageHead = ({ title, children }: { title: string, children?: ReactNode }) => (
  <div className='page-head'>
    <title>{m.pageTitle(title)}</title>
    <h1 tabIndex={-1}>{title}</h1>
    {children}
  </div>
)

type CardProps = HTMLAttributes<HTMLElement> & { title: string, children: ReactNode }

/** A section with a heading. */
export function Card({ title, children, className = 'report-card', ...section }: CardProps) {
  const id = useId()
  return (
    <section {...section} className={className} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** The placeholder of an empty list, with the way to the first row. */
export const EmptyState = ({ children, action }: { children: ReactNode, action?: ReactNode }) => (
  <div className='empty'>
    <p>{children}</p>
    {action}
  </div>
)

/** The placeholder of rows that are loading. */
export const Skeleton = ({ rows = 3 }: { rows?: number }) => (
  <div className='skeleton' role='status'>
    <span className='unseen'>{m.loading}</span>
    {Array.from({ length: rows }, (_, row) => <div key={row} className='skeleton-row' />)}
  </div>
)

/** An error in plain words. The shell reports an expired session and a lost connection. */
export function ErrorNote({ error }: { error: Error | null }) {
  if (error === null || (error instanceof FinanceError && error.code === 'UNAUTHORIZED'))
    return null
  const { message, hint } = messageOf(error)
  return (
    <div className='error-note' role='alert'>
      <p>{message}</p>
      {hint !== null && <p>{hint}</p>}
    </div>
  )
}

/** An amount with its currency, in tabular figures. */
export const Amount = ({ value, currency }: { value: number, currency: string }) => (
  <span className={value > 0 ? 'amount amount-in' : 'amount'}>{formatAmount(value, currency)}</span>
)

type ActionProps = Pick<ComponentProps<'button'>, 'onClick' | 'disabled'> & {
  name: string
  /** The row, for screen readers. */
  of: string
}

/** A button of a row. */
export const Action = ({ name, of, ...button }: ActionProps) =>
  <button type='button' className='quiet' aria-label={`${name} ${of}`} {...button}>{name}</button>

/** The header cell above the actions of rows. */
export const ActionsHead = () => (
  <th>
    <span className='unseen'>{m.actions}</span>
  </th>
)

type MonthStepsProps = {
  month: string
  /** The shown months, if it is not only this one. */
  name?: string
  onChange: (month: string) => void
}

/** A month with buttons to its neighbours. */
export const MonthSteps = (
  { month, name = formatPeriod(month, 'month'), onChange }: MonthStepsProps,
) => (
  <div className='month-steps' role='group' aria-label={m.month}>
    <button
      type='button'
      className='quiet'
      aria-label={m.previousMonth}
      disabled={month <= firstMonth}
      onClick={() => onChange(addMonths(month, -1))}
    >
      ←
    </button>
    <output>{name}</output>
    <button
      type='button'
      className='quiet'
      aria-label={m.nextMonth}
      disabled={month >= lastMonth}
      onClick={() => onChange(addMonths(month, 1))}
    >
      →
    </button>
  </div>
)

type RowsLinkProps = Pick<TransactionView, 'account' | 'parent' | 'side' | 'sort' | 'search'> & {
  /** null for all time. */
  days?: Days | null
  /** A category's id; null for rows without one, undefined for all. */
  category?: string | null
  /** null for all currencies. */
  currency?: string | null | undefined
  label?: string | undefined
  className?: string | undefined
  tabIndex?: number | undefined
  children: ReactNode
}

/** Links a figure to its transactions. */
export function RowsLink(
  { days, category, currency, label, className, tabIndex, children, ...same }: RowsLinkProps,
) {
  const search = {
    ...same,
    ...(category !== undefined && { category: category ?? 'none' }),
    ...(currency != null && { currency }),
    ...(days != null && { from: days.start, to: days.end }),
  }
  return (
    <Link
      to='/transactions'
      search={search}
      aria-label={label}
      className={className}
      tabIndex={tabIndex}
    >
      {children}
    </Link>
  )
}
