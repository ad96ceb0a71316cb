/** The month and the currency of the overview, which are in the address. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountsQuery, useUsualCurrency } from '../../data/accounts.ts'
import { instanceRatesQuery, ratesQuery } from '../../data/exchange-rates.ts'
import { figuresQuery, type Money } from '../../data/reports.ts'
import { lastDay, today } from '../../locale/days.ts'
import { addMonths, monthOf } from '../../locale/months.ts'
import type { Search } from '../../shell/search.ts'

/** Months of the cash flow: past ones with the current one, and future ones. */
export const flowMonths = { periods: 6, upcoming: 3 }

export function useView() {
  const { context } = useSessionContext()
  const search = useSearch({ from: '/inside/' })
  const navigate = useNavigate({ from: '/' })
  const thisMonth = monthOf(today())
  const accounts = useQuery(accountsQuery(context))
  const used = useQuery(
    figuresQuery(context, 'count', {
      start: addMonths(thisMonth, 1 - flowMonths.periods),
      end: lastDay,
    }),
  )
  const rates = useQuery(ratesQuery(context, 1))
  const instanceRates = useQuery(instanceRatesQuery())
  const usual = useUsualCurrency()
  // offline there may be no rates, and the rest is seen without them
  const isKnown = accounts.data !== undefined && used.data !== undefined &&
    ![rates, instanceRates].some(({ isLoading }) => isLoading)
  const canConvert = (rates.data?.length ?? 0) + (instanceRates.data?.length ?? 0) > 0
  // the most frequent currency comes first
  const booked = (used.data ?? []).toSorted((a, b) => b.count - a.count).map(({ currency }) =>
    currency
  )
  const currencies = [
    ...new Set([
      ...booked,
      ...(accounts.data?.length ? [usual] : []),
      ...(accounts.data ?? []).map(({ currency }) => currency),
    ]),
  ]
  const usualOne = isKnown ? currencies[0] ?? usual : undefined
  const currency = search.convert ?? search.currency ?? usualOne
  // all currencies are in the figures if there are rates and the user has not chosen one
  const convertTo = search.convert ??
    (search.currency === undefined && currencies.length > 1 && canConvert ? usualOne ?? null : null)
  const money: Money = { currency, convertTo }
  return {
    month: search.month ?? thisMonth,
    money,
    currencies,
    canConvert,
    /** Whether the user has no data yet; undefined while loading. */
    isNew: isKnown ? currencies.length === 0 : undefined,
    showMonth: (month: string) => void navigate({ search: { ...search, month }, replace: true }),
    showCurrency: (chosen: Pick<Search, 'currency' | 'convert'>) =>
      void navigate({
        search: { ...(search.month !== undefined && { month: search.month }), ...chosen },
        replace: true,
      }),
  }
}
