import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import type { Account } from '../../data/accounts.ts'
import { forecastQuery } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { addDays } from '../../locale/months.ts'
import { accounts as m } from '../../messages/accounts.ts'
import { Card } from '../../parts/ui.tsx'

/** Days to look ahead. */
const reach = 30

/** The lowest and the last expected balance of each account that changes in the next days. */
export function Forecast({ accounts }: { accounts: Account[] }) {
  const { context } = useSessionContext()
  const until = addDays(today(), reach)
  const { data = [] } = useQuery(forecastQuery(context, until))
  const changing = accounts.flatMap(({ id, name, currency }) => {
    const days = data.filter(({ account_id }) => account_id === id)
    const [lowest, last] = [days.find(({ is_lowest }) => is_lowest), days.at(-1)]
    const isSteady = days.every(({ reasons }) => reasons.length === 0)
    return lowest === undefined || last === undefined || isSteady
      ? []
      : [{ id, name, currency, lowest, last }]
  })
  if (changing.length === 0) return null
  return (
    <Card title={m.nextDays(reach)}>
      <ul>
        {changing.map(({ id, name, currency, lowest, last }) => (
          <li key={id}>
            {m.lowestOn(name, formatAmount(lowest.balance, currency), formatDay(lowest.day))};{' '}
            {m.endsAt(formatAmount(last.balance, currency), formatDay(until))}.
          </li>
        ))}
      </ul>
    </Card>
  )
}
