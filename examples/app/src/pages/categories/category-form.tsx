import { categoriesQuery, type Category, saveCategory } from '../../data/categories.ts'
import { updateRow, useChange } from '../../data/change.ts'
import { categories as m, common } from '../../messages/en.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { AmountField, CurrencyField } from '../../parts/money-fields.tsx'

type Values = { name: string, color: string, monthly_budget: number | null, budget_currency: string | null }

const valuesOf = (category: Category | null): Values => ({
  name: category?.name ?? '',
  color: category?.color ?? '#4a7fb5',
  monthly_budget: category?.monthly_budget ?? null,
  budget_currency: category?.monthly_budget == null ? null : category.budget_currency,
})

/** Creates a category, or changes the given one. */
export function CategoryForm({ category, onClose }: { category: Category | null, onClose: () => void }) {
  const save = useChange(saveCategory, {
    optimistic: async ({ id, name, color = null }, context, client) =>
      id === undefined ? null : updateRow<Category>(client, categoriesQuery(context).queryKey, id, { name, color }),
    onStored: onClose,
  })
  const submit = ({ budget_currency: currency, ...values }: Values) => {
    if (currency !== null) save.mutate({ id: category?.id, ...values, budget_currency: currency })
  }
  return (
    <Dialog title={category === null ? m.newCategory : common.editOf(category.name)} open={!save.isOptimistic} onClose={onClose}>
      <Form defaultValues={valuesOf(category)} error={save.error} onSubmit={submit}>
        <TextField name='name' label={common.name} maxLength={255} required />
        <TextField name='color' label={m.colour} type='color' />
        <AmountField name='monthly_budget' label={m.monthlyBudget} hint={m.emptyForNoneAMonth} />
        <CurrencyField name='budget_currency' />
        <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
      </Form>
    </Dialog>
  )
}
