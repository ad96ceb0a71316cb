/** The selected item: the suggestion with its reason, its rows, and what the user can do. */
import { Link } from '@tanstack/react-router'
import type { Category } from '../../data/categories.ts'
import { type InboxItem, isAcceptable } from '../../data/inbox-items.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { formatDay } from '../../locale/days.ts'
import { inbox as m } from '../../messages/inbox.ts'
import { Amount } from '../../parts/ui.tsx'
import { ChooseCategory } from './choose-category.tsx'
import { acceptNameOf, type Names, textOf } from './item-text.ts'

type ItemDetailProps = {
  item: InboxItem
  names: Names
  categories: readonly Category[]
  onAccept: () => void
  onFile: (categoryId: string) => void
  onLeave: () => void
}

const shownRows = 50

export function ItemDetail(
  { item, names, categories, onAccept, onFile, onLeave }: ItemDetailProps,
) {
  const { title, answer, reason } = textOf(item, names)
  return (
    <section className='inbox-detail' aria-labelledby='inbox-detail'>
      <h2 id='inbox-detail'>{title}</h2>
      <p className='inbox-answer'>{answer ?? m.noSuggestion}</p>
      {reason !== null && <p className='field-note'>{reason}</p>}
      {isAcceptable(item) && (
        <div className='buttons'>
          <button type='button' className='primary' onClick={onAccept}>{acceptNameOf(item)}</button>
        </div>
      )}
      <ChooseCategory
        key={item.key}
        categories={categories}
        initial={item.kind === 'payee' ? item.categoryId : null}
        onFile={onFile}
        onLeave={onLeave}
      />
      <ul className='list'>
        {item.rows.slice(0, shownRows).map((row) => (
          <li key={row.id}>
            <span>
              {row.name}
              <small>
                {[formatDay(dayOf(row)), names.account(row.account_id), row.description ?? '']
                  .filter(Boolean).join(', ')}
              </small>
            </span>
            <Amount value={row.amount} currency={row.currency} />
          </li>
        ))}
      </ul>
      <Link
        to='/transactions'
        search={{ search: item.kind === 'payee' ? item.payee : item.rows[0].name }}
      >
        {m.showRows}
      </Link>
    </section>
  )
}
