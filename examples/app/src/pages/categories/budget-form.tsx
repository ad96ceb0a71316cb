import { useState } from 'react'
import { type Budget, deleteBudget, setBudget } from '../../data/budgets.ts'
import type { Category } from '../../data/categories.ts'
import { useChange } from '../../data/change.ts'
import { budgetComparisonQuery, type Comparison, everyCurrency } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { daysOf, formatPeriod } from '../../locale/months.ts'
import { Action } from '../../parts/action.tsx'
import { AmountField } from '../../parts/amount-field.tsx'
import { CurrencyField } from '../../parts/currency-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Form, Select, SubmitButton, type Values } from '../../parts/form.tsx'

type BudgetFormProps = {
  category: Category /** Of the row that was opened; null where there is no budget yet. */
  currency: string | null
  month: string /** Those of the month, and those of every month. */
  budgets: Budget[]
  onClose: () => void
}

/** Sets the budget of a month alone, or of every month that has none of its own. */
export function BudgetForm({ category, currency, month, budgets, onClose }: BudgetFormProps) {
  const own = budgets.filter(({ category_id }) => category_id === category.id)
  const same = own.filter((budget) => budget.currency === currency)
  const stored = same.find((budget) => budget.month !== null) ?? same[0]
  const [amount, setAmount] = useState<number | null>(stored?.amount ?? (currency === category.budget_currency ? category.monthly_budget : null))
  const save = useChange(setBudget, onClose, (context, next) => {
    const former = own.find((budget) => budget.month === next.month && budget.currency === next.currency)
    // what is carried over the service says, and what another budget takes the place of
    if (former === undefined || former.rollover || next.rollover || own.length > 1) return null
    const more = next.amount - former.amount
    return {
      queryKey: budgetComparisonQuery(context, daysOf(month), everyCurrency).queryKey,
      change: (row: Comparison) =>
        row.category_id === category.id && row.currency === next.currency ? { ...row, budget: row.budget + more, difference: row.difference + more } : row,
    }
  })
  const submit = ({ text, optional, currency: currencyOf }: Values) => {
    if (amount === null) return
    save.mutate({
      category_id: category.id,
      month: text('which') === 'month' ? month : null,
      amount,
      currency: currencyOf('currency'),
      rollover: optional('rollover') !== null,
    })
  }
  return (
    <Dialog title={`Budget of ${category.name}`} open={!save.isAhead} onClose={onClose}>
      <Form error={save.error} onSubmit={submit}>
        <AmountField name='amount' label='Amount' value={amount} onChange={setAmount} required />
        <CurrencyField value={currency ?? undefined} />
        <Select name='which' label='For' defaultValue='month'>
          <option value='month'>{formatPeriod(month, 'month')} alone</option>
          <option value='every'>Every month that has none of its own</option>
        </Select>
        <label className='check'>
          <input type='checkbox' name='rollover' defaultChecked={stored?.rollover ?? false} /> What is left is carried over to the next month
        </label>
        <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
      </Form>
      {own.length > 0 && <BudgetList budgets={own} />}
    </Dialog>
  )
}

/** The budgets that there are, each of which may go. */
function BudgetList({ budgets }: { budgets: Budget[] }) {
  const remove = useChange(deleteBudget)
  return (
    <>
      <h3>As it is now</h3>
      <ErrorNote error={remove.error} />
      <ul className='budget-list'>
        {budgets.map((budget) => {
          const name = `${formatAmount(budget.amount, budget.currency)} ${budget.month === null ? 'every month' : `in ${formatPeriod(budget.month, 'month')}`}`
          return (
            <li key={budget.id}>
              {name}
              {budget.rollover && ', carries over'}
              <Action name='Remove' of={name} onClick={() => remove.mutate(budget)} />
            </li>
          )
        })}
      </ul>
    </>
  )
}
