import { useState } from 'react'
import { categoriesQuery, type Category, saveCategory } from '../../data/categories.ts'
import { useChange, withValues } from '../../data/change.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { CurrencyField } from '../../parts/currency-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SubmitButton, TextField, type Values } from '../../parts/form.tsx'

const firstColor = '#4a7fb5'

/** Creates a category, or changes the one that is given. */
export function CategoryForm({ category, onClose }: { category: Category | null, onClose: () => void }) {
  const [budget, setBudget] = useState<number | null>(category?.monthly_budget ?? null)
  const save = useChange(
    saveCategory,
    onClose,
    (context, { id, name, color = null }) => id === undefined ? null : withValues<Category>(categoriesQuery(context).queryKey, id, { name, color }),
  )
  const submit = ({ text, currency }: Values) => {
    // what is no amount stays in the field, which says so
    if (budget === null && text('monthly_budget') !== '') return
    save.mutate({
      id: category?.id,
      name: text('name'),
      color: text('color'),
      monthly_budget: budget,
      budget_currency: currency('budget_currency'),
    })
  }
  return (
    <Dialog title={category === null ? 'New category' : `Edit ${category.name}`} open={!save.isAhead} onClose={onClose}>
      <Form error={save.error} onSubmit={submit}>
        <TextField name='name' label='Name' defaultValue={category?.name} maxLength={255} required />
        <TextField name='color' label='Colour' type='color' defaultValue={category?.color ?? firstColor} />
        <AmountField
          name='monthly_budget'
          label='Monthly budget'
          value={budget}
          onChange={setBudget}
          hint='Empty for none. A month may have a budget of its own.'
        />
        <CurrencyField name='budget_currency' value={category?.monthly_budget == null ? undefined : category.budget_currency} />
        <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
      </Form>
    </Dialog>
  )
}
