/** The bar below the list: the actions of the selection, or the totals. */
import type { Reply, RowChange } from 'finance-client'
import type { Category } from '../../data/categories.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import { statuses } from '../../data/transactions/filters.ts'
import { Options } from '../../parts/form.tsx'
import { Amount } from '../../parts/ui.tsx'

type BulkBarProps = {
  rows: readonly Transaction[]
  /** Whether the selection contains all loaded rows but not all rows. */
  isMoreThere: boolean
  categories: readonly Category[]
  isBusy: boolean
  onChange: (values: RowChange<'transactions'>) => void
  onDelete: () => void
  onClear: () => void
}

/** The actions of the selected rows. */
export function BulkBar({ rows, isMoreThere, categories, isBusy, onChange, onDelete, onClear }: BulkBarProps) {
  const choose = (field: 'category_id' | 'status') => ({ target }: { target: { value: string } }) => {
    if (target.value !== '') onChange({ [field]: target.value === 'none' ? null : target.value })
  }
  return (
    <div className='tx-bar' role='group' aria-label='Selected transactions' aria-busy={isBusy}>
      <span role='status'>{isMoreThere ? `All ${rows.length} loaded are selected, what follows is not` : `${rows.length} selected`}</span>
      <select aria-label='Category of all selected' value='' disabled={isBusy} onChange={choose('category_id')}>
        <option value=''>Category…</option>
        <option value='none'>No category</option>
        <Options of={categories} />
      </select>
      <select aria-label='Status of all selected' value='' disabled={isBusy} onChange={choose('status')}>
        <option value=''>Status…</option>
        {statuses.map((status) => <option key={status} value={status}>{status}</option>)}
      </select>
      <button type='button' className='danger' disabled={isBusy} onClick={onDelete}>Delete</button>
      <button type='button' className='quiet' onClick={onClear}>Clear</button>
    </div>
  )
}

type Totals = Reply<'get_transaction_aggregate'>

export const countOf = (totals: Totals | undefined) => totals?.reduce((sum, { count }) => sum + count, 0) ?? null

/** The sum of the filtered rows per currency. */
export function TotalsBar({ totals, hasTransfers }: { totals: Totals | undefined, hasTransfers: boolean }) {
  const count = countOf(totals)
  if (totals === undefined || count === null) return <p className='tx-bar'>Adding up…</p>
  return (
    <div className='tx-bar' role='status' aria-label='Sum of what is shown'>
      <span title='Transfers between accounts are left out, and so is what has failed, unless you filter by status. In a category the parts count that are in it.'>
        Sum of {new Intl.NumberFormat().format(count)}
        {hasTransfers && ', transfers apart'}
      </span>
      <span className='tx-sums'>
        {totals.map(({ currency, value }) => (
          <strong key={currency}>
            <Amount value={value} currency={currency} />
          </strong>
        ))}
      </span>
    </div>
  )
}
