/** All of a transaction that has no place in its line. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import type { Category } from '../../data/categories.ts'
import { tagsNamed, tagsQuery } from '../../data/tags.ts'
import type { useTransactionChanges } from '../../data/transaction-changes.ts'
import { type Status, statuses } from '../../data/transaction-filters.ts'
import { ChangedMeanwhile, type Transaction } from '../../data/transactions.ts'
import { CurrencyField } from '../../parts/currency-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Select, SubmitButton, TextField, type Values } from '../../parts/form.tsx'
import { partsOf, restOf, Splits } from './splits.tsx'

type DetailsProps = { row: Transaction, categories: readonly Category[], changes: ReturnType<typeof useTransactionChanges>, onClose: () => void }

export function Details({ row, categories, changes: { save, renew }, onClose }: DetailsProps) {
  const { context } = useHere()
  const known = useQuery(tagsQuery(context)).data ?? []
  const [parts, setParts] = useState(() => partsOf(row))
  const [currency, setCurrency] = useState(row.currency)
  const isBusy = save.isPending
  // as it was opened, and as the person last heard that it is
  const [seen, setSeen] = useState(row)

  /** Leaves what could not be stored: the line below has nothing to do with it, but the row is as somebody else made it. */
  const close = () => {
    if (save.isError) void renew([row]).catch(() => undefined)
    save.reset()
    onClose()
  }
  const store = async ({ text, optional }: Values) => {
    const wanted = {
      status: text('status') as Status,
      currency,
      reference_no: optional('reference_no'),
      description: optional('description'),
    }
    const values = Object.fromEntries(Object.entries(wanted).filter(([field, value]) => row[field as keyof Transaction] !== value))
    const names = [...new Set(text('tags').split(',').map((name) => name.trim()).filter((name) => name !== ''))]
    const haveTagsChanged = names.toSorted().join() !== row.tags.map(({ name }) => name).toSorted().join()
    const haveChanged = JSON.stringify(parts) !== JSON.stringify(partsOf(row))
    const tags = haveTagsChanged ? (await tagsNamed(context, names, known)).map(({ id }) => id) : undefined
    const items = parts.map(({ name, amount, category_id }) => ({ name, category_id, amount: Math.sign(row.amount) * Math.abs(amount ?? 0) }))
    if (Object.keys(values).length > 0 || haveTagsChanged || haveChanged) {
      await save.mutateAsync({ row: seen, changed: { values, ...(tags !== undefined && { tags }), ...(haveChanged && { items }) } })
    }
    onClose()
  }
  const submit = (values: Values) => {
    if (isBusy || restOf(row, parts) < 0 || parts.some(({ amount }) => amount === null)) return
    // the form shows what the changes themselves remember of it
    store(values).catch((error: unknown) => error instanceof ChangedMeanwhile && setSeen(error.row))
  }

  return (
    <Dialog title={row.name} open onClose={close}>
      <Form error={save.error} onSubmit={submit}>
        <Select name='status' label='Status' defaultValue={row.status}>
          {statuses.map((status) => <option key={status} value={status}>{status}</option>)}
        </Select>
        <TextField name='tags' label='Tags' defaultValue={row.tags.map(({ name }) => name).join(', ')} hint='Separated by commas.' autoComplete='off' />
        <TextField name='reference_no' label='Reference' defaultValue={row.reference_no ?? ''} maxLength={255} />
        <TextField name='description' label='Description' defaultValue={row.description ?? ''} maxLength={5000} />
        <CurrencyField
          value={row.currency}
          onChange={setCurrency}
          readOnly={row.account_id !== null || row.transfer_id !== null}
          {...(row.account_id !== null && { hint: 'The account’s.' })}
        />
        <Splits row={row} currency={/^[a-z]{3}$/.test(currency) ? currency : row.currency} parts={parts} onChange={setParts} categories={categories} />
        <SubmitButton isBusy={isBusy}>Save</SubmitButton>
      </Form>
    </Dialog>
  )
}
