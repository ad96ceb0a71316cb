import { useQuery } from '@tanstack/react-query'
import type { NewRow } from 'finance-client'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { accountsQuery, useUsualCurrency } from '../../data/accounts.ts'
import { categoriesQuery } from '../../data/categories.ts'
import { useChange, withValues } from '../../data/change.ts'
import { periods, type Recurring, recurringQuery, saveRecurring } from '../../data/recurring.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay, today } from '../../locale/days.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { CurrencyField } from '../../parts/currency-field.tsx'
import { type Direction, DirectionChoice } from '../../parts/direction.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DateField, Form, Options, Select, SubmitButton, TextField, type Values } from '../../parts/form.tsx'

/** What recording it will make, while enough is said to tell. */
const bookedAs = (amount: number, currency: string, day: string) =>
  /^[a-z]{3}$/.test(currency) && day !== '' ? `Is booked as ${formatAmount(amount, currency)} on ${formatDay(day)}, when you record it.` : undefined

/** Creates a recurring cost, or changes the one that is given. */
export function RecurringForm({ cost, onClose }: { cost: Recurring | null, onClose: () => void }) {
  const { context } = useHere()
  const accounts = useQuery(accountsQuery(context))
  const categories = useQuery(categoriesQuery(context))
  const [amount, setAmount] = useState<number | null>(cost === null ? null : Math.abs(cost.amount))
  const [direction, setDirection] = useState<Direction>(cost !== null && cost.amount < 0 ? 'in' : 'out')
  const [currency, setCurrency] = useState(cost?.currency)
  const [start, setStart] = useState(cost?.starts_on ?? today())
  const [accountId, setAccountId] = useState(cost?.account_id ?? '')
  const save = useChange(
    saveRecurring,
    onClose,
    // when it is due, and what it comes to in a month, the service says
    (_, { id, title, description = null }) => id === undefined ? null : withValues<Recurring>(recurringQuery(context).queryKey, id, { title, description }),
  )
  // a cost of an account is in the account's currency
  const account = accounts.data?.find(({ id }) => id === accountId)
  const usual = useUsualCurrency()
  const usedCurrency = account?.currency ?? currency ?? usual
  const size = amount === null ? null : Math.abs(amount)
  const due = start === cost?.starts_on ? cost.next_due_on ?? start : start
  const submit = ({ text, optional }: Values) => {
    if (size === null) return
    const interval = optional('interval_in_days')
    save.mutate({
      id: cost?.id,
      title: text('title'),
      // the service has costs, and books the opposite
      amount: direction === 'in' ? -size : size,
      currency: usedCurrency,
      period: text('period') as NewRow<'subscriptions'>['period'],
      interval_in_days: interval === null ? null : Number(interval),
      starts_on: text('starts_on'),
      ends_on: optional('ends_on'),
      category_id: optional('category_id'),
      account_id: optional('account_id'),
      description: optional('description'),
    })
  }
  return (
    <Dialog title={cost === null ? 'New recurring cost' : `Edit ${cost.title}`} open={!save.isAhead} onClose={onClose}>
      <Form error={save.error} onSubmit={submit}>
        <TextField name='title' label='Name' defaultValue={cost?.title} maxLength={255} required />
        <AmountField name='amount' label='Amount' value={amount} onChange={setAmount} onDirection={setDirection} required />
        <DirectionChoice
          value={direction}
          onChange={setDirection}
          hint={size === null ? undefined : bookedAs(direction === 'in' ? size : -size, usedCurrency, due)}
        />
        <Select name='account_id' label='Account' value={accountId} onChange={({ target }) => setAccountId(target.value)}>
          <option value=''>None</option>
          <Options of={accounts.data ?? []} />
        </Select>
        {account === undefined && <CurrencyField value={currency} onChange={setCurrency} />}
        <Select name='period' label='How often' defaultValue={cost?.period ?? 'monthly'}>
          <Options of={periods} />
        </Select>
        <TextField
          name='interval_in_days'
          label='Or every so many days'
          type='number'
          min={1}
          defaultValue={cost?.interval_in_days ?? ''}
          hint='Leave it empty unless it comes in another rhythm.'
        />
        <DateField name='starts_on' label='First due on' value={start} onChange={({ target }) => setStart(target.value)} required />
        <DateField name='ends_on' label='Until' defaultValue={cost?.ends_on ?? ''} />
        <Select key={categories.data?.length} name='category_id' label='Category' defaultValue={cost?.category_id ?? ''}>
          <option value=''>None</option>
          <Options of={categories.data ?? []} />
        </Select>
        <TextField name='description' label='Note' defaultValue={cost?.description ?? ''} />
        <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
      </Form>
    </Dialog>
  )
}
