import type { QueryClient } from '@tanstack/react-query'
import type { NewRow } from 'finance-client'
import {
  type Budget,
  budgetsQuery,
  deleteBudget,
  deletePastBudget,
  type PastBudget,
  setBudget,
} from '../../data/budgets.ts'
import type { Category } from '../../data/categories.ts'
import { updateRow, updateRows, useChange } from '../../data/change.ts'
import type { Context } from '../../data/client.ts'
import { budgetComparisonQuery, type Comparison, everyCurrency } from '../../data/reports.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { today } from '../../locale/days.ts'
import { daysOf, formatPeriod, monthOf } from '../../locale/months.ts'
import { budgets as m } from '../../messages/budgets.ts'
import { common } from '../../messages/common.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { DateField } from '../../parts/date-field.tsx'
import { Checkbox, Form, Select, SubmitButton } from '../../parts/form.tsx'
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

type Values = {
  amount: number | null
  currency: string | null
  which: 'month' | 'every'
  starts_on: string
  rollover: boolean
}

type Update = Pick<BudgetFormProps, 'category' | 'month' | 'months'> & {
  /** The budgets of the category that apply to the month. */
  categoryBudgets: Budget[]
  next: NewRow<'budgets'>
}

/**
 * Shows an amount before it is stored. Returns the rollback, or null if only the service can
 * compute the result.
 */
async function updateBudget(
  client: QueryClient,
  context: Context,
  { category, month, months, categoryBudgets, next }: Update,
) {
  const before = categoryBudgets.find((budget) =>
    budget.month === next.month && budget.currency === next.currency
  )
  // only the service computes carried amounts and replaced budgets
  if (before === undefined || before.rollover || next.rollover || categoryBudgets.length > 1)
    return null
  // a new default leaves former months unchanged
  if (next.month === null && (month < monthOf(today()) || next.starts_on !== before.starts_on))
    return null
  const more = next.amount - before.amount
  const rollbacks = [
    await updateRow<Budget>(client, budgetsQuery(context, months).queryKey, before.id, {
      amount: next.amount,
    }),
    await updateRows(
      client,
      budgetComparisonQuery(context, daysOf(month), everyCurrency).queryKey,
      (row: Comparison) =>
        row.category_id === category.id && row.currency === next.currency
          ? { ...row, budget: row.budget + more, difference: row.difference + more }
          : row,
    ),
  ]
  return () => rollbacks.map((rollback) => rollback())
}

/** Sets the budget of one month, or the default of all other months. */
export function BudgetForm(
  { category, currency, month, months, budgets, past, onClose }: BudgetFormProps,
) {
  const categoryBudgets = budgets.filter((budget) =>
    budget.category_id === category.id && (budget.month === null || budget.month === month)
  )
  const former = past.filter((budget) => budget.category_id === category.id)
  const budgetList = [...categoryBudgets.map(storedOf), ...former.map(formerOf)]
  const same = categoryBudgets.filter((budget) => budget.currency === currency)
  const stored = same.find((budget) => budget.month !== null) ?? same[0]
  const save = useChange(setBudget, {
    optimistic: (next, context, client) =>
      updateBudget(client, context, { category, month, months, categoryBudgets, next }),
    outcome: ({ id }) => ({ text: m.saved(category.name), undoOf: id }),
    onStored: onClose,
  })
  const submit = ({ amount, currency: chosen, which, starts_on, rollover }: Values) => {
    if (amount === null || chosen === null) return
    const holds = which === 'every' ? { month: null, starts_on: monthOf(starts_on) } : { month }
    save.mutate({ category_id: category.id, ...holds, amount, currency: chosen, rollover })
  }
  const defaultValues: Values = {
    amount: stored?.amount ??
      (currency === category.budget_currency ? category.monthly_budget : null),
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
            <Select name='which' label={m.appliesTo}>
              <option value='month'>{m.monthOnly(formatPeriod(month, 'month'))}</option>
              <option value='every'>{m.otherMonths}</option>
            </Select>
            {watch('which') === 'every' && (
              <DateField
                name='starts_on'
                label={m.startsOn}
                hint={m.startsOnHint}
                required
              />
            )}
            <Checkbox name='rollover'>{m.rollOver}</Checkbox>
            <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
          </>
        )}
      </Form>
      {budgetList.length > 0 && <BudgetList budgets={budgetList} />}
    </Dialog>
  )
}

/** A budget with its words on the page. */
type Stored = { id: string, name: string, note: string | false, remove: typeof deleteBudget }

function storedOf({ id, month, amount, currency, rollover }: Budget): Stored {
  const sum = formatAmount(amount, currency)
  const name = month === null
    ? m.amountEveryMonth(sum)
    : m.amountIn(sum, formatPeriod(month, 'month'))
  return { id, name, note: rollover && m.withRollover, remove: deleteBudget }
}

function formerOf({ id, until, amount, currency, rollover }: PastBudget): Stored {
  const month = formatPeriod(until, 'month')
  const name = amount === null
    ? m.noneBefore(month)
    : m.everyMonthBefore(formatAmount(amount, currency), month)
  return { id, name, note: rollover && m.withPastRollover, remove: deletePastBudget }
}

/** Stored and former budgets, each with a button to remove it. */
function BudgetList({ budgets }: { budgets: Stored[] }) {
  const change = useChange((context, { id, remove }: Stored) => remove(context, { id }), {
    outcome: (_, { id, name }) => ({ text: m.removed(name), undoOf: id }),
  })
  return (
    <>
      <h3>{m.current}</h3>
      <ErrorNote error={change.error} />
      <ul className='budget-stored'>
        {budgets.map((budget) => (
          <li key={budget.id}>
            {budget.name}
            {budget.note}
            <Action
              name={common.remove}
              of={budget.name}
              disabled={change.isPending}
              onClick={() => change.mutate(budget)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}
