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

type SplitsProps = {
  row: Transaction /** As it is typed. */
  currency: string
  parts: readonly Part[]
  onChange: (parts: Part[]) => void
  categories: readonly Category[]
}

/** The parts of a transaction, and what remains. */
export function Splits({ row, currency, parts, onChange, categories }: SplitsProps) {
  const [added, setAdded] = useState(0)
  const rest = restOf(row, parts)
  const change = (key: string, values: Partial<Part>) => onChange(parts.map((part) => part.key === key ? { ...part, ...values } : part))
  /** The category may be all that there is to say, and is then what the part is called. */
  const file = ({ key, name, category_id: before }: Part, id: string | null) => {
    const nameOf = (one: string | null) => categories.find((category) => category.id === one)?.name ?? ''
    change(key, { category_id: id, ...((name === '' || name === nameOf(before)) && { name: nameOf(id) }) })
  }
  const add = () => {
    setAdded(added + 1)
    // the first part that is added has all that remains
    onChange([...parts, { key: `new ${added}`, name: '', amount: rest > 0 ? rest : null, category_id: null }])
  }
  return (
    <fieldset className='splits'>
      <legend>Parts</legend>
      {parts.map((part, index) => (
        <div key={part.key} className='split' role='group' aria-label={`Part ${index + 1}`}>
          <TextField
            name={`part-name-${part.key}`}
            label='What'
            value={part.name}
            maxLength={255}
            required
            onChange={({ target }) => change(part.key, { name: target.value })}
          />
          <Select
            name={`part-category-${part.key}`}
            label='Category'
            value={part.category_id ?? ''}
            onChange={({ target }) => file(part, target.value || null)}
          >
            <option value=''>As the whole</option>
            <Options of={categories} />
          </Select>
          <AmountField
            name={`part-amount-${part.key}`}
            label='Amount'
            value={part.amount}
            currency={currency}
            onChange={(value) => change(part.key, { amount: value })}
            required
          />
          <button type='button' className='quiet' aria-label={`Remove part ${index + 1}`} onClick={() => onChange(parts.filter(({ key }) => key !== part.key))}>
            ×
          </button>
        </div>
      ))}
      <div className='splits-end'>
        <button type='button' onClick={add}>Add a part</button>
        {parts.length > 0 && (
          <p role='status' className={rest < 0 ? 'field-problem' : ''}>
            {rest < 0 ? 'Too much by ' : 'Remains '}
            <Amount value={Math.abs(rest)} currency={currency} />
          </p>
        )}
      </div>
    </fieldset>
  )
}
