import { Menu } from '@base-ui/react/menu'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { accountsQuery } from '../../data/accounts.ts'
import { categoriesQuery } from '../../data/categories.ts'
import { tagsQuery } from '../../data/tags.ts'
import { useTransactionChanges } from '../../data/transaction-changes.ts'
import { isFiltered, type Shown, shownOf, usualSort } from '../../data/transaction-filters.ts'
import { totalsQuery, type Transaction, transactionPages } from '../../data/transactions.ts'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { MenuPopup } from '../../parts/menu.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { Details } from './details.tsx'
import { EditEntry, NewEntry } from './entry.tsx'
import { useExport } from './export.ts'
import { Filters } from './filters.tsx'
import { Keys, useKeys } from './keys.tsx'
import { List } from './list.tsx'
import { countOf, TotalsBar } from './totals.tsx'
import { TransferForm } from './transfer-form.tsx'
import './transactions.css'

const route = getRouteApi('/inside/transactions')

/** The most that one answer of the database holds; so many it puts into any order. */
const bounded = 10_000

const noRows: never[] = []

export function Page() {
  const { context } = useHere()
  // what was selected or begun in one context is not carried into another
  return <Transactions key={context.key} />
}

function Transactions() {
  const { context, user, rights } = useHere()
  const shown = route.useSearch()
  const navigate = route.useNavigate()
  const pages = useInfiniteQuery(transactionPages(context, user.id, shown))
  const totals = useQuery(totalsQuery(context, shown))
  const categories = useQuery(categoriesQuery(context)).data ?? noRows
  const accounts = useQuery(accountsQuery(context)).data ?? noRows
  const tags = useQuery(tagsQuery(context)).data ?? noRows
  const changes = useTransactionChanges()
  const [active, setActive] = useState<string | null>(null)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  /** The id of the row that is being changed; `new` is the line for the next. */
  const [edited, setEdited] = useState<string | null>(null)
  const [opened, setOpened] = useState<'transfer' | 'keys' | { details: Transaction } | null>(null)
  const grid = useRef<HTMLDivElement>(null)
  const searchField = useRef<HTMLInputElement>(null)

  const rows = useMemo(() => pages.data?.pages.flatMap((page) => page.rows) ?? noRows, [pages.data])
  const names = useMemo(() => ({
    categories: new Map(categories.map(({ id, name }) => [id, name])),
    accounts: new Map(accounts.map(({ id, name }) => [id, name])),
  }), [categories, accounts])
  const exporting = useExport(shown, names)
  const count = countOf(totals.data)
  const chosen = rows.filter(({ id }) => selected.has(id))

  const { fetchNextPage, isFetching } = pages
  const more = useCallback(() => {
    if (!isFetching) void fetchNextPage()
  }, [isFetching, fetchNextPage])
  // when all that was loaded is deleted, there is no end of the list to be seen that would ask for more
  const isEmptied = rows.length === 0 && pages.hasNextPage
  useEffect(() => {
    if (isEmptied) more()
  }, [isEmptied, more])
  const shorten = useRef(changes.shorten)
  useEffect(() => () => shorten.current(), [])

  const show = (change: Shown, isTyping = false) => {
    setSelected(new Set())
    void navigate({ search: (before) => shownOf({ ...before, ...change }), replace: isTyping, resetScroll: false })
  }
  /** Selects rows that are not selected, and the other way round. */
  const select = useCallback(
    (ids: readonly string[]) => setSelected((before) => new Set([...before].filter((id) => !ids.includes(id)).concat(ids.filter((id) => !before.has(id))))),
    [],
  )
  /** When what had the focus goes away, the keys are the list's again. */
  const focusList = () => requestAnimationFrame(() => grid.current?.focus({ preventScroll: true }))
  const leave = () => {
    setEdited(null)
    focusList()
  }
  const begin = () => {
    setEdited('new')
    scrollTo({ top: 0 })
  }
  const remove = () => {
    const gone = chosen.length > 0 ? chosen : rows.filter(({ id }) => id === active)
    if (gone.length === 0) return
    const at = rows.findIndex(({ id }) => id === gone[0]?.id)
    const ids = new Set(gone.map(({ id }) => id))
    setActive(rows.slice(at).find(({ id }) => !ids.has(id))?.id ?? null)
    setSelected(new Set())
    setOpened(null)
    changes.remove.mutate(gone)
    focusList()
  }
  useKeys({
    '/': () => searchField.current?.focus(),
    '?': () => setOpened('keys'),
    ...(rights.write && { n: begin }),
  })

  const editedRow = rows.find(({ id }) => id === edited)
  return (
    <div className='transactions'>
      <PageHead title='Transactions'>
        {rights.write && <button type='button' className='primary' onClick={begin}>New transaction</button>}
        <Menu.Root>
          <Menu.Trigger>More</Menu.Trigger>
          <MenuPopup>
            {rights.write && <Menu.Item className='menu-item' onClick={() => setOpened('transfer')}>Transfer between accounts</Menu.Item>}
            <Menu.Item className='menu-item' onClick={exporting.begin}>Export as CSV</Menu.Item>
            <Menu.Item className='menu-item' onClick={() => setOpened('keys')}>Keys</Menu.Item>
          </MenuPopup>
        </Menu.Root>
      </PageHead>
      {exporting.progress !== null && <p role='status'>{exporting.progress} rows are written…</p>}
      <Filters {...{ shown, categories, accounts, tags, searchField }} onChange={show} isBounded={count !== null && count <= bounded} />
      {edited === 'new' && <NewEntry changes={changes} onClose={leave} />}
      <ErrorNote error={pages.error ?? totals.error} />
      {(pages.isPending || (isEmptied && !pages.isError)) && <Skeleton rows={12} />}
      {pages.isSuccess && rows.length === 0 && !isEmptied && (isFiltered(shown)
        ? <EmptyState action={<button type='button' onClick={() => void navigate({ search: {} })}>Show all</button>}>Nothing is like that.</EmptyState>
        : <EmptyState>{rights.write ? 'No transaction yet. Press n, or “New transaction”, and write the first.' : 'No transaction yet.'}</EmptyState>)}
      {rows.length > 0 && (
        <List
          {...{ grid, rows, names, active, selected, edited }}
          hasMore={pages.hasNextPage}
          onEnd={more}
          sort={shown.sort ?? usualSort}
          isBounded={count !== null && count <= bounded}
          onSort={(sort) => show({ sort: sort === usualSort ? undefined : sort })}
          isReadOnly={!rights.write}
          onActive={setActive}
          onSelect={select}
          editor={editedRow !== undefined && (
            <EditEntry
              key={editedRow.id}
              row={editedRow}
              changes={changes}
              onClose={leave}
              onDetails={() => setOpened({ details: editedRow })}
            />
          )}
          onEdit={setEdited}
          onDelete={remove}
        />
      )}
      {rows.length > 0 && (chosen.length > 0
        ? (
          <BulkBar
            rows={chosen}
            isMoreThere={pages.hasNextPage && chosen.length === rows.length}
            categories={categories}
            isBusy={changes.change.isPending}
            onChange={(values) => changes.change.mutate({ rows: chosen, values })}
            onDelete={remove}
            onClear={() => {
              setSelected(new Set())
              focusList()
            }}
          />
        )
        : <TotalsBar totals={totals.data} hasTransfers={rows.some(({ transfer_id }) => transfer_id !== null)} />)}
      {opened === 'keys' && <Keys isReadOnly={!rights.write} onClose={() => setOpened(null)} />}
      {opened === 'transfer' && <TransferForm accounts={accounts} changes={changes} onClose={() => setOpened(null)} />}
      {opened !== null && typeof opened === 'object' && 'details' in opened && (
        <Details
          row={opened.details}
          categories={categories}
          changes={changes}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  )
}
