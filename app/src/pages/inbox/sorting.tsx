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
import { type Names, namesOf } from './item-text.ts'
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

/** The active item, and the steps to its neighbours. */
function useActive(items: SortingProps['items']) {
  const [chosen, setChosen] = useState<string | null>(null)
  const active = items.find(({ key }) => key === chosen) ?? items[0]
  const move = (step: 1 | -1) => setChosen(neighbourOf(items, active?.key ?? null, step))
  /** Activates the item after a sorted one. */
  const leave = (key: string) => {
    const next = neighbourOf(items, key, 1)
    setChosen(next === key ? neighbourOf(items, key, -1) : next)
  }
  return { active, activate: setChosen, move, leave }
}

/** The marked items that are still there. */
function useSelection(items: SortingProps['items']) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const selected = new Set(items.filter(({ key }) => marked.has(key)).map(({ key }) => key))
  const toggle = (key: string) =>
    setMarked(
      new Set(marked.has(key) ? [...marked].filter((other) => other !== key) : [...marked, key]),
    )
  return { selected, toggle, deselect: () => setMarked(new Set()) }
}

/** The rule that a correction offers. A declined payee gets no second offer. */
function useRuleOffer(always: SortingProps['changes']['always']) {
  const [offer, setOffer] = useState<Offer | null>(null)
  const [declined, setDeclined] = useState<ReadonlySet<string>>(new Set())
  const offerAfter = (item: InboxItem, categoryId: string) => {
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
  return { offer, offerAfter, makeRule, decline }
}

/** The decisions of the user, by buttons and by keys of the page. */
function useSorting(
  { items, changes: { file, always, takeBack } }: Pick<SortingProps, 'items' | 'changes'>,
  names: Names,
) {
  const navigate = useNavigate()
  const { active, activate, move, leave } = useActive(items)
  const { selected, toggle, deselect } = useSelection(items)
  const { offer, offerAfter, makeRule, decline } = useRuleOffer(always)
  const all = allOf(items, selected)

  const accept = (item: InboxItem) => {
    if (!isAcceptable(item)) return focusCategory()
    leave(item.key)
    file.mutate(acceptedOf([item], names.category))
  }
  const acceptAll = () => {
    if (all.length === 0) return
    file.mutate(acceptedOf(all, names.category))
    deselect()
  }
  const fileUnder = (item: InboxItem, categoryId: string) => {
    focusList()
    leave(item.key)
    file.mutate(filedUnder(item, categoryId, names.category(categoryId)))
    offerAfter(item, categoryId)
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
  const list = { active, activate, move, selected, toggle }
  return { ...list, all, accept, acceptAll, fileUnder, offer, makeRule, decline }
}

export function Sorting(props: SortingProps) {
  const { items, accounts, categories, changes } = props
  const names = useMemo(() => namesOf(accounts, categories), [accounts, categories])
  const { active, selected, all, offer, ...sorting } = useSorting(props, names)
  return (
    <>
      {offer !== null && (
        <RuleOffer
          key={offer.text}
          text={offer.text}
          category={names.category(offer.categoryId)}
          isBusy={changes.always.isPending}
          onYes={sorting.makeRule}
          onNo={sorting.decline}
        />
      )}
      {active !== undefined && (
        <>
          <div className='inbox-actions'>
            {all.length > 0 && (
              <button type='button' onClick={sorting.acceptAll}>
                {(selected.size > 0 ? m.acceptSelected : m.acceptCertain)(
                  all.flatMap(({ rows }) => rows).length,
                )}
              </button>
            )}
          </div>
          <div className='inbox'>
            <ItemList
              {...{ items, names, selected }}
              active={active.key}
              onActivate={sorting.activate}
              onSelect={sorting.toggle}
              onMove={sorting.move}
              onAccept={sorting.accept}
            />
            <ItemDetail
              item={active}
              names={names}
              categories={categories}
              onAccept={() => sorting.accept(active)}
              onFile={(categoryId) => sorting.fileUnder(active, categoryId)}
              onLeave={focusList}
            />
          </div>
        </>
      )}
    </>
  )
}
