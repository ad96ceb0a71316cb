/** The fields of a transaction that have no place in its line. */
import { useQuery } from '@tanstack/react-query'
import { type TextColumn, textLengths } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Category, tagsNamed, tagsQuery } from '../../data/categories.ts'
import { changedFields } from '../../data/changed-fields.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import type { TransactionChanges } from '../../data/transactions/changes.ts'
import { ChangedMeanwhile, noticeOf } from '../../data/transactions/conflict.ts'
import { statuses, textColumns } from '../../data/transactions/filters.ts'
import { common } from '../../messages/common.ts'
import { fields } from '../../messages/fields.ts'
import { receipts } from '../../messages/receipts.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, Select, SubmitButton, TextField } from '../../parts/form.tsx'
import { Meanwhile } from '../../parts/meanwhile.tsx'
import { CurrencyField } from '../../parts/money-fields.tsx'
import type { Beginning } from './list-state.ts'
import { Receipts } from './receipts.tsx'
import { doFit, itemOf, type Part, partsOf, Splits } from './splits.tsx'
import { TransferLink } from './transfer-link.tsx'

type DetailsProps = {
  begin?: Beginning | undefined
  row: Transaction
  now: Transaction
  isGone: boolean
  categories: readonly Category[]
  changes: TransactionChanges
  onClose: () => void
}

const textsOf = (row: Transaction) =>
  Object.fromEntries(textColumns.map((column) => [column, row[column] ?? ''])) as Record<
    TextColumn,
    string
  >

const emptyPart: Part = { name: '', category_id: '', amount: null }

const valuesOf = (row: Transaction, begin?: Beginning) => ({
  status: row.status,
  tags: row.tags.map(({ name }) => name).join(', '),
  currency: row.currency as string | null,
  parts: begin === 'split' && row.line_items.length === 0 ? [emptyPart] : partsOf(row),
  ...textsOf(row),
})

/**
 * @param row the row as the details were opened @param now the row as the list has it @param isGone
 * whether the list has it no longer
 */
export function Details({ begin, row, now, isGone, categories, changes, onClose }: DetailsProps) {
  const { context } = useSessionContext()
  const { save, renew } = changes
  const existingTags = useQuery(tagsQuery(context)).data ?? []
  /** The row as the user last saw it. */
  const [seen, setSeen] = useState(row)

  const close = () => {
    // another user may have changed the row
    if (save.isError) void renew([row]).catch(() => undefined)
    save.reset()
    changes.link.reset()
    changes.unlink.reset()
    onClose()
  }
  const store = async ({ tags: tagText, parts, ...values }: ReturnType<typeof valuesOf>) => {
    const wanted = {
      ...values,
      currency: values.currency ?? row.currency,
      ...Object.fromEntries(textColumns.map((column) => [column, values[column] || null])),
    }
    const changed = changedFields(row, wanted)
    const names = [
      ...new Set(tagText.split(',').map((name) => name.trim()).filter((name) => name !== '')),
    ]
    const haveTagsChanged =
      names.toSorted().join() !== row.tags.map(({ name }) => name).toSorted().join()
    const havePartsChanged = JSON.stringify(parts) !== JSON.stringify(partsOf(row))
    const tags = haveTagsChanged
      ? (await tagsNamed(context, names, existingTags)).map(({ id }) => id)
      : undefined
    if (Object.keys(changed).length > 0 || haveTagsChanged || havePartsChanged) {
      await save.mutateAsync({
        row: seen,
        changed: {
          values: changed,
          ...(tags !== undefined && { tags }),
          ...(havePartsChanged && { items: parts.map((part) => itemOf(part, row)) }),
        },
      })
    }
    onClose()
  }
  const submit = (values: ReturnType<typeof valuesOf>) => {
    if (
      save.isPending || !doFit(row, values.parts) ||
      values.parts.some(({ amount }) => amount === null)
    ) return
    // the mutation keeps the error for the form
    store(values).catch((error: unknown) => error instanceof ChangedMeanwhile && setSeen(error.row))
  }
  return (
    <Dialog
      title={row.name}
      open
      onClose={close}
      {...(begin !== undefined && { focus: beginnings[begin] })}
    >
      <Meanwhile text={!save.isIdle ? null : isGone ? m.conflict.gone : noticeOf(seen, now)} />
      <Form
        draft={`details ${row.id}`}
        defaultValues={valuesOf(row, begin)}
        error={save.error}
        onSubmit={submit}
      >
        {({ watch, formState: { isDirty } }) => (
          <>
            <Select name='status' label={m.status}>
              {statuses.map((status) => (
                <option key={status} value={status}>{common.statuses[status]}</option>
              ))}
            </Select>
            <TextField name='tags' label={m.tags} hint={m.tagsHint} autoComplete='off' />
            {textColumns.map((column) => (
              <TextField
                key={column}
                name={column}
                label={capitalized(fields[column])}
                maxLength={textLengths[column]}
              />
            ))}
            <CurrencyField
              readOnly={row.account_id !== null || row.transfer_id !== null}
              {...(row.account_id !== null && { hint: m.currencyHint })}
            />
            <Splits
              row={row}
              currency={/^[a-z]{3}$/.test(watch('currency') ?? '')
                ? watch('currency') ?? ''
                : row.currency}
              categories={categories}
            />
            <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
            <TransferLink row={row} changes={changes} isEdited={isDirty} onDone={close} />
          </>
        )}
      </Form>
      <section className='tx-link' aria-labelledby='tx-receipts'>
        <h3 id='tx-receipts'>{receipts.receipts}</h3>
        <Receipts transactionId={row.id} />
      </section>
    </Dialog>
  )
}

/** The elements that the dialog begins with. */
const beginnings: Record<Beginning, string> = { split: '.tx-split input', transfer: '.tx-link h3' }

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
