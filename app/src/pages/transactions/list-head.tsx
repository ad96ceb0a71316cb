/** The heads of the columns, which sort the list and select its rows. */
import { memo } from 'react'
import { columnOf, type Sort } from '../../data/transactions/filters.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'
import type { Days } from './virtual-rows.ts'

export type HeadProps = {
  rows: readonly Transaction[]
  days: Days
  sort: Sort
  /**
   * Whether columns other than the date are sortable. For very many rows the database would have to
   * read all.
   */
  isSortable: boolean
  onSort: (sort: Sort) => void
  isReadOnly: boolean
  selected: ReadonlySet<string>
  onSelect: (ids: readonly string[]) => void
}

const columns = [
  { title: m.date, place: 'tx-date', column: 'transaction_date' },
  { title: common.name, place: 'tx-name', column: 'name' },
  { title: common.category, place: 'tx-category', column: null },
  { title: common.account, place: 'tx-account', column: null },
  { title: common.amount, place: 'tx-amount', column: 'amount' },
] as const

export const Head = memo(
  function Head(
    { rows, days, sort, isSortable, onSort, isReadOnly, selected, onSelect }: HeadProps,
  ) {
    const areAll = rows.length > 0 && selected.size >= rows.length
    return (
      <div role='row' className='tx-row tx-head' aria-rowindex={1}>
        {!isReadOnly && (
          <div role='columnheader' className='tx-check'>
            <input
              type='checkbox'
              aria-label={m.selectLoaded(rows.length)}
              checked={areAll}
              onChange={() =>
                onSelect(rows.flatMap(({ id }) => areAll || !selected.has(id) ? [id] : []))}
            />
          </div>
        )}
        {columns.filter(({ column }) => days === null || column !== 'transaction_date').map(
          ({ title, place, column }) => {
            const isHere = column !== null && columnOf(sort) === column
            const isDown = sort.startsWith('-')
            const next = column === null
              ? null
              : isHere
              ? (isDown ? column : `-${column}` as const)
              : column === 'name'
              ? column
              : `-${column}` as const
            return (
              <div
                key={title}
                role='columnheader'
                className={place}
                aria-sort={isHere ? (isDown ? 'descending' : 'ascending') : undefined}
              >
                {next === null || !(isSortable || column === 'transaction_date')
                  ? title
                  : (
                    <button
                      type='button'
                      onClick={() => onSort(next)}
                    >
                      {title}
                      {isHere && <span aria-hidden='true'>{isDown ? ' ↓' : ' ↑'}</span>}
                    </button>
                  )}
              </div>
            )
          },
        )}
        {!isReadOnly && (
          <div role='columnheader' className='tx-menu'>
            <span className='unseen'>{m.menu}</span>
          </div>
        )}
      </div>
    )
  },
)
