/** The rows in the viewport, and the place of the list in the page. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Transaction } from '../../data/transactions/api.ts'
import type { Day } from './days.ts'

type Grid = RefObject<HTMLDivElement | null>
type Rows = readonly Transaction[]
/** The first row of each day, if the list is grouped by day. */
export type Days = ReadonlyMap<string, Day> | null

/** Heights of the bars at the edges of the window, in pixels. */
export const covered = { top: 64, bottom: 128 }

/** The height of a day's heading, in pixels, as the style sheet has it. */
const dayHeight = 44

/** Returns the height of the heading above a row. */
export const headingOf = (days: Days, row: Transaction | undefined): number =>
  row !== undefined && days?.has(row.id) === true ? dayHeight : 0

/**
 * Measures the position of the list and the common height of its rows when the page changes its
 * size. Measuring while scrolling would force a layout in each frame.
 */
function usePlace(grid: Grid) {
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

/** Renders only the rows in the viewport. Returns also the position of the list in the page. */
export function useVirtualRows(grid: Grid, rows: Rows, days: Days) {
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
  return { virtual, top }
}

export type Anchor = { id: string, start: number }

/**
 * Keeps the rows in sight at their place when other users add or remove rows above them. At the top
 * of the page new rows appear instead, unless a row is edited.
 * @param find returns the row to keep
 * @param startOf returns the offset of a row in the page
 */
export function useKeptPlace(
  rows: Rows,
  find: () => Anchor | undefined,
  startOf: (id: string) => number | undefined,
): void {
  const kept = useRef<{ rows: Rows, anchor: Anchor | undefined }>({
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
