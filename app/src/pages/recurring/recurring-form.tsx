import { useQuery } from '@tanstack/react-query'
import type { NewRow } from 'finance-client'
import { useSessionContext } from '../../shell/session-context.tsx'
import { accountsQuery, offered } from '../../data/accounts.ts'
import { categoriesQuery } from '../../data/categories.ts'
import { updateRow, useChange } from '../../data/change.ts'
import { inputOf } from '../../data/changed-fields.ts'
import { periods, type Recurring, recurringQuery, saveRecurring } from '../../data/recurring.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { recurring as m } from '../../messages/recurring.ts'
import { ComboboxField } from '../../parts/combobox.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DateField, Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { RowMeanwhile } from '../../parts/meanwhile.tsx'
import {
  AmountField,
  CurrencyField,
  type Direction,
  DirectionField,
} from '../../parts/money-fields.tsx'

type Values = {
  title: string
  amount: number | null
  direction: Direction
  account_id: string
  to_account_id: string
  currency: string | null
  period: NewRow<'subscriptions'>['period']
  interval_in_days: string
  starts_on: string
  ends_on: string
  category_id: string
  description: string
}

const kindOf = { out: 'expense', in: 'income', transfer: 'transfer' } as const
const directionOf = { expense: 'out', income: 'in', transfer: 'transfer' } as const

const valuesOf = (cost: Recurring | null): Values => ({
  title: cost?.title ?? '',
  amount: cost?.amount ?? null,
  direction: directionOf[cost?.kind ?? 'expense'],
  account_id: cost?.account_id ?? '',
  to_account_id: cost?.to_account_id ?? '',
  currency: cost?.currency ?? null,
  period: cost?.period ?? 'monthly',
  interval_in_days: String(cost?.interval_in_days ?? ''),
  starts_on: cost?.starts_on ?? today(),
  ends_on: cost?.ends_on ?? '',
  category_id: cost?.category_id ?? '',
  description: cost?.description ?? '',
})

/** Describes the transaction that recording the cost creates. */
const bookedAs = (amount: number, currency: string, day: string) =>
  /^[a-z]{3}$/.test(currency) && day !== ''
    ? m.recordedAs(formatAmount(amount, currency), formatDay(day))
    : undefined

/** Creates a recurring cost, or changes the given one. */
export function RecurringForm({ cost, onClose }: { cost: Recurring | null, onClose: () => void }) {
  const { context } = useSessionContext()
  const accounts = offered(
    useQuery(accountsQuery(context)).data ?? [],
    cost?.account_id,
    cost?.to_account_id,
  )
  const categories = useQuery(categoriesQuery(context)).data ?? []
  const save = useChange(saveRecurring, {
    optimistic: async ({ id, values }, _, client) =>
      // only the service computes the due day and the monthly cost
      id === undefined ||
        Object.keys(values).some((field) => field !== 'title' && field !== 'description')
        ? null
        : updateRow<Recurring>(client, recurringQuery(context).queryKey, id, values),
    onStored: onClose,
  })
  /** The currency of a cost is the one of its account. */
  const currencyOf = ({ account_id, currency }: Values) =>
    accounts.find(({ id }) => id === account_id)?.currency ?? currency ?? ''
  const columnsOf = ({ direction, ...values }: Values) => ({
    ...values,
    kind: kindOf[direction],
    to_account_id: direction === 'transfer' ? values.to_account_id || null : null,
    currency: currencyOf({ direction, ...values }),
    interval_in_days: values.interval_in_days === '' ? null : Number(values.interval_in_days),
    ends_on: values.ends_on || null,
    category_id: values.category_id || null,
    account_id: values.account_id || null,
    description: values.description || null,
  })
  const submit = (values: Values) => {
    if (values.amount === null) return
    const input = inputOf(cost, columnsOf(valuesOf(cost)), {
      ...columnsOf(values),
      amount: Math.abs(values.amount),
    })
    if (input === null) return onClose()
    save.mutate(input)
  }
  const hintOf = (values: Values) => {
    if (values.amount === null) return undefined
    const size = Math.abs(values.amount)
    const due = values.starts_on === cost?.starts_on
      ? cost.next_due_on ?? values.starts_on
      : values.starts_on
    return bookedAs(values.direction === 'in' ? size : -size, currencyOf(values), due)
  }
  return (
    <Dialog
      title={cost === null ? m.newItem : common.editOf(cost.title)}
      open={!save.isOptimistic}
      onClose={onClose}
    >
      <RowMeanwhile row={cost} query={recurringQuery(context)} valuesOf={valuesOf} />
      <Form
        draft={`recurring ${cost?.id ?? 'new'}`}
        defaultValues={valuesOf(cost)}
        error={save.error}
        onSubmit={submit}
      >
        {({ watch }) => (
          <>
            <TextField name='title' label={common.name} maxLength={255} required />
            <AmountField name='amount' label={common.amount} direction='direction' required />
            <DirectionField hint={hintOf(watch())} hasTransfer />
            <ComboboxField
              name='account_id'
              label={common.account}
              of={accounts}
              none={m.none}
              required={watch('direction') === 'transfer'}
            />
            {watch('direction') === 'transfer' && (
              <ComboboxField
                name='to_account_id'
                label={m.toAccount}
                of={accounts.filter(({ id, currency }) =>
                  id !== watch('account_id') && currency === currencyOf(watch())
                )}
                required
              />
            )}
            {!accounts.some(({ id }) => id === watch('account_id')) && <CurrencyField />}
            <Select name='period' label={m.frequency}>
              <Options of={periods} />
            </Select>
            <TextField
              name='interval_in_days'
              label={m.interval}
              type='number'
              min={1}
              hint={m.intervalHint}
            />
            <DateField name='starts_on' label={m.firstDueOn} required />
            <DateField name='ends_on' label={m.until} />
            <ComboboxField
              name='category_id'
              label={common.category}
              of={categories}
              none={m.none}
            />
            <TextField name='description' label={m.note} />
            <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
          </>
        )}
      </Form>
    </Dialog>
  )
}
