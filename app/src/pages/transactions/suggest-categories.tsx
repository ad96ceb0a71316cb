/** The categories that the service suggests for rows without one. The user accepts each or all. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import type { Category } from '../../data/categories.ts'
import { type Suggestion, suggestionsFor } from '../../data/suggestions.ts'
import { type Listed, suggestedAtOnce, type Transaction } from '../../data/transactions/api.ts'
import { dayOf } from '../../data/transactions/day.ts'
import type { TransactionChanges } from '../../data/transactions/changes.ts'
import { formatDay } from '../../locale/days.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { Amount, ErrorNote } from '../../parts/ui.tsx'

type SuggestCategoriesProps = {
  /** The selected rows, or the list. */
  source: readonly Transaction[] | Listed
  categories: readonly Category[]
  changes: TransactionChanges
  onClose: () => void
}

/** The suggestions that the user has not declined. */
function useAccepted(all: Suggestion[]) {
  const [declined, setDeclined] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) =>
    setDeclined(
      new Set(declined.has(id) ? [...declined].filter((other) => other !== id) : [...declined, id]),
    )
  return { declined, setDeclined, toggle, accepted: all.filter(({ row }) => !declined.has(row.id)) }
}

export function SuggestCategories(
  { source, categories, changes: { categorize }, onClose }: SuggestCategoriesProps,
) {
  const { context } = useSessionContext()
  const suggestions = useQuery(suggestionsFor(context, source))
  const { declined, setDeclined, toggle, accepted } = useAccepted(suggestions.data ?? [])
  const close = () => {
    categorize.reset()
    onClose()
  }
  const store = () => {
    if (!categorize.isPending && accepted.length > 0)
      categorize.mutate(accepted, { onSuccess: close })
  }
  return (
    <Dialog title={m.suggestedCategories} open onClose={close}>
      {'view' in source && <p className='field-note'>{m.suggestionsLimit(suggestedAtOnce)}</p>}
      <QueryBoundary of={[suggestions]} empty={<p>{m.noSuggestions}</p>}>
        {(all) => (
          <>
            <label className='check'>
              <input
                type='checkbox'
                checked={accepted.length === all.length}
                onChange={({ target }) =>
                  setDeclined(new Set(target.checked ? [] : all.map(({ row }) => row.id)))}
              />
              {m.allSuggestions(all.length)}
            </label>
            <ul className='list'>
              {all.map((suggestion) => (
                <SuggestionItem
                  key={suggestion.row.id}
                  {...{ suggestion, categories }}
                  isAccepted={!declined.has(suggestion.row.id)}
                  onToggle={() => toggle(suggestion.row.id)}
                />
              ))}
            </ul>
            <ErrorNote error={categorize.error} />
            <div className='buttons'>
              <button
                type='button'
                className='primary'
                aria-disabled={categorize.isPending || accepted.length === 0}
                onClick={store}
              >
                {m.acceptSuggestions(accepted.length)}
              </button>
            </div>
          </>
        )}
      </QueryBoundary>
    </Dialog>
  )
}

type SuggestionItemProps = {
  suggestion: Suggestion
  categories: readonly Category[]
  isAccepted: boolean
  onToggle: () => void
}

/** A row with its suggested category and the reason. */
const SuggestionItem = (
  { suggestion: { row, categoryId, because }, categories, isAccepted, onToggle }:
    SuggestionItemProps,
) => (
  <li>
    <label className='check'>
      <input type='checkbox' checked={isAccepted} onChange={onToggle} />
      <span>
        {m.suggestedFor(
          row.name,
          categories.find(({ id }) => id === categoryId)?.name ?? '…',
        )}
        <small>{formatDay(dayOf(row))}</small>
        <small>{because}</small>
      </span>
    </label>
    <Amount value={row.amount} currency={row.currency} />
  </li>
)
