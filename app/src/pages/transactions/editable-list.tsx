/** The list with the form of the edited row, and the field for the category of a row. */
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Category, useCategoryCreation } from '../../data/categories.ts'
import { addFiles } from '../../data/uploads.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import { type TransactionView, usualSort } from '../../data/transactions/filters.ts'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { EditEntry } from '../../parts/entry.tsx'
import { List } from './list.tsx'
import {
  beginToCategorize,
  categorize,
  type Listing,
  removeChosen,
  stopCategorizing,
  stopEditing,
  useDays,
  type useFiltering,
  type useRowHandlers,
} from './listing.ts'
import type { useTransactionList } from './use-list.ts'

type EditableListProps = {
  listing: Listing
  view: TransactionView
  loaded: ReturnType<typeof useTransactionList>
  handlers: ReturnType<typeof useRowHandlers>
  editedRow: Transaction | undefined
  /** Whether the edited row is no longer in the list. */
  isGone: boolean
  onFilter: ReturnType<typeof useFiltering>
}

export function EditableList(
  { listing, view, loaded, handlers, editedRow, isGone, onFilter }: EditableListProps,
) {
  const { context, rights } = useSessionContext()
  const { names, categories, hasMore, isSortable, loadMore } = loaded
  const { grid, rows, changes, dispatch, state: { active, selected, edited, categorized } } =
    listing
  const days = useDays(view, rows, hasMore)
  return (
    <List
      {...{ grid, rows, days, names, active, selected, edited, categorized, hasMore, isSortable }}
      onEnd={loadMore}
      sort={view.sort ?? usualSort}
      onSort={(sort) => onFilter({ sort: sort === usualSort ? undefined : sort })}
      isReadOnly={!rights.write}
      onActive={handlers.activate}
      onSelect={handlers.toggle}
      editor={editedRow !== undefined && (
        <EditEntry
          key={editedRow.id}
          row={editedRow}
          isGone={isGone}
          changes={changes}
          onClose={() => stopEditing(listing)}
          onDetails={() => dispatch({ type: 'open', dialog: { details: editedRow } })}
        />
      )}
      onEdit={handlers.edit}
      picker={<CategoryPicker listing={listing} categories={categories} />}
      onCategorize={() => beginToCategorize(listing)}
      onReceipts={handlers.showReceipts}
      onMenu={handlers.showMenu}
      onFiles={(row, files) => {
        addFiles(context, row.id, files)
        handlers.showReceipts(row)
      }}
      onDelete={() => removeChosen(listing)}
    />
  )
}

type CategoryPickerProps = { listing: Listing, categories: readonly Category[] }

/** The field in place of the category of a row. */
function CategoryPicker({ listing, categories }: CategoryPickerProps) {
  const createCategory = useCategoryCreation()
  const { rows, state: { categorized } } = listing
  return (
    <Combobox
      opens
      aria-label={common.category}
      of={categories}
      none={m.noCategory}
      value={rows.find(({ id }) => id === categorized)?.category_id ?? ''}
      onChange={(category) => categorize(listing, category)}
      onCreate={(name) =>
        createCategory(
          name,
          rows.some(({ id, amount }) => id === categorized && amount > 0),
        )}
      onClose={() => stopCategorizing(listing)}
    />
  )
}
