/** The virtual list: only rows in the viewport are rendered. */
import type { VirtualItem } from '@tanstack/react-virtual'
import {
  type DragEvent,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
} from 'react'
import type { Transaction } from '../../data/transactions/api.ts'
import { formatDayInWords, today } from '../../locale/days.ts'
import { Amount } from '../../parts/ui.tsx'
import type { Day } from './days.ts'
import { Head, type HeadProps } from './list-head.tsx'
import { type Names, Row } from './row.tsx'
import { type Anchor, covered, headingOf, useKeptPlace, useVirtualRows } from './virtual-rows.ts'
import { common } from '../../messages/common.ts'

type ListProps = HeadProps & {
  grid: RefObject<HTMLDivElement | null>
  names: Names
  /** Whether `onEnd` can load more rows. */
  hasMore: boolean
  onEnd: () => void
  active: string | null
  onActive: (id: string) => void
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

const step: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
}

/** Does the step of a key. Leaves keys of fields and of the browser alone. */
function pressKey(
  event: KeyboardEvent,
  { grid, rows, active, selected, isReadOnly, onActive, onSelect, ...on }: ListProps,
  scrollTo: (index: number) => void,
): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
  const at = rows.findIndex(({ id }) => id === active)
  const by = step[event.key]
  const row = rows[at]
  if (by !== undefined) {
    const to = Math.max(0, Math.min(rows.length - 1, at + by))
    const next = rows[to]
    if (next !== undefined) onActive(next.id)
    scrollTo(to)
  } else if (event.key === 'r' && row !== undefined) on.onReceipts(row)
  else if (isReadOnly) return
  else if ((event.key === 'Enter' || event.key === 'e') && row !== undefined) on.onEdit(row.id)
  else if (event.key === 'c') on.onCategorize()
  else if (event.key === 'm' && row !== undefined) {
    const button = grid.current?.querySelector(`#tx-${CSS.escape(row.id)} .tx-menu button`)
    if (button != null) on.onMenu(row, button)
  } else if (event.key === ' ' && row !== undefined) onSelect([row.id])
  else if (event.key === 'Delete' || event.key === 'Backspace') on.onDelete()
  else if (event.key === 'Escape') onSelect([...selected])
  else return
  event.preventDefault()
}

const isFileDrag = ({ dataTransfer: { types } }: DragEvent, { isReadOnly }: ListProps) =>
  !isReadOnly && types.includes('Files')

/** Adds dropped files to the row below the pointer. */
function dropFiles(event: DragEvent, props: ListProps): void {
  if (!isFileDrag(event, props)) return
  event.preventDefault()
  const index = event.target instanceof Element
    ? event.target.closest<HTMLElement>('.tx-rows > [data-index]')?.dataset['index']
    : undefined
  const row = index === undefined ? undefined : props.rows[Number(index)]
  if (row !== undefined && event.dataTransfer.files.length > 0)
    props.onFiles(row, event.dataTransfer.files)
}

/** Activates the first row in sight when the list gets the focus and no row in sight is active. */
function activateFirst(
  { target, currentTarget }: FocusEvent<HTMLElement>,
  { rows, days, active, onActive }: ListProps,
  items: readonly VirtualItem[],
  top: number,
): void {
  // measured now, because the list may have moved since it was rendered
  const above = top - (currentTarget.querySelector('.tx-rows')?.getBoundingClientRect().top ?? 0)
  const first =
    items.find(({ start, index }) => start + headingOf(days, rows[index]) - above >= covered.top) ??
      items[0]
  if (
    target === currentTarget && first !== undefined &&
    !items.some(({ key }) => key === active)
  ) onActive(String(first.key))
}

/** Returns the row that keeps its place. */
function anchorOf(
  items: readonly VirtualItem[],
  edited: string | null,
  scrollOffset: number,
  top: number,
): Anchor | undefined {
  const at = items.findIndex(({ key }) => key === edited)
  const visibleFrom = scrollOffset + covered.top
  // the edited row has a height that changes, so the one above it is kept
  const item = at >= 0
    ? items[Math.max(0, at - 1)]
    : visibleFrom > top
    ? items.find(({ start }) => start >= visibleFrom)
    : undefined
  return item && { id: String(item.key), start: item.start }
}

/** Returns a function that names the account of the other half of a transfer. */
function useOtherHalf({ rows, names }: ListProps) {
  /** Loaded halves by their transfers. */
  const halves = useMemo(() => {
    const all = new Map<string, Transaction[]>()
    for (const row of rows)
      if (row.transfer_id !== null)
        all.set(row.transfer_id, [...all.get(row.transfer_id) ?? [], row])
    return all
  }, [rows])
  return ({ id, transfer_id }: Transaction) =>
    names.accounts.get(
      halves.get(transfer_id ?? '')?.find((half) => half.id !== id)?.account_id ?? '',
    )
}

export function List(props: ListProps) {
  const { grid, rows, hasMore, onEnd, isReadOnly, active, edited, days } = props
  const { virtual, top } = useVirtualRows(grid, rows, days)
  const items = virtual.getVirtualItems()
  const lastInSight = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (hasMore && lastInSight >= rows.length - 80) onEnd()
  }, [hasMore, lastInSight, rows.length, onEnd])
  useKeptPlace(
    rows,
    () => anchorOf(items, edited, virtual.scrollOffset ?? 0, top),
    (id) => virtual.measurementsCache[rows.findIndex((row) => row.id === id)]?.start,
  )
  const otherHalf = useOtherHalf(props)
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
      onKeyDown={(event) => pressKey(event, props, (index) => virtual.scrollToIndex(index))}
      onDragOver={(event) => isFileDrag(event, props) && event.preventDefault()}
      onDrop={(event) => dropFiles(event, props)}
      onFocus={(event) => activateFirst(event, props, items, top)}
    >
      <Head {...props} />
      <div role='rowgroup' className='tx-rows' style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index]
          return row !== undefined && (
            <PlacedRow
              key={row.id}
              {...{ props, row, index }}
              offset={start - top}
              otherHalf={otherHalf(row)}
              measure={virtual.measureElement}
            />
          )
        })}
      </div>
    </div>
  )
}

type PlacedRowProps = {
  /** The list of the row. */
  props: ListProps
  row: Transaction
  index: number
  /** Pixels below the first row. */
  offset: number
  otherHalf: string | undefined
  measure: (row: HTMLElement | null) => void
}

/** A row at its place, below the heading of its day. */
function PlacedRow({ props, row, index, offset, otherHalf, measure }: PlacedRowProps) {
  const { days, isReadOnly, onSelect } = props
  const day = days?.get(row.id)
  return (
    <>
      {day !== undefined && <DayHeading day={day} offset={offset} />}
      <Row
        row={row}
        names={props.names}
        otherHalf={otherHalf}
        hasDate={days === null}
        index={index}
        offset={offset + headingOf(days, row)}
        isActive={row.id === props.active}
        isSelected={props.selected.has(row.id)}
        onActive={props.onActive}
        onSelect={isReadOnly ? null : onSelect}
        onEdit={props.onEdit}
        onMenu={props.onMenu}
        onReceipts={props.onReceipts}
        editor={row.id === props.edited ? props.editor : null}
        picker={row.id === props.categorized ? props.picker : null}
        measure={measure}
      />
    </>
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
