/** The virtual list: only rows in the viewport are rendered. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type DragEvent,
  Fragment,
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { columnOf, type Sort } from '../../data/transactions/filters.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import { formatDayInWords, today } from '../../locale/days.ts'
import { Amount } from '../../parts/ui.tsx'
import type { Day } from './days.ts'
import { type Names, Row } from './row.tsx'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'

type ListProps = {
  grid: RefObject<HTMLDivElement | null>
  rows: readonly Transaction[]
  names: Names
  /** Whether `onEnd` can load more rows. */
  hasMore: boolean
  onEnd: () => void
  sort: Sort
  /** The first row of each day, if the list is grouped by day. */
  days: ReadonlyMap<string, Day> | null
  /**
   * Whether columns other than the date are sortable. For very many rows the database would have to
   * read all.
   */
  isSortable: boolean
  onSort: (sort: Sort) => void
  isReadOnly: boolean
  active: string | null
  onActive: (id: string) => void
  selected: ReadonlySet<string>
  onSelect: (ids: readonly string[]) => void
  /** The edited row, and its form. */
  edited: string | null
  editor: ReactNode
  onEdit: (id: string) => void
  /** The id of the row that shows the field for its category, and the field. */
  categorized: string | null
  picker: ReactNode
  /** Chooses the category of the selected rows or of the active one. */
  onCategorize: () => void
  /** Opens the menu of a row beside its button. */
  onMenu: (row: Transaction, button: Element) => void
  /** Opens the receipts of a row. */
  onReceipts: (row: Transaction) => void
  /** Adds files that the user has dropped on a row. */
  onFiles: (row: Transaction, files: FileList) => void
  onDelete: () => void
}

/** Heights of the bars at the edges of the window, in pixels. */
const covered = { top: 64, bottom: 128 }

/** The height of a day's heading, in pixels, as the style sheet has it. */
const dayHeight = 44

/** Returns the height of the heading above a row. */
const headingOf = (days: ListProps['days'], row: Transaction | undefined): number =>
  row !== undefined && days?.has(row.id) === true ? dayHeight : 0

const step: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
}

/**
 * Measures the position of the list and the common height of its rows when the page changes its
 * size. Measuring while scrolling would force a layout in each frame.
 */
