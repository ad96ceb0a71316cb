import { type Budget, budgetsQuery, deleteBudget, deletePastBudget, type PastBudget, setBudget } from '../../data/budgets.ts'
import type { Category } from '../../data/categories.ts'
import { updateRow, updateRows, useChange } from '../../data/change.ts'
import { budgetComparisonQuery, type Comparison, everyCurrency } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { today } from '../../locale/days.ts'
import { daysOf, formatPeriod, monthOf } from '../../locale/months.ts'
import { budgets as m } from '../../messages/budgets.ts'
import { common } from '../../messages/common.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Checkbox, DateField, Form, Select, SubmitButton } from '../../parts/form.tsx'
import { AmountField, CurrencyField } from '../../parts/money-fields.tsx'
import { Action, ErrorNote } from '../../parts/ui.tsx'

type BudgetFormProps = {
  category: Category
  /** The currency of the opened row; null without a budget. */
  currency: string | null
  month: string
  /** The months of the page. */
  months: readonly string[]
  /** Budgets of these months, and default budgets. */
  budgets: Budget[]
  past: PastBudget[]
  onClose: () => void
}

type Values = { amount: number | null, currency: string | null, which: 'month' | 'every', starts_on: string, rollover: boolean }

/** Sets the budget of one month, or the default of all other months. */
export function BudgetForm({ category, currency, month, months, budgets, past, onClose }: BudgetFormProps) {
  const categoryBudgets = budgets.filter((budget) => budget.category_id === category.id && (budget.month === null || budget.month === month))
  const former = past.filter((budget) => budget.category_id === category.id)
  const same = categoryBudgets.filter((budget) => budget.currency === currency)
  const stored = same.find((budget) => budget.month !== null) ?? same[0]
  const save = useChange(setBudget, {
    optimistic: async (next, context, client) => {
      const before = categoryBudgets.find((budget) => budget.month === next.month && budget.currency === next.currency)
      // only the service computes carried amounts and replaced budgets
      if (before === undefined || before.rollover || next.rollover || categoryBudgets.length > 1) return null
      // a new default leaves former months unchanged
      if (next.month === null && (month < monthOf(today()) || next.starts_on !== before.starts_on)) return null
      const more = next.amount - before.amount
      const rollbacks = [
        await updateRow<Budget>(client, budgetsQuery(context, months).queryKey, before.id, { amount: next.amount }),
        await updateRows(
          client,
          budgetComparisonQuery(context, daysOf(month), everyCurrency).queryKey,
          (row: Comparison) =>
            row.category_id === category.id && row.currency === next.currency ? { ...row, budget: row.budget + more, difference: row.difference + more } : row,
        ),
      ]
      return () => rollbacks.map((rollback) => rollback())
    },
    outcome: ({ id }) => ({ text: m.isSet(category.name), undoOf: id }),
    onStored: onClose,
  })
  const submit = ({ amount, currency: chosen, which, starts_on, rollover }: Values) => {
    if (amount === null || chosen === null) return
    const holds = which === 'every' ? { month: null, starts_on: monthOf(starts_on) } : { month }
    save.mutate({ category_id: category.id, ...holds, amount, currency: chosen, rollover })
  }
  const defaultValues: Values = {
    amount: stored?.amount ?? (currency === category.budget_currency ? category.monthly_budget : null),
    currency,
    which: 'month',
    starts_on: same.find((budget) => budget.month === null)?.starts_on ?? monthOf(today()),
    rollover: stored?.rollover ?? false,
  }
  return (
    <Dialog title={m.budgetOf(category.name)} open={!save.isOptimistic} onClose={onClose}>
      <Form defaultValues={defaultValues} error={save.error} onSubmit={submit}>
        {({ watch }) => (
          <>
            <AmountField name='amount' label={common.amount} required />
            <CurrencyField />
            <Select name='which' label={m.for}>
              <option value='month'>{m.alone(formatPeriod(month, 'month'))}</option>
              <option value='every'>{m.everyMonthThatHasNone}</option>
            </Select>
            {watch('which') === 'every' && (
              <DateField
                name='starts_on'
                label={m.countsFrom}
                hint={m.theMonthOfThisDay}
                required
              />
            )}
            <Checkbox name='rollover'>{m.whatIsLeftIsCarried}</Checkbox>
            <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
          </>
        )}
      </Form>
      {(categoryBudgets.length > 0 || former.length > 0) && <BudgetList budgets={categoryBudgets} past={former} />}
    </Dialog>
  )
}

/** A budget with its words on the page. */
type Removed = { id: string, name: string }

/** Stored and former budgets, each with a button to remove it. */
function BudgetList({ budgets, past }: { budgets: Budget[], past: PastBudget[] }) {
  const remove = useChange((context, { id }: Removed) => deleteBudget(context, { id }), {
    outcome: (_, { id, name }) => ({ text: m.isRemoved(name), undoOf: id }),
  })
  const removePast = useChange((context, { id }: Removed) => deletePastBudget(context, { id }), {
    outcome: (_, { id, name }) => ({ text: m.isRemoved(name), undoOf: id }),
  })
  const isBusy = remove.isPending || removePast.isPending
  return (
    <>
      <h3>{m.asItIsNow}</h3>
      <ErrorNote error={remove.error ?? removePast.error} />
      <ul className='budget-stored'>
        {budgets.map((budget) => {
          const amount = formatAmount(budget.amount, budget.currency)
          const name = budget.month === null ? m.amountEveryMonth(amount) : m.in(amount, formatPeriod(budget.month, 'month'))
          return (
            <li key={budget.id}>
              {name}
              {budget.rollover && m.carriesOver}
              <Action name={common.remove} of={name} disabled={isBusy} onClick={() => remove.mutate({ id: budget.id, name })} />
            </li>
          )
        })}
        {past.map((budget) => {
          const until = formatPeriod(budget.until, 'month')
          const name = budget.amount === null ? m.noneBefore(until) : m.everyMonthBefore(formatAmount(budget.amount, budget.currency), until)
          return (
            <li key={budget.id}>
              {name}
              {budget.rollover && m.carriedOver}
              <Action name={common.remove} of={name} disabled={isBusy} onClick={() => removePast.mutate({ id: budget.id, name })} />
            </li>
          )
        })}
      </ul>
    </>
  )
}
