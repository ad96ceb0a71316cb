/** The steps that change the list: filters, the choice of categories, removals, and forms. */
import { useNavigate } from '@tanstack/react-router'
import {
  type Dispatch,
  type RefObject,
  startTransition,
  useCallback,
  useMemo,
  useState,
} from 'react'
import { useReopenedDraft } from '../../shell/drafts.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import type { TransactionChanges } from '../../data/transactions/changes.ts'
import { type TransactionView, viewOf } from '../../data/transactions/filters.ts'
import { daysOfRows } from './days.ts'
import { type ListAction, type ListState, nextOf } from './list-state.ts'
import type { MenuPlace } from './row-menu.tsx'

/** The rows of the page with their state, and the means to change both. */
export type Listing = {
  rows: readonly Transaction[]
  /** The selected rows. */
  chosen: readonly Transaction[]
  state: ListState
  dispatch: Dispatch<ListAction>
  changes: TransactionChanges
  grid: RefObject<HTMLDivElement | null>
}

/** Returns the days of the list; null if it has another order. */
export function useDays(view: TransactionView, rows: Listing['rows'], hasMore: boolean) {
  const isByDay = view.sort === undefined || view.sort.endsWith('transaction_date')
  // with a category only the parts that belong to it would count
  const hasSums = view.category === undefined && view.parent === undefined
  return useMemo(() => isByDay ? daysOfRows(rows, hasMore, hasSums) : null, [
    isByDay,
    rows,
    hasMore,
    hasSums,
  ])
}

/** Returns a function that changes the filters. @param isTyping replaces the address */
export function useFiltering(dispatch: Dispatch<ListAction>) {
  const navigate = useNavigate({ from: '/transactions' })
  return (change: TransactionView, isTyping = false) => {
    // the field shows its value before the list is drawn again
    startTransition(() => {
      dispatch({ type: 'deselect' })
      void navigate({
        search: (before) => viewOf({ ...before, ...change }),
        replace: isTyping,
        resetScroll: false,
      })
    })
  }
}

/** The handlers of rows. They stay the same, because a row renders again if one changes. */
export function useRowHandlers(dispatch: Dispatch<ListAction>) {
  const activate = useCallback((id: string) => dispatch({ type: 'activate', id }), [dispatch])
  const toggle = useCallback(
    (ids: readonly string[]) => dispatch({ type: 'toggle', ids }),
    [dispatch],
  )
  const edit = useCallback((id: string) => dispatch({ type: 'edit', id }), [dispatch])
  const showReceipts = useCallback(
    (row: Transaction) => dispatch({ type: 'open', dialog: { receipts: row } }),
    [dispatch],
  )
  const [menuPlace, setMenuPlace] = useState<MenuPlace | null>(null)
  const showMenu = useCallback(
    (row: Transaction, button: Element) => setMenuPlace({ row, button }),
    [],
  )
  const closeMenu = () => setMenuPlace(null)
  return { activate, toggle, edit, showReceipts, menuPlace, showMenu, closeMenu }
}

type Loaded = { rows: Listing['rows'], accounts: readonly unknown[], isLoading: boolean }

/** Opens the forms again that a reload has closed. */
export function useReopenedForms(
  { rows, accounts, isLoading }: Loaded,
  dispatch: Dispatch<ListAction>,
): void {
  useReopenedDraft('transaction', (id) => dispatch({ type: 'edit', id }), !isLoading)
  useReopenedDraft(
    'transfer',
    () => dispatch({ type: 'open', dialog: 'transfer' }),
    accounts.length > 0,
  )
  useReopenedDraft('details', (id) => {
    const row = rows.find((one) => one.id === id)
    if (row !== undefined) dispatch({ type: 'open', dialog: { details: row } })
  }, !isLoading)
}

/** Returns the focus to the list when the focused element is removed. */
const focusList = ({ grid }: Listing) =>
  requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))

export function closeDialog(listing: Listing): void {
  listing.dispatch({ type: 'open', dialog: null })
  if (listing.state.edited === null) focusList(listing)
}

export function stopEditing(listing: Listing): void {
  listing.dispatch({ type: 'stopEditing' })
  focusList(listing)
}

export function deselect(listing: Listing): void {
  listing.dispatch({ type: 'deselect' })
  focusList(listing)
}

/** Begins with the field of the bar for selected rows, otherwise with the active row. */
export function beginToCategorize(
  { rows, chosen, state: { active }, dispatch }: Listing,
): void {
  if (chosen.length > 0)
    document.querySelector<HTMLInputElement>('.tx-bar-category input')?.focus()
  else if (rows.some(({ id, transfer_id }) => id === active && transfer_id === null))
    dispatch({ type: 'categorize', id: active })
}

export function stopCategorizing({ dispatch, grid }: Listing): void {
  dispatch({ type: 'categorize', id: null })
  // a later frame may already have the field of the next row
  grid.current?.focus({ preventScroll: true })
}

/** @param category its id; empty for none */
export function categorize(
  { rows, state: { categorized }, dispatch, changes, grid }: Listing,
  category: string,
): void {
  const at = rows.findIndex(({ id }) => id === categorized)
  const row = rows[at]
  // the next row is ready for the next choice
  dispatch({ type: 'categorized', next: rows[at + 1]?.id ?? null })
  grid.current?.focus({ preventScroll: true })
  if (row !== undefined && row.category_id !== (category || null))
    changes.change.mutate({ rows: [row], values: { category_id: category || null } })
}

export function removeRows(listing: Listing, removed: readonly Transaction[]): void {
  if (removed.length === 0) return
  listing.dispatch({ type: 'removed', next: nextOf(listing.rows, removed) })
  listing.changes.remove.mutate(removed)
  focusList(listing)
}

/** Removes the selected rows, otherwise the active one. */
export function removeChosen(listing: Listing): void {
  const { rows, chosen, state: { active } } = listing
  removeRows(listing, chosen.length > 0 ? chosen : rows.filter(({ id }) => id === active))
}
