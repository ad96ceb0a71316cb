import type { Reply } from 'finance-client'
import { Amount } from '../../parts/amount.tsx'

type Totals = Reply<'get_transaction_aggregate'>

export const countOf = (totals: Totals | undefined) => totals?.reduce((sum, { count }) => sum + count, 0) ?? null

/** What is shown, added up: currencies never with each other. */
export function TotalsBar({ totals, hasTransfers }: { totals: Totals | undefined, hasTransfers: boolean }) {
  const count = countOf(totals)
  if (totals === undefined || count === null) return <p className='tx-bar'>Adding up…</p>
  return (
    <div className='tx-bar' role='status' aria-label='Sum of what is shown'>
      <span title='Transfers between accounts are left out, and so is what has failed, unless you filter by status. In a category the parts count that are in it.'>
        Sum of {new Intl.NumberFormat().format(count)}
        {hasTransfers && ', transfers apart'}
      </span>
      <span className='tx-sums'>
        {totals.map(({ currency, value }) => (
          <strong key={currency}>
            <Amount value={value} currency={currency} />
          </strong>
        ))}
      </span>
    </div>
  )
}
