/** The filters of the list: choices, removable labels, and the address that keeps them. */
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import type { Account } from '../../data/accounts.ts'
import { type Category, inFamilies, isParent, type Tag } from '../../data/categories.ts'
import {
  type TransactionView,
  type Sort,
  sides,
  statuses,
  usualSort,
} from '../../data/transactions/filters.ts'
import { formatDay } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Field } from '../../parts/form.tsx'

type FiltersProps = {
  view: TransactionView
  /** @param isTyping replaces the address instead of adding a history entry */
  onChange: (change: TransactionView, isTyping?: boolean) => void
  categories: readonly Category[]
  accounts: readonly Account[]
  tags: readonly Tag[]
  isSortable: boolean
  searchField: RefObject<HTMLInputElement | null>
}

/** Delay of the search while the user types. */
const debounceMs = 250

const sortNames: Record<Sort, string> = m.sorts

export function Filters(props: FiltersProps) {
  const { view, onChange, searchField } = props
  const [isOpen, setIsOpen] = useState(false)
  return (
    <section className='tx-filters' aria-label={m.filters}>
      <div className='tx-filters-line'>
        <Search view={view} onChange={onChange} searchField={searchField} />
        <button
          type='button'
          aria-expanded={isOpen}
          aria-controls='filter-choices'
          onClick={() => setIsOpen(!isOpen)}
        >
          {m.filter}
        </button>
      </div>
      <div id='filter-choices' hidden={!isOpen}>{isOpen && <Choices {...props} />}</div>
      <Labels {...props} />
    </section>
  )
}

/** Updates a field from the address, except while the user types in it. */
function useFollowing(field: RefObject<HTMLInputElement | null>, value = ''): void {
  useEffect(() => {
    if (field.current !== null && document.activeElement !== field.current)
      field.current.value = value
  }, [field, value])
}

function Search(
  { view, onChange, searchField }: Pick<FiltersProps, 'view' | 'onChange' | 'searchField'>,
) {
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  useEffect(() => () => clearTimeout(waiting.current), [])
  useFollowing(searchField, view.search)
  return (
    <input
      ref={searchField}
      type='search'
      className='tx-filters-search'
      aria-label={m.searchHint}
      placeholder={m.search}
      maxLength={200}
      defaultValue={view.search ?? ''}
      onChange={({ target }) => {
        clearTimeout(waiting.current)
        waiting.current = setTimeout(
          () => latest.current({ search: target.value.trim() || undefined }, true),
          debounceMs,
        )
      }}
    />
  )
}

function Choices({ view, onChange, categories, accounts, tags, isSortable }: FiltersProps) {
  const currencies = [
    ...new Set([
      ...accounts.map(({ currency }) => currency),
      ...view.currency === undefined ? [] : [view.currency],
      'usd',
      'eur',
    ]),
  ]
    .toSorted()
  const choose = (field: keyof TransactionView) => ({
    name: field,
    value: view[field] ?? '',
    onChange: (value: string) => onChange({ [field]: value || undefined }),
  })
  return (
    <div className='tx-filters-choices'>
      <CategoryChoice {...{ view, onChange, categories }} />
      <TypedChoice label={common.account} {...choose('account')} of={accounts} />
      <Choice label={m.tag} {...choose('tag')}>
        <option value=''>{m.any}</option>
        {tags.map(({ id, name }) => <option key={id} value={name}>{name}</option>)}
      </Choice>
      <Choice label={m.side} {...choose('side')}>
        <option value=''>{m.any}</option>
        {sides.map((side) => <option key={side} value={side}>{m.sides[side]}</option>)}
      </Choice>
      <Choice label={m.status} {...choose('status')}>
        <option value=''>{m.any}</option>
        {statuses.map((status) => (
          <option key={status} value={status}>{common.statuses[status]}</option>
        ))}
      </Choice>
      <Choice label={common.currency} {...choose('currency')}>
        <option value=''>{m.any}</option>
        {currencies.map((currency) => (
          <option key={currency} value={currency}>{currency.toUpperCase()}</option>
        ))}
      </Choice>
      <Day label={m.from} name='from' value={view.from} onChange={onChange} />
      <Day label={m.to} name='to' value={view.to} onChange={onChange} />
      <Choice label={m.sort} {...choose('sort')} value={view.sort ?? usualSort}>
        {Object.entries(sortNames).map(([sort, name]) => (
          <option
            key={sort}
            value={sort}
            disabled={!isSortable && !sort.endsWith('transaction_date')}
          >
            {name}
          </option>
        ))}
      </Choice>
    </div>
  )
}