function usePlace(grid: ListProps['grid']) {
  const [place, setPlace] = useState({ top: 0, rowHeight: innerWidth < 768 ? 64 : 44 })
  useEffect(() => {
    const observer = new ResizeObserver(() => {
      setPlace((before) => {
        const top = Math.round((grid.current?.getBoundingClientRect().top ?? 0) + scrollY)
        const rowHeight =
          grid.current?.querySelector<HTMLElement>('.tx-rows > .tx-row:not(.tx-edited)')
            ?.offsetHeight ?? before.rowHeight
        return top === before.top && rowHeight === before.rowHeight ? before : { top, rowHeight }
      })
    })
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [grid])
  return place
}

type Anchor = { id: string, start: number }

/**
 * Keeps the rows in sight at their place when other users add or remove rows above them. At the top
 * of the page new rows appear instead, unless a row is edited.
 * @param find returns the row to keep
 * @param startOf returns the offset of a row in the page
 */
function useKeptPlace(
  rows: ListProps['rows'],
  find: () => Anchor | undefined,
  startOf: (id: string) => number | undefined,
): void {
  const kept = useRef<{ rows: ListProps['rows'], anchor: Anchor | undefined }>({
    rows,
    anchor: undefined,
  })
  useLayoutEffect(() => {
    const { rows: before, anchor } = kept.current
    const start = anchor === undefined || before === rows ? undefined : startOf(anchor.id)
    if (anchor !== undefined && start !== undefined && start !== anchor.start)
      scrollBy(0, start - anchor.start)
    kept.current = { rows, anchor: find() }
  })
}

export function List(props: ListProps) {
  const {
    grid,
    rows,
    names,
    hasMore,
    onEnd,
    isReadOnly,
    active,
    onActive,
    selected,
    onSelect,
    edited,
    editor,
    onEdit,
    onMenu,
    onReceipts,
    onFiles,
    onDelete,
    categorized,
    picker,
    onCategorize,
    days,
  } = props
  const { top, rowHeight } = usePlace(grid)
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: useCallback((index: number) => rowHeight + headingOf(days, rows[index]), [
      rowHeight,
      days,
      rows,
    ]),
    // the heading of a day is above its first row
    measureElement: (element: HTMLElement) =>
      element.offsetHeight + headingOf(days, rows[Number(element.dataset['index'])]),
    // a new function would measure every row again, in each frame
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: 12,
    scrollMargin: top,
    scrollPaddingStart: covered.top,
    scrollPaddingEnd: covered.bottom,
  })
  useEffect(() => {
    virtual.measure()
    // the edited row has a height of its own, which is compared with the estimate
    virtual.getVirtualItems()
    const editedRow = grid.current?.querySelector<HTMLElement>('.tx-edited')
    if (editedRow != null) virtual.measureElement(editedRow)
  }, [virtual, rowHeight, grid])
  const items = virtual.getVirtualItems()
  const lastInSight = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (hasMore && lastInSight >= rows.length - 80) onEnd()
  }, [hasMore, lastInSight, rows.length, onEnd])

  useKeptPlace(
    rows,
    () => {
      const at = items.findIndex(({ key }) => key === edited)
      const visibleFrom = (virtual.scrollOffset ?? 0) + covered.top
      // the edited row has a height that changes, so the one above it is kept
      const item = at >= 0
        ? items[Math.max(0, at - 1)]
        : visibleFrom > top
        ? items.find(({ start }) => start >= visibleFrom)
        : undefined
      return item && { id: String(item.key), start: item.start }
    },
    (id) => virtual.measurementsCache[rows.findIndex((row) => row.id === id)]?.start,
  )

  /** Loaded halves by their transfers. */
  const halves = useMemo(() => {
    const all = new Map<string, Transaction[]>()
    for (const row of rows)
      if (row.transfer_id !== null)
        all.set(row.transfer_id, [...all.get(row.transfer_id) ?? [], row])
    return all
  }, [rows])
  const otherHalf = ({ id, transfer_id }: Transaction) =>
    names.accounts.get(
      halves.get(transfer_id ?? '')?.find((half) => half.id !== id)?.account_id ?? '',
    )

  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey)
      return
    const at = rows.findIndex(({ id }) => id === active)
    const by = step[event.key]
    const row = rows[at]
    if (by !== undefined) {
      const to = Math.max(0, Math.min(rows.length - 1, at + by))
      const next = rows[to]
      if (next !== undefined) onActive(next.id)
      virtual.scrollToIndex(to)
    } else if (event.key === 'r' && row !== undefined) onReceipts(row)
    else if (isReadOnly) return
    else if ((event.key === 'Enter' || event.key === 'e') && row !== undefined) onEdit(row.id)
    else if (event.key === 'c') onCategorize()
    else if (event.key === 'm' && row !== undefined) {
      const button = grid.current?.querySelector(`#tx-${CSS.escape(row.id)} .tx-menu button`)
      if (button != null) onMenu(row, button)
    } else if (event.key === ' ' && row !== undefined) onSelect([row.id])
    else if (event.key === 'Delete' || event.key === 'Backspace') onDelete()
    else if (event.key === 'Escape') onSelect([...selected])
    else return
    event.preventDefault()
  }

  const isFileDrag = ({ dataTransfer: { types } }: DragEvent) =>
    !isReadOnly && types.includes('Files')
  const drop = (event: DragEvent) => {
    if (!isFileDrag(event)) return
    event.preventDefault()
    const index = event.target instanceof Element
      ? event.target.closest<HTMLElement>('.tx-rows > [data-index]')?.dataset['index']
      : undefined
    const row = index === undefined ? undefined : rows[Number(index)]
    if (row !== undefined && event.dataTransfer.files.length > 0)
      onFiles(row, event.dataTransfer.files)
  }

  return (
    <div
      ref={grid}
      role='grid'
      className={`${isReadOnly ? 'tx-grid tx-grid-read' : 'tx-grid'} ${
        days === null ? 'tx-grid-dates' : 'tx-grid-days'
      }`}
      tabIndex={0}
      aria-label={common.transactions}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-multiselectable={!isReadOnly}
      aria-activedescendant={items.some(({ key }) => key === active) ? `tx-${active}` : undefined}
      onKeyDown={press}
      onDragOver={(event) => isFileDrag(event) && event.preventDefault()}
      onDrop={drop}
      onFocus={({ target, currentTarget }) => {
        // measured now, because the list may have moved since it was rendered
        const above = top -
          (currentTarget.querySelector('.tx-rows')?.getBoundingClientRect().top ?? 0)
        const first = items.find(({ start, index }) =>
          start + headingOf(days, rows[index]) - above >= covered.top
        ) ?? items[0]
        if (
          target === currentTarget && first !== undefined &&
          !items.some(({ key }) => key === active)
        ) onActive(String(first.key))
      }}
    >
      <Head {...props} />
      <div role='rowgroup' className='tx-rows' style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          const day = days?.get(row.id)
          return (
            <Fragment key={row.id}>
              {day !== undefined && <DayHeading day={day} offset={start - top} />}
              <Row
                row={row}
                names={names}
                otherHalf={otherHalf(row)}
                hasDate={days === null}
                index={index}
                offset={start - top + headingOf(days, row)}
                isActive={row.id === active}
                isSelected={selected.has(row.id)}
                onActive={onActive}
                onSelect={isReadOnly ? null : onSelect}
                onEdit={onEdit}
                onMenu={onMenu}
                onReceipts={onReceipts}
                editor={row.id === edited ? editor : null}
                picker={row.id === categorized ? picker : null}
                measure={virtual.measureElement}
              />
            </Fragment>
          )
        })}
      </div>
    </div>
  )
}

/** A day above its rows, with its sums. */
function DayHeading({ day: { day, sums }, offset }: { day: Day, offset: number }) {
  return (
    <div role='row' className='tx-day' style={{ transform: `translateY(${offset}px)` }}>
      <span role='rowheader' className='tx-day-name'>{formatDayInWords(day, today())}</span>
      <span role='gridcell' className='tx-day-sums'>
        {sums?.map(({ currency, sum }) => (
          <Amount
            key={currency}
            value={sum}
            currency={currency}
          />
        ))}
      </span>
    </div>
  )
}

const columns = [
  { title: m.date, place: 'tx-date', column: 'transaction_date' },
  { title: common.name, place: 'tx-name', column: 'name' },
  { title: common.category, place: 'tx-category', column: null },
  { title: common.account, place: 'tx-account', column: null },
  { title: common.amount, place: 'tx-amount', column: 'amount' },
] as const

const Head = memo(
  function Head(
    { rows, days, sort, isSortable, onSort, isReadOnly, selected, onSelect }: ListProps,
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
