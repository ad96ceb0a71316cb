import { useQuery } from '@tanstack/react-query'
import type { NewRow } from 'finance-client'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountsQuery, offered } from '../../data/accounts.ts'
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
import { DateField } from '../../parts/date-field.tsx'
import { Form, Options, Select, SubmitButton, TextField } from '../../parts/form.tsx'
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

/** The currency of a cost is the one of its account. */
const currencyOf = (accounts: Account[], { account_id, currency }: Values) =>
  accounts.find(({ id }) => id === account_id)?.currency ?? currency ?? ''

const columnsOf = (accounts: Account[], { direction, ...values }: Values) => ({
  ...values,
  kind: kindOf[direction],
  to_account_id: direction === 'transfer' ? values.to_account_id || null : null,
  currency: currencyOf(accounts, { direction, ...values }),
  interval_in_days: values.interval_in_days === '' ? null : Number(values.interval_in_days),
  ends_on: values.ends_on || null,
  category_id: values.category_id || null,
  account_id: values.account_id || null,
  description: values.description || null,
})

type RecurringFormProps = { cost: Recurring | null, onClose: () => void }

/** Creates a recurring cost, or changes the given one. */
export function RecurringForm({ cost, onClose }: RecurringFormProps) {
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
  const submit = (values: Values) => {
    if (values.amount === null) return
    const input = inputOf(cost, columnsOf(accounts, valuesOf(cost)), {
      ...columnsOf(accounts, values),
      amount: Math.abs(values.amount),
    })
    if (input === null) return onClose()
    save.mutate(input)
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
            <MoneyFields {...{ cost, accounts }} values={watch()} />
            <TimeFields />
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

/** Describes the next transaction of a cost. */
function hintOf(cost: Recurring | null, accounts: Account[], values: Values) {
  if (values.amount === null) return undefined
  const size = Math.abs(values.amount)
  const due = values.starts_on === cost?.starts_on
    ? cost.next_due_on ?? values.starts_on
    : values.starts_on
  return bookedAs(values.direction === 'in' ? size : -size, currencyOf(accounts, values), due)
}

type MoneyFieldsProps = { cost: Recurring | null, accounts: Account[], values: Values }

/** The name, the amount and the accounts of a cost. A transfer has two accounts. */
const MoneyFields = ({ cost, accounts, values }: MoneyFieldsProps) => (
  <>
    <TextField name='title' label={common.name} maxLength={255} required />
    <AmountField name='amount' label={common.amount} direction='direction' required />
    <DirectionField hint={hintOf(cost, accounts, values)} hasTransfer />
    <ComboboxField
      name='account_id'
      label={common.account}
      of={accounts}
      none={m.none}
      required={values.direction === 'transfer'}
    />
    {values.direction === 'transfer' && (
      <ComboboxField
        name='to_account_id'
        label={m.toAccount}
        of={accounts.filter(({ id, currency }) =>
          id !== values.account_id && currency === currencyOf(accounts, values)
        )}
        required
      />
    )}
    {!accounts.some(({ id }) => id === values.account_id) && <CurrencyField />}
  </>
)

/** The frequency of a cost, and its first and last day. */
const TimeFields = () => (
  <>
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
  </>
)
