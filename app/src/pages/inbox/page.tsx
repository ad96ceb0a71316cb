import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountsQuery } from '../../data/accounts.ts'
import { categoriesQuery } from '../../data/categories.ts'
import { differencesQuery, openQuery, useInboxChanges } from '../../data/inbox.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { inbox as m } from '../../messages/inbox.ts'
import { EmptyState, ErrorNote, PageHead, Skeleton } from '../../parts/ui.tsx'
import { itemsOf } from '../../data/inbox-items.ts'
import { useMemo } from 'react'
import { Sorting } from './sorting.tsx'
import './inbox.css'

export function Page() {
  const { rights } = useSessionContext()
  return rights.write ? <Open /> : (
    <>
      <PageHead title={m.inbox} />
      <EmptyState>{m.viewerHint}</EmptyState>
    </>
  )
}

function Open() {
  const { context, user } = useSessionContext()
  const open = useQuery(openQuery(context, user.id))
  const accounts = useQuery(accountsQuery(context))
  const categories = useQuery(categoriesQuery(context))
  const changes = useInboxChanges()
  const items = useMemo(
    () => open.data === undefined ? [] : itemsOf(open.data.judged, open.data.due),
    [open.data],
  )
  const isLoaded = open.data !== undefined && accounts.data !== undefined &&
    categories.data !== undefined
  const left = open.data?.judged.length ?? 0
  return (
    <>
      <PageHead title={m.inbox}>
        {changes.canTakeBack && (
          <button type='button' onClick={() => void changes.takeBack()}>{m.undo}</button>
        )}
      </PageHead>
      <ErrorNote error={open.error ?? accounts.error ?? categories.error} />
      <Differences />
      {!isLoaded && open.error === null && <Skeleton rows={8} />}
      {isLoaded && (
        <p className='inbox-progress' role='status'>
          {left > 0 || changes.sorted > 0
            ? m.reviewed(changes.sorted, changes.sorted + left)
            : null}
        </p>
      )}
      {isLoaded && (
        <Sorting
          key={context.key}
          items={items}
          accounts={accounts.data}
          categories={categories.data}
          changes={changes}
        />
      )}
      {isLoaded && left === 0 && (changes.sorted > 0
        ? (
          <div className='empty'>
            <h2>{m.allReviewed}</h2>
            <p>{m.allReviewedText}</p>
            <Link to='/'>{m.viewMonth}</Link>
          </div>
        )
        : <EmptyState action={<Link to='/import'>{m.importFile}</Link>}>{m.empty}</EmptyState>)}
    </>
  )
}

/** The accounts that differ from the bank. */
function Differences() {
  const { context } = useSessionContext()
  const { data: differences = [] } = useQuery(differencesQuery(context))
  if (differences.length === 0) return null
  return (
    <section className='inbox-differences' aria-label={m.differences}>
      {differences.map(({ accountId, name, amount, currency, since }) => (
        <p key={accountId}>
          {m.differs(name, formatAmount(amount, currency), formatDay(since))}{' '}
          <Link to='/accounts/$accountId/statements/$day' params={{ accountId, day: since }}>
            {m.reconcile}
          </Link>
        </p>
      ))}
    </section>
  )
}
