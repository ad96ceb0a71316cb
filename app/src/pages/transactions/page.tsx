import { Menu } from '@base-ui/react/menu'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { startTransition, useCallback, useMemo, useReducer, useRef, useState } from 'react'
import { MenuPopup } from '../../shell/menus.tsx'
import { useReopenedDraft } from '../../shell/drafts.ts'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useCategoryCreation } from '../../data/categories.ts'
import { addFiles } from '../../data/uploads.ts'
import { useTransactionChanges } from '../../data/transactions/changes.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import {
  isFiltered,
  type TransactionView,
  viewOf,
  usualSort,
} from '../../data/transactions/filters.ts'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { EmptyState, ErrorNote, PageHead, Skeleton } from '../../parts/ui.tsx'
import { BulkBar, TotalsBar } from './bars.tsx'
import { daysOfRows } from './days.ts'
import { Dialogs } from './dialogs.tsx'
import { useEditedRow } from './edited-row.ts'
import { EditEntry } from '../../parts/entry.tsx'
import { useExport } from './export.ts'
import { Filters } from './filters.tsx'
import { useKeys } from '../../shell/keys.ts'
import { initialState, nextOf, reduceList } from './list-state.ts'
import { List } from './list.tsx'
import { type MenuPlace, RowMenu } from './row-menu.tsx'
import { useTransactionList } from './use-list.ts'
import './transactions.css'

const route = getRouteApi('/inside/transactions')

export function Page() {
  const { context } = useSessionContext()
  // a selection or an open form does not move to another context
  return <Transactions key={context.key} />
}

