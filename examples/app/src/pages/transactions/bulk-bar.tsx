import type { RowChange } from 'finance-client'
import type { Category } from '../../data/categories.ts'
import { statuses } from '../../data/transaction-filters.ts'
import type { Transaction } from '../../data/transactions.ts'
import { Options } from '../../parts/form.tsx'

type BulkBarProps = {
  rows: readonly Transaction[]
  /** Whether they are all that is loaded, and there is more. */
  isMoreThere: boolean
  categories: readonly Category[]
  isBusy: boolean
  onChange: (values: RowChange<'transactions'>) => void
  onDelete: () => void
  onClear: () => void
}

/** What can be done with the rows that are selected, all at once. */
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
