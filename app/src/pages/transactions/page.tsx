import { Menu } from '@base-ui/react/menu'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useReducer, useRef } from 'react'
import { MenuPopup } from '../../shell/menus.tsx'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useTransactionChanges } from '../../data/transactions/changes.ts'
import { isFiltered, type TransactionView } from '../../data/transactions/filters.ts'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { EmptyState, ErrorNote, PageHead, Skeleton } from '../../parts/ui.tsx'
import { BulkBar, TotalsBar } from './bars.tsx'
import { Dialogs } from './dialogs.tsx'
import { EditableList } from './editable-list.tsx'
import { useEditedRow } from './edited-row.ts'
import { useExport } from './export.ts'
import { Filters } from './filters.tsx'
import { useKeys } from '../../shell/keys.ts'
import { detailedId, initialState, type ListState, reduceList } from './list-state.ts'
import {
  closeDialog,
  deselect,
  type Listing,
  removeChosen,
  removeRows,
  useFiltering,
  useReopenedForms,
  useRowHandlers,
} from './listing.ts'
import { RowMenu } from './row-menu.tsx'
import { useTransactionList } from './use-list.ts'
import './transactions.css'

const route = getRouteApi('/inside/transactions')

export function Page() {
  const { context } = useSessionContext()
  // a selection or an open form does not move to another context
  return <Transactions key={context.key} />
}

function Transactions() {
  const view = route.useSearch()
  const loaded = useTransactionList(view)
  const { list, names, categories, accounts, tags, isSortable, isLoading } = loaded
  const changes = useTransactionChanges()
  const exporting = useExport(list, names)
  const [state, dispatch] = useReducer(reduceList, initialState)
  const { rows, editedRow, isGone } = useEditedRow(loaded.rows, state.edited)
  const detailed = useEditedRow(loaded.rows, detailedId(state))
  const grid = useRef<HTMLDivElement>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const chosen = rows.filter(({ id }) => state.selected.has(id))
  const listing: Listing = { rows, chosen, state, dispatch, changes, grid }
  const filter = useFiltering(dispatch)
  const handlers = useRowHandlers(dispatch)
  useReopenedForms(loaded, dispatch)
  useKeys({ '/': () => searchField.current?.focus() })
  const open = (dialog: ListState['dialog']) => dispatch({ type: 'open', dialog })
  return (
    <div>
      <PageHead title={common.transactions}>
        <PageMenu {...{ view, list }} onOpen={open} onExport={exporting.begin} />
      </PageHead>
      {exporting.progress !== null && <p role='status'>{m.exporting(exporting.progress)}</p>}
      <Filters
        {...{ view, categories, accounts, tags, searchField, isSortable }}
        onChange={filter}
      />
      <ErrorNote error={loaded.error} />
      {isLoading && <Skeleton rows={12} />}
      {loaded.isEmpty && <NoRows view={view} />}
      {rows.length > 0 && (
        <EditableList
          {...{ listing, view, loaded, handlers, editedRow, isGone }}
          onFilter={filter}
        />
      )}
      {rows.length > 0 && <Bar {...{ listing, loaded }} onOpen={open} />}
      <RowMenu
        place={handlers.menuPlace}
        onOpen={open}
        onEdit={handlers.edit}
        onDelete={(row) => removeRows(listing, [row])}
        onClose={handlers.closeMenu}
        focusList={() => grid.current}
      />
      <Dialogs
        dialog={state.dialog}
        now={detailed.editedRow}
        isGone={detailed.isGone}
        {...{ accounts, categories, changes }}
        onClose={() => closeDialog(listing)}
      />
    </div>
  )
}

type PageMenuProps = {
  view: TransactionView
  list: ReturnType<typeof useTransactionList>['list']
  onOpen: (dialog: ListState['dialog']) => void
  onExport: () => void
}

/** The steps of the whole list. */
function PageMenu({ view, list, onOpen, onExport }: PageMenuProps) {
  const { rights } = useSessionContext()
  return (
    <Menu.Root>
      <Menu.Trigger>{m.more}</Menu.Trigger>
      <MenuPopup>
        {rights.write && (
          <Menu.Item className='menu-item' onClick={() => onOpen('transfer')}>
            {m.transferBetweenAccounts}
          </Menu.Item>
        )}
        {rights.write && view.parent === undefined &&
          (view.category === undefined || view.category === 'none') && (
          <Menu.Item
            className='menu-item'
            onClick={() => onOpen({ suggestFor: list })}
          >
            {m.suggestCategories}
          </Menu.Item>
        )}
        <Menu.Item className='menu-item' onClick={onExport}>{m.exportCsv}</Menu.Item>
      </MenuPopup>
    </Menu.Root>
  )
}

/** The placeholder of a list without rows, with the way to all rows if filters hide them. */
function NoRows({ view }: { view: TransactionView }) {
  const { rights } = useSessionContext()
  const navigate = useNavigate({ from: '/transactions' })
  if (!isFiltered(view))
    return <EmptyState>{rights.write ? m.empty : m.emptyForViewers}</EmptyState>
  return (
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
}

type BarProps = {
  listing: Listing
  loaded: ReturnType<typeof useTransactionList>
  onOpen: (dialog: ListState['dialog']) => void
}

/** The actions of the selected rows, otherwise the totals. */
function Bar({ listing, loaded: { hasMore, categories, totals }, onOpen }: BarProps) {
  const { rows, chosen, changes: { change } } = listing
  return chosen.length > 0
    ? (
      <BulkBar
        rows={chosen}
        isMoreThere={hasMore && chosen.length === rows.length}
        categories={categories}
        isBusy={change.isPending}
        onChange={(values) => change.mutate({ rows: chosen, values })}
        onSuggest={() => onOpen({ suggestFor: chosen })}
        onDelete={() => removeChosen(listing)}
        onClear={() => deselect(listing)}
      />
    )
    : (
      <TotalsBar
        totals={totals}
        hasTransfers={rows.some(({ transfer_id }) => transfer_id !== null)}
      />
    )
}
