/** The bar below the list: the actions of the selection, or the totals. */
import type { Reply, RowChange } from 'finance-client'
import type { Category } from '../../data/categories.ts'
import { isOpen } from '../../data/suggestions.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import { statuses } from '../../data/transactions/filters.ts'
import { locale } from '../../locale/language.ts'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Amount } from '../../parts/ui.tsx'

type BulkBarProps = {
  rows: readonly Transaction[]
  /** Whether the selection contains all loaded rows but not all rows. */
  isMoreThere: boolean
  categories: readonly Category[]
  isBusy: boolean
  onChange: (values: RowChange<'transactions'>) => void
  onSuggest: () => void
  onDelete: () => void
  onClear: () => void
}

/** The actions of the selected rows. */
export function BulkBar(
  { rows, isMoreThere, categories, isBusy, onChange, onSuggest, onDelete, onClear }: BulkBarProps,
) {
  return (
    <div className='tx-bar' role='group' aria-label={m.selectedTransactions} aria-busy={isBusy}>
      <span role='status'>
        {isMoreThere ? m.allLoadedSelected(rows.length) : m.selected(rows.length)}
      </span>
      <div className='tx-bar-category'>
        <Combobox
          aria-label={m.bulkCategory}
          placeholder={m.categoryChoice}
          of={categories}
          none={m.noCategory}
          value=''
          disabled={isBusy}
          onChange={(id) =>
            onChange({ category_id: id || null })}
        />
      </div>
      <select
        aria-label={m.bulkStatus}
        value=''
        disabled={isBusy}
        onChange={({ target: { value } }) => {
          const status = statuses.find((one) =>
            one === value
          )
          if (status !== undefined)
            onChange({ status })
        }}
      >
        <option value=''>{m.statusChoice}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>{common.statuses[status]}</option>
        ))}
      </select>
      {rows.some(isOpen) && (
        <button type='button' disabled={isBusy} onClick={onSuggest}>{m.suggestCategories}</button>
      )}
      <button type='button' className='danger' disabled={isBusy} onClick={onDelete}>
        {common.delete}
      </button>
      <button type='button' className='quiet' onClick={onClear}>{m.clear}</button>
    </div>
  )
}

type Totals = Reply<'get_transaction_aggregate'>

export const countOf = (totals: Totals | undefined) =>
  totals?.reduce((sum, { count }) => sum + count, 0) ?? null

/** The sum of the filtered rows per currency. */
export function TotalsBar(
  { totals, hasTransfers }: { totals: Totals | undefined, hasTransfers: boolean },
) {
  const count = countOf(totals)
  if (totals === undefined || count === null) return <p className='tx-bar'>{m.addingUp}</p>
  return (
    <div className='tx-bar' role='status' aria-label={m.totalLabel}>
      <span title={m.totalHint}>
        {m.totalOf(new Intl.NumberFormat(locale).format(count))}
        {hasTransfers && m.withoutTransfers}
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
