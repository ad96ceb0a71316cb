import { useFieldArray, useFormContext } from 'react-hook-form'
import type { Category } from '../../data/categories.ts'
import type { Transaction } from '../../data/transactions/api.ts'
import { sumOf } from '../../locale/amounts.ts'
import { common } from '../../messages/common.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { ComboboxField } from '../../parts/combobox.tsx'
import { TextField } from '../../parts/form.tsx'
import { AmountField } from '../../parts/money-fields.tsx'
import { Amount } from '../../parts/ui.tsx'

/**
 * A part in the form. Its amount is positive in the direction of the whole. `category_id` is empty
 * for the category of the whole.
 */
export type Part = { name: string, category_id: string, amount: number | null }

/** Turns an amount into the direction of the whole, and back. */
const turned = (amount: number, whole: number): number => whole < 0 ? -amount : amount

export const partsOf = ({ amount: whole, line_items }: Transaction): Part[] =>
  line_items.map(({ name, amount, category_id }) => ({
    name,
    category_id: category_id ?? '',
    amount: turned(amount, whole),
  }))

export const itemOf = ({ name, amount, category_id }: Part, { amount: whole }: Transaction) => ({
  name,
  category_id: category_id || null,
  amount: turned(amount ?? 0, whole),
})

/** The remainder of the whole, to the cent. */
const restOf = ({ amount }: Transaction, parts: readonly Part[]): number =>
  sumOf([Math.abs(amount), ...parts.map((part) => -(part.amount ?? 0))])

/** Whether the parts add up to at most the whole, in its direction. */
export function doFit(row: Transaction, parts: readonly Part[]): boolean {
  const rest = restOf(row, parts)
  return rest >= 0 && rest <= Math.abs(row.amount)
}

type SplitsProps = { row: Transaction, currency: string, categories: readonly Category[] }

/** The parts of a transaction, and the remainder. */
export function Splits({ row, currency, categories }: SplitsProps) {
  const { setValue, watch } = useFormContext<{ parts: Part[] }>()
  const { fields, append, remove } = useFieldArray<{ parts: Part[] }>({ name: 'parts' })
  const parts = watch('parts')
  const rest = restOf(row, parts)
  const nameOf = (id: string) => categories.find((category) => category.id === id)?.name ?? ''
  /** A part without a name of its own is named like its category. */
  const rename = (index: number, { name, category_id: before }: Part, id: string) => {
    if (name === '' || name === nameOf(before))
      setValue(`parts.${index}.name`, nameOf(id), { shouldDirty: true })
  }
  return (
    <fieldset className='tx-splits'>
      <legend>{m.splits}</legend>
      {parts.length > 0 && <p>{m.splitsHint}</p>}
      {fields.map((field, index) => (
        <PartFields
          key={field.id}
          {...{ index, currency, categories }}
          onCategory={(id) => rename(index, parts[index] ?? field, id)}
          onRemove={() => remove(index)}
        />
      ))}
      <div className='tx-splits-end'>
        {/* the first part gets the whole remainder, and a coupon what the others are too much by */}
        <button
          type='button'
          onClick={() =>
            append({ name: '', category_id: '', amount: rest === 0 ? null : rest }, {
              shouldFocus: false,
            })}
        >
          {m.addSplit}
        </button>
        {parts.length > 0 && (
          <p role='status' className={doFit(row, parts) ? '' : 'field-problem'}>
            {m.rest(rest)}
            <Amount value={Math.abs(rest)} currency={currency} />
          </p>
        )}
      </div>
    </fieldset>
  )
}

type PartFieldsProps = Pick<SplitsProps, 'currency' | 'categories'> & {
  index: number
  onCategory: (id: string) => void
  onRemove: () => void
}

const PartFields = ({ index, currency, categories, onCategory, onRemove }: PartFieldsProps) => (
  <div className='tx-split' role='group' aria-label={m.splitNumber(index + 1)}>
    <TextField name={`parts.${index}.name`} label={m.splitName} maxLength={255} required />
    <ComboboxField
      name={`parts.${index}.category_id`}
      label={common.category}
      of={categories}
      none={m.sameCategory}
      onChange={onCategory}
    />
    <AmountField
      name={`parts.${index}.amount`}
      label={common.amount}
      currency={currency}
      required
    />
    <button
      type='button'
      className='quiet'
      aria-label={m.removeSplit(index + 1)}
      onClick={onRemove}
    >
      ×
    </button>
  </div>
)
