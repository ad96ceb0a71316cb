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

type Values = ReturnType<typeof valuesOf>

/** Returns the changed fields of a row, and its tags and parts; null for unchanged ones. */
function changesOf(row: Transaction, { tags, parts, ...values }: Values) {
  const wanted = {
    ...values,
    currency: values.currency ?? row.currency,
    ...Object.fromEntries(textColumns.map((column) => [column, values[column] || null])),
  }
  const names = [
    ...new Set(tags.split(',').map((name) => name.trim()).filter((name) => name !== '')),
  ]
  const haveTagsChanged =
    names.toSorted().join() !== row.tags.map(({ name }) => name).toSorted().join()
  const havePartsChanged = JSON.stringify(parts) !== JSON.stringify(partsOf(row))
  return {
    changed: changedFields(row, wanted),
    tagNames: haveTagsChanged ? names : null,
    items: havePartsChanged ? parts.map((part) => itemOf(part, row)) : null,
  }
}

/** Returns the row as the user last saw it, and a function that stores the form. */
function useStoring(row: Transaction, save: TransactionChanges['save'], onStored: () => void) {
  const { context } = useSessionContext()
  const existingTags = useQuery(tagsQuery(context)).data ?? []
  const [seen, setSeen] = useState(row)
  const store = async (values: Values) => {
    const { changed, tagNames, items } = changesOf(row, values)
    const tags = tagNames === null
      ? undefined
      : (await tagsNamed(context, tagNames, existingTags)).map(({ id }) => id)
    if (Object.keys(changed).length > 0 || tags !== undefined || items !== null) {
      await save.mutateAsync({
        row: seen,
        changed: {
          values: changed,
          ...(tags !== undefined && { tags }),
          ...(items !== null && { items }),
        },
      })
    }
    onStored()
  }
  const submit = (values: Values) => {
    if (
      save.isPending || !doFit(row, values.parts) ||
      values.parts.some(({ amount }) => amount === null)
    ) return
    // the mutation keeps the error for the form
    store(values).catch((error: unknown) => error instanceof ChangedMeanwhile && setSeen(error.row))
  }
  return { seen, submit }
}

/**
 * @param row the row as the details were opened @param now the row as the list has it @param isGone
 * whether the list has it no longer
 */
export function Details({ begin, row, now, isGone, categories, changes, onClose }: DetailsProps) {
  const { save, renew } = changes
  const { seen, submit } = useStoring(row, save, onClose)
  const close = () => {
    // another user may have changed the row
    if (save.isError) void renew([row]).catch(() => undefined)
    save.reset()
    changes.link.reset()
    changes.unlink.reset()
    onClose()
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
            <Fields {...{ row, categories }} currency={watch('currency') ?? ''} />
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

type FieldsProps = Pick<DetailsProps, 'row' | 'categories'> & {
  /** The currency as typed. */
  currency: string
}

const Fields = ({ row, categories, currency }: FieldsProps) => (
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
      currency={/^[a-z]{3}$/.test(currency) ? currency : row.currency}
      categories={categories}
    />
  </>
)

/** The elements that the dialog begins with. */
const beginnings: Record<Beginning, string> = { split: '.tx-split input', transfer: '.tx-link h3' }

const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
