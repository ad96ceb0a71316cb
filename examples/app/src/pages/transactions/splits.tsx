import { useState } from 'react'
import type { Category } from '../../data/categories.ts'
import type { LineItem, Transaction } from '../../data/transactions.ts'
import { Amount } from '../../parts/amount.tsx'
import { AmountField } from '../../parts/amount-field.tsx'
import { Options, Select, TextField } from '../../parts/form.tsx'

/** A part as it is written; `key` tells those apart that are not stored yet. */
export type Part = Omit<LineItem, 'id' | 'amount'> & { key: string, amount: number | null }

export const partsOf = ({ line_items }: Transaction): Part[] => line_items.map(({ id, amount, ...item }) => ({ ...item, key: id, amount: Math.abs(amount) }))

/** What the parts leave of the whole, to the cent. */
export const restOf = ({ amount }: Transaction, parts: readonly Part[]): number =>
  Math.round((Math.abs(amount) - parts.reduce((sum, part) => sum + Math.abs(part.amount ?? 0), 0)) * 100) / 100

type SplitsProps = { row: Transaction, parts: readonly Part[], onChange: (parts: Part[]) => void, categories: readonly Category[] }

/** The parts of a transaction, and what remains. */
export function Splits({ row, parts, onChange, categories }: SplitsProps) {
  const [added, setAdded] = useState(0)
  const rest = restOf(row, parts)
  const change = (key: string, values: Partial<Part>) => onChange(parts.map((part) => part.key === key ? { ...part, ...values } : part))
  const add = () => {
    setAdded(added + 1)
    // the first part that is added has all that remains
    onChange([...parts, { key: `new ${added}`, name: '', amount: rest > 0 ? rest : null, category_id: null }])
  }
  return (
    <fieldset className='splits'>
      <legend>Parts</legend>
      {parts.map(({ key, name, amount, category_id }, index) => (
        <div key={key} className='split' role='group' aria-label={`Part ${index + 1}`}>
          <TextField
            name={`part-name-${key}`}
            label='What'
            value={name}
            maxLength={255}
            required
            onChange={({ target }) => change(key, { name: target.value })}
          />
          <Select
            name={`part-category-${key}`}
            label='Category'
            value={category_id ?? ''}
            onChange={({ target }) => change(key, { category_id: target.value || null })}
          >
            <option value=''>As the whole</option>
            <Options of={categories} />
          </Select>
          <AmountField
            name={`part-amount-${key}`}
            label='Amount'
            value={amount}
            currency={row.currency}
            onChange={(value) => change(key, { amount: value })}
            required
          />
          <button type='button' className='quiet' aria-label={`Remove part ${index + 1}`} onClick={() => onChange(parts.filter((part) => part.key !== key))}>
            ×
          </button>
        </div>
      ))}
      <div className='splits-end'>
        <button type='button' onClick={add}>Add a part</button>
        {parts.length > 0 && (
          <p role='status' className={rest < 0 ? 'field-problem' : ''}>
            {rest < 0 ? 'Too much by ' : 'Remains '}
            <Amount value={Math.abs(rest)} currency={row.currency} />
          </p>
        )}
      </div>
    </fieldset>
  )
}
