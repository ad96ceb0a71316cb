/** The items of the inbox, one of which is active. Arrows move, Enter accepts, Space selects. */
import { useEffect, useRef } from 'react'
import { type InboxItem, isAcceptable } from '../../data/inbox-items.ts'
import { dayOf } from '../../data/transactions/day.ts'
import { sumOf } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { inbox as m } from '../../messages/inbox.ts'
import { Amount } from '../../parts/ui.tsx'
import { acceptNameOf, type Names, textOf } from './item-text.ts'

type ItemListProps = {
  items: readonly InboxItem[]
  names: Names
  active: string | null
  selected: ReadonlySet<string>
  onActivate: (key: string) => void
  onSelect: (key: string) => void
  onMove: (step: 1 | -1) => void
  onAccept: (item: InboxItem) => void
}

/** Later items follow when these are sorted, so that a large inbox stays quick. */
const shownItems = 100

function amountOf({ kind, rows }: InboxItem): { value: number, currency: string } {
  const currency = rows[0]?.currency ?? ''
  const counted = kind === 'transfer'
    ? rows.slice(1)
    : rows.filter((row) => row.currency === currency)
  return { value: sumOf(counted.map(({ amount }) => amount)), currency }
}

export function ItemList(
  { items, names, active, selected, onActivate, onSelect, onMove, onAccept }: ItemListProps,
) {
  const list = useRef<HTMLUListElement>(null)
  // the focus stays in the list when the active item is sorted
  useEffect(() => {
    const focused = document.activeElement
    const isFree = focused === null || focused === document.body ||
      list.current?.contains(focused) === true
    const button = list.current?.querySelector<HTMLElement>('[aria-current] .inbox-open')
    if (isFree) button?.focus()
    button?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const press = (event: React.KeyboardEvent) => {
    const item = items.find(({ key }) => key === active)
    const isOpener = event.target instanceof Element &&
      event.target.classList.contains('inbox-open')
    const actions: Record<string, () => void> = {
      ArrowDown: () => onMove(1),
      ArrowUp: () => onMove(-1),
      ...(isOpener && item !== undefined &&
        { Enter: () => onAccept(item), ' ': () => onSelect(item.key) }),
    }
    const action = actions[event.key]
    if (action === undefined) return
    event.preventDefault()
    action()
  }
  return (
    <div>
      <ul className='inbox-list' aria-label={m.items} ref={list} onKeyDown={press}>
        {items.slice(0, shownItems).map((item) => (
          <Item
            key={item.key}
            {...{ item, names, onActivate, onSelect, onAccept }}
            isActive={item.key === active}
            isSelected={selected.has(item.key)}
          />
        ))}
      </ul>
      {items.length > shownItems && (
        <p className='field-note'>{m.moreItems(items.length - shownItems)}</p>
      )}
    </div>
  )
}

type ItemProps = Pick<ItemListProps, 'names' | 'onActivate' | 'onSelect' | 'onAccept'> & {
  item: InboxItem
  isActive: boolean
  isSelected: boolean
}

/** An item with its suggestion. Only its opener is a stop of the tab key. */
function Item(
  { item, names, isActive, isSelected, onActivate, onSelect, onAccept }: ItemProps,
) {
  const { title, answer } = textOf(item, names)
  return (
    <li className='inbox-item' aria-current={isActive || undefined}>
      <label className='inbox-check'>
        <span className='unseen'>{m.select(title)}</span>
        <input
          type='checkbox'
          tabIndex={-1}
          checked={isSelected}
          onChange={() => onSelect(item.key)}
        />
      </label>
      <button
        type='button'
        className='inbox-open'
        tabIndex={isActive ? 0 : -1}
        onFocus={() => onActivate(item.key)}
        onClick={() => onActivate(item.key)}
      >
        <span className='inbox-title'>{title}</span>
        <small>
          {[
            item.rows[0] === undefined ? '' : formatDay(dayOf(item.rows[0])),
            answer ?? m.noSuggestion,
          ].join(' · ')}
        </small>
      </button>
      <Amount {...amountOf(item)} />
      {isAcceptable(item) && (
        <button
          type='button'
          className='quiet inbox-accept'
          tabIndex={-1}
          aria-label={`${acceptNameOf(item)}: ${title}`}
          onClick={() => onAccept(item)}
        >
          ✓
        </button>
      )}
    </li>
  )
}
