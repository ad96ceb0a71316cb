import { memo } from 'react'
import type { Transaction } from '../../data/transactions.ts'
import { formatDay } from '../../locale/days.ts'
import { Amount } from '../../parts/amount.tsx'

/** What the ids of rows stand for. */
export type Names = { categories: ReadonlyMap<string, string>, accounts: ReadonlyMap<string, string> }

type CellsProps = {
  row: Transaction
  names: Names
  otherHalf: string | undefined
  isSelected: boolean
  onSelect: ((ids: readonly string[]) => void) | null
  onEdit: (id: string) => void
}

/** The cells of a row, drawn anew when it changes and not when it moves. Without `onSelect` it can only be read. */
export const Cells = memo(function Cells({ row, names, otherHalf, isSelected, onSelect, onEdit }: CellsProps) {
  const account = row.account_id === null ? '' : names.accounts.get(row.account_id) ?? ''
  return (
    <>
      {onSelect !== null && (
        <div role='gridcell' className='tx-check'>
          <input type='checkbox' tabIndex={-1} aria-label={`Select ${row.name}`} checked={isSelected} onChange={() => onSelect([row.id])} />
        </div>
      )}
      <div role='gridcell' className='tx-date'>{formatDay(row.transaction_date)}</div>
      <div role='gridcell' className='tx-name'>
        {onSelect === null
          ? <span className='tx-title'>{row.name}</span>
          : <button type='button' className='tx-title' tabIndex={-1} onClick={() => onEdit(row.id)}>{row.name}</button>}
        {row.status !== 'paid' && <span className='badge'>{row.status}</span>}
        {row.line_items.length > 0 && <span className='badge'>{row.line_items.length === 1 ? '1 part' : `${row.line_items.length} parts`}</span>}
        {row.tags.map(({ id, name }) => <span key={id} className='tx-tag'>#{name}</span>)}
      </div>
      <div role='gridcell' className='tx-category'>
        {row.transfer_id === null ? row.category_id === null ? '' : names.categories.get(row.category_id) ?? '' : transferText(row, otherHalf)}
      </div>
      <div role='gridcell' className='tx-account'>{account}</div>
      <div role='gridcell' className='tx-amount'>
        <Amount value={row.amount} currency={row.currency} />
      </div>
    </>
  )
})

const transferText = ({ amount }: Transaction, other: string | undefined) =>
  other === undefined ? '⇄ Transfer' : (
    <>
      ⇄ <span className='unseen'>Transfer</span> {amount < 0 ? 'to' : 'from'} {other}
    </>
  )
