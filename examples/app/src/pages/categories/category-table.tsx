import { useSessionContext } from '../../app/session-context.tsx'
import type { Budget } from '../../data/budgets.ts'
import { type Category, inFamilies } from '../../data/categories.ts'
import type { Comparison } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import type { Days } from '../../locale/months.ts'
import { categories as m } from '../../messages/categories.ts'
import { common } from '../../messages/common.ts'
import { Action, ActionsHead, RowsLink } from '../../parts/ui.tsx'
import { BudgetBar, leftOf, transactionsOf } from '../../parts/reports/budgets.tsx'

type CategoryTableProps = {
  categories: Category[]
  compared: Comparison[]
  budgets: Budget[]
  days: Days
  passed: number
  /** @param currency null without a budget */
  onOpen: (dialog: 'edit' | 'budget' | 'delete', category: Category, currency: string | null) => void
}

/** Categories with their budgets of the month, one row per currency. */
export function CategoryTable({ categories, compared, budgets, days, passed, onOpen }: CategoryTableProps) {
  const { rights } = useSessionContext()
  const rows = inFamilies(categories).flatMap((category) => {
    const some: Array<Comparison | null> = compared.filter(({ category_id }) => category_id === category.id)
    return (some.length === 0 ? [null] : some).map((comparison, index) => ({ category, comparison, isFirst: index === 0 }))
  })
  return (
    <table className='stacking'>
      <thead>
        <tr>
          <th>{common.name}</th>
          <th className='amount'>{m.budget}</th>
          <th className='amount'>{m.spent}</th>
          <th className='amount'>{m.left}</th>
          {rights.write && <ActionsHead />}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ category, comparison, isFirst }) => (
          <tr key={`${category.id} ${comparison?.currency ?? ''}`}>
            <th scope='row'>
              <span>
                <span className='swatch' style={{ background: category.color ?? 'var(--line)' }} />
                {category.parent_id !== null && '– '}
                <RowsLink
                  {...transactionsOf(category.id, categories, compared)}
                  days={days}
                  currency={comparison?.currency}
                >
                  {category.name}
                </RowsLink>
                {category.kind === 'income' && <small>{m.kinds.income}</small>}
              </span>
              {comparison !== null && <BudgetBar budget={comparison.budget} actual={comparison.actual} passed={passed} />}
            </th>
            {comparison === null ?
              (
                <>
                  <td className='amount' data-label={m.budget}>{m.none}</td>
                  <td />
                  <td />
                </>
              ) :
              (
                <>
                  <td className='amount' data-label={m.budget}>
                    {formatAmount(comparison.budget, comparison.currency)}
                    <Kind budgets={budgets.filter(({ category_id, currency }) => category_id === category.id && currency === comparison.currency)} />
                  </td>
                  <td className='amount' data-label={m.spent}>{formatAmount(comparison.actual, comparison.currency)}</td>
                  <td className='amount' data-label={m.left}>{leftOf(comparison.difference, comparison.currency)}</td>
                </>
              )}
            {rights.write && (
              <td className='row-actions'>
                {isFirst && (
                  <>
                    <Action name={m.budget} of={m.of(category.name)} onClick={() => onOpen('budget', category, comparison?.currency ?? null)} />
                    <Action name={common.edit} of={category.name} onClick={() => onOpen('edit', category, comparison?.currency ?? null)} />
                    <Action name={common.delete} of={category.name} onClick={() => onOpen('delete', category, comparison?.currency ?? null)} />
                  </>
                )}
                {/* only the first row has the actions of the category */}
                {!isFirst && (
                  <Action
                    name={m.budget}
                    of={m.ofIn(category.name, comparison?.currency.toUpperCase() ?? '')}
                    onClick={() => onOpen('budget', category, comparison?.currency ?? null)}
                  />
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The source of a budget; nothing if it is the category's own. */
function Kind({ budgets }: { budgets: Budget[] }) {
  const budget = budgets.find(({ month }) => month !== null) ?? budgets[0]
  return budget !== undefined && <small>{budget.month === null ? m.everyMonth : m.thisMonthAlone}{budget.rollover && m.carriesOver}</small>
}
