import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountsQuery } from '../../data/accounts.ts'
import { categoriesQuery, type Category } from '../../data/categories.ts'
import { useChange } from '../../data/change.ts'
import { changedFields, inputOf } from '../../data/changed-fields.ts'
import { deleteRule, type Rule, rulesQuery, type RuleValues, saveRule } from '../../data/rules.ts'
import { common } from '../../messages/common.ts'
import { rules as m } from '../../messages/rules.ts'
import { ComboboxField } from '../../parts/combobox.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Checkbox, Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { RowMeanwhile } from '../../parts/meanwhile.tsx'

type Values = {
  name: string
  priority: string
  isActive: boolean
  text: string
  least: string
  most: string
  account: string
  category: string
  isTransfer: boolean
  newName: string
  tags: string
}
type Condition = Rule['conditions'][number]

const valueOf = (
  { conditions }: Pick<Rule, 'conditions'>,
  field: Condition['field'],
  operation: Condition['operation'],
): string => {
  const value = conditions.find((condition) =>
    condition.field === field && condition.operation === operation
  )?.value
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** Fields and operations of conditions that the form shows. */
const editable = [['search', 'contains'], ['amount', 'gte'], ['amount', 'lte'], [
  'account_id',
  'eq',
]] as const

/** The values that a new rule begins with. */
export type RuleBeginning = Pick<Values, 'name' | 'text' | 'category'>

const valuesOf = (rule: Rule | null, begin?: RuleBeginning): Values => {
  const from = rule ?? { conditions: [] }
  return {
    name: rule?.name ?? '',
    priority: String(rule?.priority ?? 0),
    isActive: rule?.is_active ?? true,
    text: valueOf(from, 'search', 'contains'),
    least: valueOf(from, 'amount', 'gte'),
    most: valueOf(from, 'amount', 'lte'),
    account: valueOf(from, 'account_id', 'eq'),
    category: rule?.set_category_id ?? '',
    isTransfer: rule?.mark_as_transfer ?? false,
    newName: rule?.set_name ?? '',
    tags: rule?.add_tags?.join(', ') ?? '',
    ...begin,
  }
}

/**
 * Returns the conditions of the form's values, and those of the rule that the form does not show.
 */
function conditionsOf(values: Values, rule: Rule | null): Condition[] {
  const others = (rule?.conditions ?? []).filter(({ field, operation }) =>
    !editable.some(([name, how]) => name === field && how === operation)
  )
  const conditions: Condition[] = [...others]
  if (values.text !== '')
    conditions.push({ field: 'search', operation: 'contains', value: values.text })
  if (values.least !== '')
    conditions.push({ field: 'amount', operation: 'gte', value: values.least })
  if (values.most !== '') conditions.push({ field: 'amount', operation: 'lte', value: values.most })
  if (values.account !== '')
    conditions.push({ field: 'account_id', operation: 'eq', value: values.account })
  return conditions
}

const ruleOf = (values: Values, rule: Rule | null): RuleValues => ({
  name: values.name,
  priority: Number(values.priority),
  is_active: values.isActive,
  conditions: conditionsOf(values, rule),
  // a transfer has no category
  set_category_id: values.category === '' || values.isTransfer ? null : values.category,
  mark_as_transfer: values.isTransfer,
  set_name: values.newName === '' ? null : values.newName,
  add_tags: values.tags.split(',').map((tag) => tag.trim()).filter((tag) => tag !== ''),
})

/** Creates a rule, or changes the given one. */
export function RuleForm(
  { rule, begin, onClose }: { rule: Rule | null, begin?: RuleBeginning, onClose: () => void },
) {
  const { context } = useSessionContext()
  const { data: accounts = [] } = useQuery(accountsQuery(context))
  const { data: categories = [] } = useQuery(categoriesQuery(context))
  const save = useChange(saveRule, {
    onStored: onClose,
    // another page does not show the rule
    outcome: (stored) =>
      begin !== undefined
        ? { text: m.saved(stored.name), undo: () => deleteRule(context, stored) }
        : null,
  })
  const client = useQueryClient()
  const opened = valuesOf(rule, begin)
  const submit = (values: Values) => {
    const input = inputOf(rule, ruleOf(opened, rule), ruleOf(values, rule))
    if (input === null) return onClose()
    if (rule !== null && input.values.conditions !== undefined) {
      // all conditions are one column, so another user's changes of the others are sent along
      const now = client.getQueryData(rulesQuery(context).queryKey)?.find(({ id }) =>
        id === rule.id
      ) ?? rule
      input.values.conditions = conditionsOf(
        { ...valuesOf(now), ...changedFields(opened, values) },
        now,
      )
    }
    save.mutate(input)
  }
  return (
    <Dialog title={rule === null ? m.newRule : common.editOf(rule.name)} open onClose={onClose}>
      <RowMeanwhile row={rule} query={rulesQuery(context)} valuesOf={valuesOf} />
      <Form
        draft={begin === undefined ? `rule ${rule?.id ?? 'new'}` : undefined}
        defaultValues={opened}
        error={save.error}
        onSubmit={submit}
      >
        {({ watch }) => (
          <>
            <Fields {...{ accounts, categories }} isTransfer={watch('isTransfer')} />
            <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
          </>
        )}
      </Form>
    </Dialog>
  )
}

type FieldsProps = { accounts: Account[], categories: Category[], isTransfer: boolean }

/** A transfer has no category. */
const Fields = ({ accounts, categories, isTransfer }: FieldsProps) => (
  <>
    <TextField name='name' label={common.name} maxLength={255} required />
    <TextField name='text' label={m.text} hint={m.textHint} maxLength={1000} />
    <TextField name='least' label={m.least} type='number' step='any' hint={m.signHint} />
    <TextField name='most' label={m.most} type='number' step='any' />
    <ComboboxField
      name='account'
      label={common.account}
      of={accounts}
      none={m.anyAccount}
    />
    <Checkbox name='isTransfer'>{m.markAsTransfer}</Checkbox>
    {!isTransfer && (
      <ComboboxField
        name='category'
        label={m.setCategory}
        of={categories}
        none={m.unchanged}
      />
    )}
    <TextField name='newName' label={m.setName} maxLength={255} />
    <TextField name='tags' label={m.addTags} hint={m.tagsHint} />
    <TextField
      name='priority'
      label={m.priority}
      type='number'
      step={1}
      min={-2147483648}
      max={2147483647}
      hint={m.priorityHint}
      required
    />
    <Checkbox name='isActive'>{m.isActive}</Checkbox>
  </>
)