function Transactions() {
  const { context, rights } = useSessionContext()
  const view = route.useSearch()
  const navigate = useNavigate({ from: '/transactions' })
  const {
    list,
    rows: loaded,
    names,
    categories,
    accounts,
    tags,
    totals,
    isSortable,
    hasMore,
    loadMore,
    isLoading,
    isEmpty,
    error,
  } = useTransactionList(view)
  const changes = useTransactionChanges()
  const createCategory = useCategoryCreation()
  const exporting = useExport(list, names)
  const [{ active, selected, edited, categorized, dialog }, dispatch] = useReducer(
    reduceList,
    initialState,
  )
  const { rows, editedRow, isGone } = useEditedRow(loaded, edited)
  const grid = useRef<HTMLDivElement>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const isByDay = view.sort === undefined || view.sort.endsWith('transaction_date')
  // with a category only the parts that belong to it would count
  const hasSums = view.category === undefined && view.parent === undefined
  const days = useMemo(() => isByDay ? daysOfRows(rows, hasMore, hasSums) : null, [
    isByDay,
    rows,
    hasMore,
    hasSums,
  ])
  const chosen = rows.filter(({ id }) => selected.has(id))

  const show = (change: TransactionView, isTyping = false) => {
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
  const activate = useCallback((id: string) => dispatch({ type: 'activate', id }), [])
  const toggle = useCallback((ids: readonly string[]) => dispatch({ type: 'toggle', ids }), [])
  const edit = useCallback((id: string) => dispatch({ type: 'edit', id }), [])
  const showReceipts = useCallback(
    (row: Transaction) => dispatch({ type: 'open', dialog: { receipts: row } }),
    [],
  )
  const [menuPlace, setMenuPlace] = useState<MenuPlace | null>(null)
  const showMenu = useCallback(
    (row: Transaction, button: Element) => setMenuPlace({ row, button }),
    [],
  )
  useReopenedDraft('transaction', edit, !isLoading)
  useReopenedDraft(
    'transfer',
    () => dispatch({ type: 'open', dialog: 'transfer' }),
    accounts.length > 0,
  )
  useReopenedDraft('details', (id) => {
    const row = loaded.find((one) => one.id === id)
    if (row !== undefined) dispatch({ type: 'open', dialog: { details: row } })
  }, !isLoading)
  /** Returns the focus to the list when the focused element is removed. */
  const focusList = () => requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))
  const closeDialog = () => {
    dispatch({ type: 'open', dialog: null })
    if (edited === null) focusList()
  }
  const stopEditing = () => {
    dispatch({ type: 'stopEditing' })
    focusList()
  }
  const beginToCategorize = () => {
    if (chosen.length > 0)
      document.querySelector<HTMLInputElement>('.tx-bar-category input')?.focus()
    else if (rows.some(({ id, transfer_id }) => id === active && transfer_id === null))
      dispatch({ type: 'categorize', id: active })
  }
  const stopCategorizing = () => {
    dispatch({ type: 'categorize', id: null })
    // a later frame may already have the field of the next row
    grid.current?.focus({ preventScroll: true })
  }
  const categorize = (category: string) => {
    const at = rows.findIndex(({ id }) => id === categorized)
    const row = rows[at]
    // the next row is ready for the next choice
    dispatch({ type: 'categorized', next: rows[at + 1]?.id ?? null })
    grid.current?.focus({ preventScroll: true })
    if (row !== undefined && row.category_id !== (category || null))
      changes.change.mutate({ rows: [row], values: { category_id: category || null } })
  }
  const remove = () =>
    removeRows(chosen.length > 0 ? chosen : rows.filter(({ id }) => id === active))
  const removeRows = (removed: readonly Transaction[]) => {
    if (removed.length === 0) return
    dispatch({ type: 'removed', next: nextOf(rows, removed) })
    changes.remove.mutate(removed)
    focusList()
  }
  useKeys({ '/': () => searchField.current?.focus() })

  return (
    <div>
      <PageHead title={common.transactions}>
        <Menu.Root>
          <Menu.Trigger>{m.more}</Menu.Trigger>
          <MenuPopup>
            {rights.write && (
              <Menu.Item
                className='menu-item'
                onClick={() => dispatch({ type: 'open', dialog: 'transfer' })}
              >
                {m.transferBetweenAccounts}
              </Menu.Item>
            )}
            {rights.write && view.parent === undefined &&
              (view.category === undefined || view.category === 'none') && (
              <Menu.Item
                className='menu-item'
                onClick={() => dispatch({ type: 'open', dialog: { suggestFor: list } })}
              >
                {m.suggestCategories}
              </Menu.Item>
            )}
            <Menu.Item className='menu-item' onClick={exporting.begin}>{m.exportCsv}</Menu.Item>
          </MenuPopup>
        </Menu.Root>
      </PageHead>
      {exporting.progress !== null && <p role='status'>{m.exporting(exporting.progress)}</p>}
      <Filters {...{ view, categories, accounts, tags, searchField, isSortable }} onChange={show} />
      <ErrorNote error={error} />
      {isLoading && <Skeleton rows={12} />}
      {isEmpty && (isFiltered(view)
        ? (
          <EmptyState
            action={
              <button
                type='button'
                onClick={() => void navigate({ search: {} })}
              >
                {m.showAll}
              </button>
            }
          >
            {m.noMatches}
          </EmptyState>
        )
        : <EmptyState>{rights.write ? m.empty : m.emptyForViewers}</EmptyState>)}
      {rows.length > 0 && (
        <List
          {...{ grid, rows, days, names, active, selected, edited, hasMore, isSortable }}
          onEnd={loadMore}
          sort={view.sort ?? usualSort}
          onSort={(sort) => show({ sort: sort === usualSort ? undefined : sort })}
          isReadOnly={!rights.write}
          onActive={activate}
          onSelect={toggle}
          editor={editedRow !== undefined && (
            <EditEntry
              key={editedRow.id}
              row={editedRow}
              isGone={isGone}
              changes={changes}
              onClose={stopEditing}
              onDetails={() => dispatch({ type: 'open', dialog: { details: editedRow } })}
            />
          )}
          onEdit={edit}
          categorized={categorized}
          picker={
            <Combobox
              opens
              aria-label={common.category}
              of={categories}
              none={m.noCategory}
              value={rows.find(({ id }) => id === categorized)?.category_id ?? ''}
              onChange={categorize}
              onCreate={(name) =>
                createCategory(
                  name,
                  rows.some(({ id, amount }) => id === categorized && amount > 0),
                )}
              onClose={stopCategorizing}
            />
          }
          onCategorize={beginToCategorize}
          onReceipts={showReceipts}
          onMenu={showMenu}
          onFiles={(row, files) => {
            addFiles(context, row.id, files)
            showReceipts(row)
          }}
          onDelete={remove}
        />
      )}
      {rows.length > 0 && (chosen.length > 0
        ? (
          <BulkBar
            rows={chosen}
            isMoreThere={hasMore && chosen.length === rows.length}
            categories={categories}
            isBusy={changes.change.isPending}
            onChange={(values) => changes.change.mutate({ rows: chosen, values })}
            onSuggest={() => dispatch({ type: 'open', dialog: { suggestFor: chosen } })}
            onDelete={remove}
            onClear={() => {
              dispatch({ type: 'deselect' })
              focusList()
            }}
          />
        )
        : (
          <TotalsBar
            totals={totals}
            hasTransfers={rows.some(({ transfer_id }) => transfer_id !== null)}
          />
        ))}
      <RowMenu
        place={menuPlace}
        onOpen={(opened) => dispatch({ type: 'open', dialog: opened })}
        onEdit={edit}
        onDelete={(row) => removeRows([row])}
        onClose={() => setMenuPlace(null)}
        focusList={() => grid.current}
      />
      <Dialogs
        dialog={dialog}
        now={editedRow}
        {...{ isGone, accounts, categories, changes }}
        onClose={closeDialog}
      />
    </div>
  )
}
