/** The list and the selected item, with the keys of the page. */
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { Account } from '../../data/accounts.ts'
import type { Category } from '../../data/categories.ts'
import type { useInboxChanges } from '../../data/inbox.ts'
import { type InboxItem, isAcceptable, ruleTextOf } from '../../data/inbox-items.ts'
import { inbox as m } from '../../messages/inbox.ts'
import { useKeys } from '../../shell/keys.ts'
import { acceptedOf, allOf, filedUnder, neighbourOf } from './filing.ts'
import { ItemDetail } from './item-detail.tsx'
import { ItemList } from './item-list.tsx'
import { namesOf } from './item-text.ts'
import { RuleOffer } from './rule-offer.tsx'

type SortingProps = {
  items: readonly InboxItem[]
  accounts: readonly Account[]
  categories: readonly Category[]
  changes: ReturnType<typeof useInboxChanges>
}

type Offer = { payee: string, text: string, categoryId: string }

const focusCategory = () => document.querySelector<HTMLElement>('.inbox-choose input')?.focus()
const focusList = () => document.querySelector<HTMLElement>('[aria-current] .inbox-open')?.focus()

export function Sorting(
  { items, accounts, categories, changes: { file, always, takeBack } }: SortingProps,
) {
  const navigate = useNavigate()
  const names = useMemo(() => namesOf(accounts, categories), [accounts, categories])
  const [chosen, setChosen] = useState<string | null>(null)
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const [offer, setOffer] = useState<Offer | null>(null)
  const [declined, setDeclined] = useState<ReadonlySet<string>>(new Set())
  const active = items.find(({ key }) => key === chosen) ?? items[0]
  const selected = new Set(items.filter(({ key }) => marked.has(key)).map(({ key }) => key))
  const all = allOf(items, selected)

  const move = (step: 1 | -1) => setChosen(neighbourOf(items, active?.key ?? null, step))
  const toggle = (key: string) =>
    setMarked(
      new Set(marked.has(key) ? [...marked].filter((other) => other !== key) : [...marked, key]),
    )
  /** Activates the item after a sorted one. */
  const leave = (key: string) => {
    const next = neighbourOf(items, key, 1)
    setChosen(next === key ? neighbourOf(items, key, -1) : next)
  }
  const accept = (item: InboxItem) => {
    if (!isAcceptable(item)) return focusCategory()
    leave(item.key)
    file.mutate(acceptedOf([item], names.category))
  }
  const acceptAll = () => {
    if (all.length === 0) return
    file.mutate(acceptedOf(all, names.category))
    setMarked(new Set())
  }
  const fileUnder = (item: InboxItem, categoryId: string) => {
    focusList()
    leave(item.key)
    file.mutate(filedUnder(item, categoryId, names.category(categoryId)))
    const isCorrection = item.kind === 'payee' && item.categoryId !== categoryId &&
      !declined.has(item.payee)
    const name = item.rows[0]?.name
    if (isCorrection && name !== undefined)
      setOffer({ payee: item.payee, text: ruleTextOf(name), categoryId })
  }
  const makeRule = (text: string) => {
    if (offer === null || always.isPending) return
    always.mutate({ text, categoryId: offer.categoryId })
    setOffer(null)
    focusList()
  }
  const decline = () => {
    if (offer !== null) setDeclined(new Set([...declined, offer.payee]))
    setOffer(null)
    focusList()
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    a: () => active !== undefined && accept(active),
    c: focusCategory,
    t: () => active?.kind === 'transfer' && accept(active),
    s: () =>
      void (active?.rows[0] !== undefined &&
        navigate({ to: '/transactions', search: { search: active.rows[0].name } })),
    x: () => active !== undefined && toggle(active.key),
    A: acceptAll,
    y: () => offer !== null && makeRule(offer.text),
    u: () => void takeBack(),
  })
  return (
    <>
      {offer !== null && (
        <RuleOffer
          key={offer.text}
          text={offer.text}
          category={names.category(offer.categoryId)}
          isBusy={always.isPending}
          onYes={makeRule}
          onNo={decline}
        />
      )}
      {active !== undefined && (
        <>
          <div className='inbox-actions'>
            {all.length > 0 && (
              <button type='button' onClick={acceptAll}>
                {(selected.size > 0 ? m.acceptSelected : m.acceptCertain)(
                  all.flatMap(({ rows }) => rows).length,
                )}
              </button>
            )}
          </div>
          <div className='inbox'>
            <ItemList
              items={items}
              names={names}
              active={active.key}
              selected={selected}
              onActivate={setChosen}
              onSelect={toggle}
              onMove={move}
              onAccept={accept}
            />
            <ItemDetail
              item={active}
              names={names}
              categories={categories}
              onAccept={() => accept(active)}
              onFile={(categoryId) => fileUnder(active, categoryId)}
              onLeave={focusList}
            />
          </div>
        </>
      )}
    </>
  )
}
