import { useEffect, useRef, useState } from 'react'
import { decimalsOf, parseAmount, typedAmount } from '../locale/amounts.ts'
import { type Direction, directionOf } from './direction.tsx'
import { Field, type FieldProps } from './form.tsx'

type AmountFieldProps = FieldProps & {
  value: number | null
  onChange: (amount: number | null) => void
  /** Is told of a sign that is typed, where that says the direction. */
  onDirection?: (direction: Direction) => void
  required?: boolean
  /** Whose decimals it may have; without one the service judges them. */
  currency?: string
  isNeverZero?: boolean
}

/** What is wrong with an amount as it was typed. */
function problemOf(typed: string, currency: string | undefined, isNeverZero: boolean): string | null {
  if (typed === '') return null
  const amount = parseAmount(typed)
  if (amount === null) return 'This is no amount.'
  if (isNeverZero && amount === 0) return 'An amount of zero moves nothing.'
  if (currency === undefined) return null
  const decimals = decimalsOf(currency)
  if (Number(amount.toFixed(decimals)) === amount) return null
  return `${currency.toUpperCase()} has ${decimals === 0 ? 'no' : decimals} decimals.`
}

/** An amount as people type it, sums too; what it comes to is shown when the field is left. `onChange` gets null where it is no amount. */
export function AmountField({ value, onChange, onDirection, required, currency, isNeverZero = false, ...field }: AmountFieldProps) {
  const [typed, setTyped] = useState(value === null ? '' : typedAmount(value))
  const [isLeft, setIsLeft] = useState(false)
  const wrong = problemOf(typed, currency, isNeverZero)
  const input = useRef<HTMLInputElement>(null)
  // the browser sends no form with it
  useEffect(() => input.current?.setCustomValidity(wrong ?? ''), [wrong])
  const leave = () => {
    const amount = parseAmount(typed)
    setIsLeft(true)
    if (amount !== null) setTyped(typedAmount(amount))
  }
  return (
    <Field {...field} problem={(isLeft ? wrong : null) ?? field.problem ?? null}>
      {(control) => (
        <input
          {...control}
          ref={input}
          className='amount'
          // a phone's pad of digits alone has no + and no -
          inputMode='text'
          autoComplete='off'
          required={required}
          value={typed}
          onBlur={leave}
          onInvalid={() => setIsLeft(true)}
          onChange={({ target }) => {
            setTyped(target.value)
            setIsLeft(false)
            onChange(parseAmount(target.value))
            const direction = directionOf(target.value)
            if (direction !== null) onDirection?.(direction)
          }}
        />
      )}
    </Field>
  )
}
