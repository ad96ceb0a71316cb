import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHere } from '../../app/here.tsx'
import { budgetComparisonQuery } from '../../data/reports.ts'
import { formatMonth } from '../../locale/days.ts'
import { daysOf, passedOf } from '../../locale/months.ts'
import { BudgetTable } from '../../parts/charts/budget-table.tsx'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import type { View } from './view.ts'

/** What of the month's budgets is spent, with a mark where one should be today. */
export function BudgetCard({ view: { month, now, currency, convertTo, only } }: { view: View }) {
  const { context, rights } = useHere()
  const days = daysOf(month)
  const compared = useQuery(budgetComparisonQuery(context, days, convertTo))
  const rows = (compared.data ?? []).filter((row) => row.currency === currency)
  const passed = passedOf(days, now)
  return (
    <Card title='Budgets' note={passed > 0 && passed < 1 ? 'the mark is where today is' : undefined} queries={[compared]}>
      {() =>
        rows.length === 0
          ? (
            <EmptyState action={rights.write && <Link to='/categories'>Set a budget</Link>}>
              No category has a budget in {formatMonth(month)}.
            </EmptyState>
          )
          : <BudgetTable rows={rows} days={days} passed={passed} only={only} />}
    </Card>
  )
}
