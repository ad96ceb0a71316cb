/**
 * The state of the list: the active row, the selection, the edited row and the open dialog. Pure
 * functions.
 */
import type { Listed, Transaction } from '../../data/transactions/api.ts'

/** The part of the details that the user wants to change. */
export type Beginning = 'split' | 'transfer'

export type ListState = {
  active: string | null
  selected: ReadonlySet<string>
  /** The id of the edited row. */
  edited: string | null
  /** The id of the row that shows the field for its category. */
  categorized: string | null
  dialog:
    | 'transfer'
    | { details: Transaction, begin?: Beginning }
    | { copyOf: Transaction, isRefund: boolean }
    | { ruleFor: Transaction }
    | { receipts: Transaction }
    | { suggestFor: readonly Transaction[] | Listed }
    | null
}

export type ListAction =
  | { type: 'activate', id: string }
  /** Selects rows that are not selected, and the other way round. */
  | { type: 'toggle', ids: readonly string[] }
  | { type: 'deselect' }
  | { type: 'edit', id: string }
  | { type: 'stopEditing' }
  /** Chooses the category of a row in its place; null ends it. */
  | { type: 'categorize', id: string | null }
  /** The category of a row is chosen. `next` becomes the active row. */
  | { type: 'categorized', next: string | null }
  | { type: 'open', dialog: ListState['dialog'] }
  /** Rows are removed. `next` becomes the active row. */
  | { type: 'removed', next: string | null }

export const initialState: ListState = {
  active: null,
  selected: new Set(),
  edited: null,
  categorized: null,
  dialog: null,
}

/** Returns the id of the row whose details are open. */
export const detailedId = ({ dialog }: ListState): string | null =>
  dialog !== null && typeof dialog === 'object' && 'details' in dialog ? dialog.details.id : null

export function reduceList(state: ListState, action: ListAction): ListState {
  if (action.type === 'activate') return { ...state, active: action.id }
  if (action.type === 'deselect') return { ...state, selected: new Set() }
  if (action.type === 'edit') return { ...state, edited: action.id }
  if (action.type === 'stopEditing') return { ...state, edited: null }
  if (action.type === 'categorize') return { ...state, categorized: action.id }
  if (action.type === 'categorized')
    return { ...state, categorized: null, active: action.next ?? state.active }
  if (action.type === 'open') return { ...state, dialog: action.dialog }
  if (action.type === 'removed')
    return { ...state, active: action.next, selected: new Set(), dialog: null }
  const kept = [...state.selected].filter((id) => !action.ids.includes(id))
  return {
    ...state,
    selected: new Set([...kept, ...action.ids.filter((id) => !state.selected.has(id))]),
  }
}

/**
 * Returns the row that becomes active when rows are removed: the first remaining one after them.
 */
export function nextOf(
  rows: ReadonlyArray<{ id: string }>,
  removed: ReadonlyArray<{ id: string }>,
): string | null {
  const ids = new Set(removed.map(({ id }) => id))
  return rows.slice(rows.findIndex(({ id }) => ids.has(id))).find(({ id }) => !ids.has(id))?.id ??
    null
}