/** The prefix of a choice that includes the subcategories. */
const withSubcategories = 'with '

/** A choice of one category, or of a parent with its subcategories. */
function CategoryChoice(
  { view, onChange, categories }: Pick<FiltersProps, 'view' | 'onChange' | 'categories'>,
) {
  const choose = (value: string) =>
    onChange(
      value.startsWith(withSubcategories)
        ? { category: undefined, parent: value.slice(withSubcategories.length) }
        : { category: value || undefined, parent: undefined },
    )
  const families = inFamilies(categories)
    .flatMap((category): Array<{ id: string, name: string, parent_id?: string | null }> =>
      isParent(category, categories) || category.id === view.parent
        ? [{ id: `${withSubcategories}${category.id}`, name: category.name }, {
          ...category,
          name: m.only(category.name),
          parent_id: `${withSubcategories}${category.id}`,
        }]
        : [{
          ...category,
          parent_id: category.parent_id && `${withSubcategories}${category.parent_id}`,
        }]
    )
  return (
    <TypedChoice
      label={common.category}
      name='category'
      value={view.parent === undefined ? view.category ?? '' : `${withSubcategories}${view.parent}`}
      onChange={choose}
      of={families}
    />
  )
}

type TypedChoiceProps = Omit<ChoiceProps, 'children'> & {
  of: ReadonlyArray<{ id: string, name: string, parent_id?: string | null }>
}

/** A choice by typing: any row, none, or one. */
const TypedChoice = ({ label, name, of, ...choice }: TypedChoiceProps) => (
  <Field {...{ label, name }}>
    {(control) => (
      <Combobox {...control} {...choice} none={m.any} of={[{ id: 'none', name: m.none }, ...of]} />
    )}
  </Field>
)

function Day(
  { label, name, value, onChange }: {
    label: string
    name: 'from' | 'to'
    value: string | undefined
    onChange: FiltersProps['onChange']
  },
) {
  const field = useRef<HTMLInputElement>(null)
  useFollowing(field, value)
  // an incomplete year is a day of long ago
  const choose = (day: string) =>
    (day === '' || day >= '1900') && onChange({ [name]: day || undefined })
  return (
    <Field {...{ label, name }}>
      {(control) => (
        <input
          {...control}
          type='date'
          ref={field}
          defaultValue={value}
          onChange={({ target }) => choose(target.value)}
        />
      )}
    </Field>
  )
}

type ChoiceProps = {
  label: string
  name: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

const Choice = ({ label, name, value, onChange, children }: ChoiceProps) => (
  <Field {...{ label, name }}>
    {(control) => (
      <select
        {...control}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {children}
      </select>
    )}
  </Field>
)

/** A button per filter that removes it. */
function Labels({ view, onChange, categories, accounts }: FiltersProps) {
  const named = (
    all: ReadonlyArray<{ id: string, name: string }>,
    id: string | undefined,
    none: string,
  ) =>
    id === undefined
      ? undefined
      : id === 'none'
      ? none
      : all.find((one) => one.id === id)?.name ?? '…'
  const category = named(categories, view.category, m.noCategory)
  const labels = {
    search: view.search === undefined ? undefined : `“${view.search}”`,
    category: categories.some((one) => one.id === view.category && isParent(one, categories))
      ? m.only(category ?? '')
      : category,
    parent: named(categories, view.parent, m.noCategory),
    account: named(accounts, view.account, m.noAccount),
    tag: view.tag === undefined ? undefined : `#${view.tag}`,
    side: view.side && m.sides[view.side],
    status: view.status && common.statuses[view.status],
    currency: view.currency?.toUpperCase(),
    from: view.from === undefined ? undefined : m.fromDay(formatDay(view.from)),
    to: view.to === undefined ? undefined : m.toDay(formatDay(view.to)),
  }
  const all = Object.entries(labels).filter(([, word]) => word !== undefined)
  if (all.length === 0) return null
  return (
    <ul className='tx-filter-words' aria-label={m.activeFilters}>
      {all.map(([field, word]) => (
        <li key={field}>
          <button
            type='button'
            className='tx-filter-word'
            aria-label={m.removeFilter(word ?? '')}
            onClick={() => onChange({ [field]: undefined })}
          >
            {word} <span aria-hidden='true'>×</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
