import { useState } from 'react'
import { useUsualCurrency } from '../data/accounts.ts'
import { TextField } from './form.tsx'

type CurrencyFieldProps = {
  name?: string
  label?: string
  hint?: string | undefined
  /** What is stored; without it the usual one of the context stands there. */
  value?: string | undefined
  readOnly?: boolean
  /** Is told what was typed, as rows have it. */
  onChange?: (currency: string) => void
}

/** A currency by its three letters. */
export function CurrencyField({ name = 'currency', label = 'Currency', value, onChange, ...field }: CurrencyFieldProps) {
  const usual = useUsualCurrency()
  const [typed, setTyped] = useState(value?.toUpperCase())
  return (
    <TextField
      {...field}
      name={name}
      label={label}
      value={typed ?? usual.toUpperCase()}
      pattern='[A-Za-z]{3}'
      title='Three letters, such as EUR'
      maxLength={3}
      size={4}
      autoComplete='off'
      required
      onChange={({ target }) => {
        setTyped(target.value)
        onChange?.(target.value.toLowerCase())
      }}
    />
  )
}
