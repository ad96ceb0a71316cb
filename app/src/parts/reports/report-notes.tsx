import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { missingRatesQuery, type RateKey } from '../../data/exchange-rates.ts'
import type { Money } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { sumsByCurrency } from '../../locale/figures.ts'
import { common } from '../../messages/common.ts'
import { reports as m } from '../../messages/reports.ts'

type Noted = { currency: string, pending: number, left_out: number }

/**
 * Notes below a report: its pending part, and the amounts that it leaves out for lack of an
 * exchange rate.
 */
export function ReportNotes({ rows, money: { convertTo } }: { rows: Noted[], money: Money }) {
  const pending = sumsByCurrency(
    rows.map((row) => ({ amount: row.pending, currency: row.currency })),
  ).filter(({ sum }) => sum !== 0)
  const leftOut = rows.reduce((sum, row) => sum + row.left_out, 0)
  return (
    <>
      {pending.map(({ currency, sum }) => (
        <p key={currency}>
          <small>{m.pendingPart(formatAmount(Math.abs(sum), currency))}</small>
        </p>
      ))}
      {convertTo !== null && leftOut > 0 && <LeftOut count={leftOut} convertTo={convertTo} />}
    </>
  )
}

/** The number of amounts without a rate, with a link to the first missing rate. */
function LeftOut({ count, convertTo }: { count: number, convertTo: string }) {
  const { context } = useSessionContext()
  const first = useQuery(missingRatesQuery(context, convertTo)).data?.[0]
  return (
    <RateNote
      rate={first === undefined
        ? {}
        : { base: first.currency, quote: convertTo, on_date: first.day }}
    >
      {m.missingRates(count)}
    </RateNote>
  )
}

/** A note about a missing rate, with a link to its form. */
export const RateNote = ({ rate, children }: { rate: Partial<RateKey>, children: string }) => (
  <p role='status'>
    {children} <Link to='/exchange-rates' search={rate}>{common.exchangeRates}</Link>
  </p>
)
