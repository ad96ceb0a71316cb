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

/** A part in the form. `category_id` is empty for the category of the whole. */
export type Part = { name: string, category_id: string, amount: number | null }

export const partsOf = ({ line_items }: Transaction): Part[] =>
  line_items.map(({ name, amount, category_id }) => ({ name, category_id: category_id ?? '', amount: Math.abs(amount) }))

/** The remainder of the whole, to the cent. */
export const restOf = ({ amount }: Transaction, parts: readonly Part[]): number =>
  sumOf([Math.abs(amount), ...parts.map((part) => -Math.abs(part.amount ?? 0))])

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
    if (name === '' || name === nameOf(before)) setValue(`parts.${index}.name`, nameOf(id), { shouldDirty: true })
  }
  return (
    <fieldset className='tx-splits'>
      <legend>{m.parts}</legend>
      {fields.map((field, index) => (
        <div key={field.id} className='tx-split' role='group' aria-label={m.part(index + 1)}>
          <TextField name={`parts.${index}.name`} label={m.what} maxLength={255} required />
          <ComboboxField
            name={`parts.${index}.category_id`}
            label={common.category}
            of={categories}
            none={m.asTheWhole}
            onChange={(id) => rename(index, parts[index] ?? field, id)}
          />
          <AmountField name={`parts.${index}.amount`} label={common.amount} currency={currency} required />
          <button type='button' className='quiet' aria-label={m.removePart(index + 1)} onClick={() => remove(index)}>×</button>
        </div>
      ))}
      <div className='tx-splits-end'>
        {/* the first part gets the whole remainder */}
        <button type='button' onClick={() => append({ name: '', category_id: '', amount: rest > 0 ? rest : null }, { shouldFocus: false })}>
          {m.addAPart}
        </button>
        {parts.length > 0 && (
          <p role='status' className={rest < 0 ? 'field-problem' : ''}>
            {m.rest(rest)}
            <Amount value={Math.abs(rest)} currency={currency} />
          </p>
        )}
      </div>
    </fieldset>
  )
}
