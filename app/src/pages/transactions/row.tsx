import { Ellipsis } from 'lucide-react'
import { memo, type ReactNode } from 'react'
import type { Transaction } from '../../data/transactions/api.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { formatDay } from '../../locale/days.ts'
import { receipts } from '../../messages/receipts.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { Dot } from '../../parts/combobox.tsx'
import { Amount } from '../../parts/ui.tsx'
import { common } from '../../messages/common.ts'

/** Names by ids. */
export type Names = {
  categories: ReadonlyMap<string, string>
  colors: ReadonlyMap<string, string | null>
  accounts: ReadonlyMap<string, string>
}

type RowProps = {
  row: Transaction
  names: Names
  otherHalf: string | undefined
  /** Whether the row shows its date, which a heading shows otherwise. */
  hasDate: boolean
  index: number
  /** Pixels below the first row. */
  offset: number
  isActive: boolean
  isSelected: boolean
  onActive: (id: string) => void
  /** null for read-only rows. */
  onSelect: ((ids: readonly string[]) => void) | null
  onEdit: (id: string) => void
  onMenu: (row: Transaction, button: Element) => void
  onReceipts: (row: Transaction) => void
  /** The form in place of the row; null for all other rows. */
  editor: ReactNode
  /** The field in place of the category; null for all other rows. */
  picker: ReactNode
  measure: (row: HTMLElement | null) => void
}

/** A row, which renders only if it changes. */
export const Row = memo(
  function Row(
    {
      row,
      names,
      otherHalf,
      hasDate,
      index,
      offset,
      isActive,
      isSelected,
      onActive,
      onSelect,
      onEdit,
      onMenu,
      onReceipts,
      editor,
      picker,
      measure,
    }: RowProps,
  ) {
    const isEdited = editor !== null
    return (
      <div
        ref={isEdited ? measure : undefined}
        data-index={index}
        id={`tx-${row.id}`}
        role='row'
        className={isEdited
          ? 'tx-row tx-edited'
          : row.transfer_id === null
          ? 'tx-row'
          : 'tx-row tx-transfer'}
        data-status={isEdited ? undefined : row.status}
        aria-rowindex={index + 2}
        aria-selected={onSelect === null ? undefined : isSelected}
        data-active={isActive || undefined}
        style={{ transform: `translateY(${offset}px)` }}
        // a click in a list above the page bubbles through its component
        onClick={({ target, currentTarget }) =>
          target instanceof Node && currentTarget.contains(target) && onActive(row.id)}
      >
        {isEdited
          ? <div role='gridcell' className='tx-editor'>{editor}</div>
          : (
            <Cells
              row={row}
              names={names}
              otherHalf={otherHalf}
              hasDate={hasDate}
              isSelected={isSelected}
              onSelect={onSelect}
              onEdit={onEdit}
              onMenu={onMenu}
              onReceipts={onReceipts}
              picker={picker}
            />
          )}
      </div>
    )
  },
)

type CellsProps = Pick<
  RowProps,
  | 'row'
  | 'names'
  | 'otherHalf'
  | 'hasDate'
  | 'isSelected'
  | 'onSelect'
  | 'onEdit'
  | 'onMenu'
  | 'onReceipts'
  | 'picker'
>

function Cells(
  { row, names, otherHalf, hasDate, isSelected, onSelect, onEdit, onMenu, onReceipts, picker }:
    CellsProps,
) {
  const account = row.account_id === null ? '' : names.accounts.get(row.account_id) ?? ''
  return (
    <>
      {onSelect !== null && (
        <div role='gridcell' className='tx-check'>
          <input
            type='checkbox'
            tabIndex={-1}
            aria-label={m.select(row.name)}
            checked={isSelected}
            onChange={() => onSelect([row.id])}
          />
        </div>
      )}
      {hasDate && <div role='gridcell' className='tx-date'>{formatDay(dayOf(row))}</div>}
      <NameCell {...{ row, onSelect, onEdit, onReceipts }} />
      <div role='gridcell' className='tx-category'>
        {picker ?? <CategoryOf {...{ row, names, otherHalf }} />}
      </div>
      <div role='gridcell' className='tx-account'>{account}</div>
      <div role='gridcell' className='tx-amount'>
        <Amount value={row.amount} currency={row.currency} />
      </div>
      {onSelect !== null && (
        <div role='gridcell' className='tx-menu'>
          <button
            type='button'
            className='quiet'
            tabIndex={-1}
            aria-haspopup='menu'
            aria-label={m.menu}
            onClick={({ currentTarget }) => onMenu(row, currentTarget)}
          >
            <Ellipsis className='icon' aria-hidden='true' />
          </button>
        </div>
      )}
    </>
  )
}

type NameCellProps = Pick<CellsProps, 'row' | 'onSelect' | 'onEdit' | 'onReceipts'>

/** The name of a row, with marks for its state, its parts, its receipts and its tags. */
function NameCell({ row, onSelect, onEdit, onReceipts }: NameCellProps) {
  const files = row.attachments.filter(({ status }) => status === 'ready').length
  return (
    <div role='gridcell' className='tx-name'>
      {onSelect === null
        ? <span className='tx-title'>{row.name}</span>
        : (
          <button type='button' className='tx-title' tabIndex={-1} onClick={() => onEdit(row.id)}>
            {row.name}
          </button>
        )}
      {row.status !== 'paid' && <span className='badge'>{common.statuses[row.status]}</span>}
      {row.line_items.length > 0 && (
        <span className='badge'>{m.splitCount(row.line_items.length)}</span>
      )}
      {files > 0 && (
        <button
          type='button'
          className='tx-receipts-mark'
          tabIndex={-1}
          aria-label={receipts.mark(files, row.name)}
          onClick={() => onReceipts(row)}
        >
          <Paperclip />
          {files}
        </button>
      )}
      {row.tags.map(({ id, name }) => <span key={id} className='tx-tag'>#{name}</span>)}
    </div>
  )
}

/** The category, or the other half of a transfer. */
const CategoryOf = ({ row, names, otherHalf }: Pick<CellsProps, 'row' | 'names' | 'otherHalf'>) =>
  row.transfer_id !== null ?
    transferText(row, otherHalf) :
    row.category_id === null ?
    '' :
    (
      <>
        <Dot color={names.colors.get(row.category_id)} />
        {names.categories.get(row.category_id) ?? ''}
      </>
    )

/** Drawn, because not every font has the character. */
const Paperclip = () => (
  <svg viewBox='0 0 16 16' aria-hidden='true'>
    <path d='M10.5 4.5v6a2.5 2.5 0 0 1-5 0v-7a1.75 1.75 0 0 1 3.5 0v6.5a.75.75 0 0 1-1.5 0v-5.5' />
  </svg>
)

const transferText = ({ amount }: Transaction, other: string | undefined) =>
  other === undefined ? `⇄ ${m.transfer}` : (
    <>
      ⇄ <span className='unseen'>{m.transfer}</span> {m.toOrFrom(amount, other)}
    </>
  )
