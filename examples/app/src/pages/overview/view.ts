/** What of the books the overview shows: a month, and a currency. Both are in the address, and survive a reload. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useHere } from '../../app/here.tsx'
import { accountsQuery, useUsualCurrency } from '../../data/accounts.ts'
import { currenciesQuery, hasRatesQuery } from '../../data/reports.ts'
import { today } from '../../locale/days.ts'
import { addMonths, monthOf } from '../../locale/months.ts'
import type { Search } from './search.ts'

/** How many months of the past, this one included, and of the future the cash flow shows. */
export const flowMonths = { periods: 6, upcoming: 3 }

export type View = {
  month: string
  /** Today. */
  now: string
  /** undefined until it is known what there is. */
  currency: string | undefined
  /** What the reports are told: the currency that all others are converted to, or null. */
  convertTo: string | null
  /** Of which currency the transactions behind a figure are; null for all of them. */
  only: string | null
}

export function useView() {
  const { context } = useHere()
  const search = useSearch({ from: '/inside/' })
  const navigate = useNavigate({ from: '/' })
  const now = today()
  const accounts = useQuery(accountsQuery(context))
  const used = useQuery(currenciesQuery(context, addMonths(monthOf(now), 1 - flowMonths.periods)))
  const rates = useQuery(hasRatesQuery(context))
  const usual = useUsualCurrency()
  const isKnown = accounts.data !== undefined && used.data !== undefined
  // the one that most was booked in comes first
  const booked = (used.data ?? []).toSorted((a, b) => b.count - a.count).map(({ currency }) => currency)
  const currencies = [...new Set([...booked, ...(accounts.data ?? []).map(({ currency }) => currency)])]
  const currency = search.convert ?? search.currency ?? (isKnown ? currencies[0] ?? usual : undefined)
  const view: View = {
    month: search.month ?? monthOf(now),
    now,
    currency,
    convertTo: search.convert ?? null,
    only: search.convert === undefined ? currency ?? null : null,
  }
  return {
    view,
    currencies,
    canConvert: rates.data === true,
    /** Whether nothing was ever entered; undefined until it is known. */
    isNew: isKnown ? currencies.length === 0 : undefined,
    showMonth: (month: string) => void navigate({ search: { ...search, month }, replace: true }),
    showCurrency: (chosen: Pick<Search, 'currency' | 'convert'>) =>
      void navigate({ search: { ...(search.month !== undefined && { month: search.month }), ...chosen }, replace: true }),
  }
}
