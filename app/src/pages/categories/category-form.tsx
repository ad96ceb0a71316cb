import { useSessionContext } from '../../shell/session-context.tsx'
import { categoriesQuery, type Category, saveCategory } from '../../data/categories.ts'
import { updateRow, useChange } from '../../data/change.ts'
import { inputOf } from '../../data/changed-fields.ts'
import { categories as m } from '../../messages/categories.ts'
import { common } from '../../messages/common.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { RowMeanwhile } from '../../parts/meanwhile.tsx'
import { AmountField, CurrencyField } from '../../parts/money-fields.tsx'

type Values = {
  name: string
  kind: Category['kind']
  parent_id: string
  color: string
  monthly_budget: number | null
  budget_currency: string | null
}

const valuesOf = (category: Category | null): Values => ({
  name: category?.name ?? '',
  kind: category?.kind ?? 'expense',
  parent_id: category?.parent_id ?? '',
  color: category?.color ?? '#4a7fb5',
  monthly_budget: category?.monthly_budget ?? null,
  budget_currency: category?.monthly_budget == null ? null : category.budget_currency,
})

type CategoryFormProps = {
  category: Category | null
  others: Category[]
  onClose: () => void
}

/** Creates a category, or changes the given one. */
export function CategoryForm({ category, others, onClose }: CategoryFormProps) {
  const { context } = useSessionContext()
  const save = useChange(saveCategory, {
    optimistic: async ({ id, values }, _, client) =>
      // only the service passes a kind on to subcategories
      id === undefined || 'parent_id' in values || 'kind' in values
        ? null
        : updateRow<Category>(client, categoriesQuery(context).queryKey, id, values),
    onStored: onClose,
  })
  const opened = valuesOf(category)
  const submit = ({ budget_currency: currency, kind, parent_id: parent, ...values }: Values) => {
    if (currency === null) return
    const input = inputOf(category, { ...opened, parent_id: opened.parent_id || null }, {
      ...values,
      parent_id: parent || null,
      // a subcategory has the kind of its parent
      ...(parent === '' && { kind }),
      // without a budget the field shows the usual currency
      ...(values.monthly_budget !== null && { budget_currency: currency }),
    })
    if (input === null) return onClose()
    save.mutate(input)
  }
  return (
    <Dialog
      title={category === null ? m.newCategory : common.editOf(category.name)}
      open={!save.isOptimistic}
      onClose={onClose}
    >
      <RowMeanwhile row={category} query={categoriesQuery(context)} valuesOf={valuesOf} />
      <Form
        draft={`category ${category?.id ?? 'new'}`}
        defaultValues={opened}
        error={save.error}
        onSubmit={submit}
      >
        <Fields category={category} others={others} />
        <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
      </Form>
    </Dialog>
  )
}

/** A category with subcategories has no parent. */
function Fields({ category, others }: Omit<CategoryFormProps, 'onClose'>) {
  const isParent = others.some(({ parent_id: parent }) =>
    parent !== null && parent === category?.id
  )
  return (
    <>
      <TextField name='name' label={common.name} maxLength={255} required />
      {!isParent && (
        <Select name='parent_id' label={m.parent}>
          <option value=''>{m.noParent}</option>
          <Options
            of={others.filter(({ id, parent_id: parent }) =>
              id !== category?.id && parent === null
            )}
          />
        </Select>
      )}
      <Select name='kind' label={m.kind} hint={m.kindHint}>
        <Options of={m.kinds} />
      </Select>
      <TextField name='color' label={m.color} type='color' />
      <AmountField name='monthly_budget' label={m.monthlyBudget} hint={m.monthlyBudgetHint} />
      <CurrencyField name='budget_currency' />
    </>
  )
}
