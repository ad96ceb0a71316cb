/** All of a transaction that has no place in its line. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import type { Category } from '../../data/categories.ts'
import { tagsNamed, tagsQuery } from '../../data/tags.ts'
import type { useTransactionChanges } from '../../data/transaction-changes.ts'
import { type Status, statuses } from '../../data/transaction-filters.ts'
import type { Transaction } from '../../data/transactions.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CurrencyField, Form, Select, SubmitButton, TextField, type Values } from '../../parts/form.tsx'
import { useAsRead } from './as-read.ts'
import { partsOf, restOf, Splits } from './splits.tsx'

type DetailsProps = { row: Transaction, categories: readonly Category[], changes: ReturnType<typeof useTransactionChanges>, onClose: () => void }

export function Details({ row, categories, changes: { change, detail }, onClose }: DetailsProps) {
  const { context } = useHere()
  const known = useQuery(tagsQuery(context)).data ?? []
  const [parts, setParts] = useState(() => partsOf(row))
  const { read, changedOf, meet, toldOf } = useAsRead(row, { categories, accounts: [] })
  const isBusy = change.isPending || detail.isPending

  const store = async ({ text, optional, currency }: Values) => {
    const values = changedOf({
      status: text('status') as Status,
      currency: currency('currency'),
      reference_no: optional('reference_no'),
      description: optional('description'),
    })
    const names = [...new Set(text('tags').split(',').map((name) => name.trim()).filter((name) => name !== ''))]
    const haveTagsChanged = names.toSorted().join() !== row.tags.map(({ name }) => name).toSorted().join()
    const haveChanged = JSON.stringify(parts) !== JSON.stringify(partsOf(row))
    // first, because it may be refused until the person has seen what others have changed
    if (Object.keys(values).length > 0) await change.mutateAsync({ rows: [row], values, read }, { onError: (error) => meet(error, values) })
    if (haveTagsChanged || haveChanged) {
      const tags = haveTagsChanged ? (await tagsNamed(context, names, known)).map(({ id }) => id) : undefined
      const items = parts.map(({ name, amount, category_id }) => ({ name, category_id, amount: Math.sign(row.amount) * Math.abs(amount ?? 0) }))
      await detail.mutateAsync({ row, ...(tags !== undefined && { tags }), ...(haveChanged && { items }) })
    }
    onClose()
  }
  const submit = (values: Values) => {
    if (isBusy || restOf(row, parts) < 0 || parts.some(({ amount }) => amount === null)) return
    // the form shows what the changes themselves remember of it
    store(values).catch(() => undefined)
  }

  return (
    <Dialog title={row.name} open onClose={onClose}>
      <Form error={toldOf(change.error, change.variables?.values) ?? detail.error} onSubmit={submit}>
        <Select name='status' label='Status' defaultValue={row.status}>
          {statuses.map((status) => <option key={status} value={status}>{status}</option>)}
        </Select>
        <TextField name='tags' label='Tags' defaultValue={row.tags.map(({ name }) => name).join(', ')} hint='Separated by commas.' autoComplete='off' />
        <TextField name='reference_no' label='Reference' defaultValue={row.reference_no ?? ''} maxLength={255} />
        <TextField name='description' label='Description' defaultValue={row.description ?? ''} maxLength={5000} />
        <CurrencyField
          defaultValue={row.currency}
          readOnly={row.account_id !== null || row.transfer_id !== null}
          hint={row.account_id === null ? undefined : 'The account’s.'}
        />
        <Splits row={row} parts={parts} onChange={setParts} categories={categories} />
        <SubmitButton isBusy={isBusy}>Save</SubmitButton>
      </Form>
    </Dialog>
  )
}
