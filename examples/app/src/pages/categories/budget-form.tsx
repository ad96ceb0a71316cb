import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { type Budget, deleteBudget, deletePastBudget, type PastBudget, pastBudgetsQuery, setBudget } from '../../data/budgets.ts'
import type { Category } from '../../data/categories.ts'
import { useChange } from '../../data/change.ts'
import { budgetComparisonQuery, type Comparison, everyCurrency } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { today } from '../../locale/days.ts'
import { daysOf, formatPeriod, monthOf } from '../../locale/months.ts'
import { Action } from '../../parts/action.tsx'
import { AmountField } from '../../parts/amount-field.tsx'
import { CurrencyField } from '../../parts/currency-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { DateField, Form, Select, SubmitButton, type Values } from '../../parts/form.tsx'

type BudgetFormProps = {
  category: Category /** Of the row that was opened; null where there is no budget yet. */
  currency: string | null
  month: string /** Those of the month, and those of every month. */
  budgets: Budget[]
  onClose: () => void
}

/** Sets the budget of a month alone, or of every month that has none of its own. */
export function BudgetForm({ category, currency, month, budgets, onClose }: BudgetFormProps) {
  const { context: here } = useHere()
  const past = useQuery(pastBudgetsQuery(here, category.id))
  const own = budgets.filter(({ category_id }) => category_id === category.id)
  const same = own.filter((budget) => budget.currency === currency)
  const stored = same.find((budget) => budget.month !== null) ?? same[0]
  const every = same.find((budget) => budget.month === null)
  const [isEvery, setEvery] = useState(false)
  const [amount, setAmount] = useState<number | null>(stored?.amount ?? (currency === category.budget_currency ? category.monthly_budget : null))
  const save = useChange(setBudget, onClose, (context, next) => {
    const former = own.find((budget) => budget.month === next.month && budget.currency === next.currency)
    // what is carried over the service says, and what another budget takes the place of
    if (former === undefined || former.rollover || next.rollover || own.length > 1) return null
    // a change leaves the months before as they were
    if (next.month === null && (month < monthOf(today()) || next.starts_on !== former.starts_on)) return null
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
      ...(isEvery ? { month: null, starts_on: monthOf(text('starts_on')) } : { month }),
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
        <Select name='which' label='For' value={isEvery ? 'every' : 'month'} onChange={({ target }) => setEvery(target.value === 'every')}>
          <option value='month'>{formatPeriod(month, 'month')} alone</option>
          <option value='every'>Every month that has none of its own</option>
        </Select>
        {isEvery && (
          <DateField
            name='starts_on'
            label='Counts from'
            defaultValue={every?.starts_on ?? monthOf(today())}
            hint='The month of this day. Months before the current one stay as they were, unless you choose another month here.'
            required
          />
        )}
        <label className='check'>
          <input type='checkbox' name='rollover' defaultChecked={stored?.rollover ?? false} /> What is left is carried over to the next month
        </label>
        <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
      </Form>
      {(own.length > 0 || (past.data ?? []).length > 0) && <BudgetList budgets={own} past={past.data ?? []} />}
    </Dialog>
  )
}

/** Stored and former budgets, each with a button to remove it. */
function BudgetList({ budgets, past }: { budgets: Budget[], past: PastBudget[] }) {
  const remove = useChange(deleteBudget)
  const removePast = useChange(deletePastBudget)
  return (
    <>
      <h3>As it is now</h3>
      <ErrorNote error={remove.error ?? removePast.error} />
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
        {past.map((budget) => {
          const name = `${budget.amount === null ? 'None' : `${formatAmount(budget.amount, budget.currency)} every month`} before ${
            formatPeriod(budget.until, 'month')
          }`
          return (
            <li key={budget.id}>
              {name}
              {budget.rollover && ', carried over'}
              <Action name='Remove' of={name} onClick={() => removePast.mutate(budget)} />
            </li>
          )
        })}
      </ul>
    </>
  )
}
