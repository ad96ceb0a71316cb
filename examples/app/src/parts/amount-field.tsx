import { useState } from 'react'
import { parseAmount, typedAmount } from '../locale/amounts.ts'
import { type Direction, directionOf } from './direction.tsx'
import { Field, type FieldProps } from './form.tsx'

type AmountFieldProps = FieldProps & {
  value: number | null
  onChange: (amount: number | null) => void
  /** Is told of a sign that is typed, where that says the direction. */
  onDirection?: (direction: Direction) => void
  required?: boolean
}

/** An amount as people type it, sums too; what it comes to is shown when the field is left. `onChange` gets null where it is no amount. */
export function AmountField({ value, onChange, onDirection, required, ...field }: AmountFieldProps) {
  const [typed, setTyped] = useState(value === null ? '' : typedAmount(value))
  const [isLeft, setIsLeft] = useState(false)
  const isWrong = isLeft && typed !== '' && parseAmount(typed) === null
  const leave = () => {
    const amount = parseAmount(typed)
    setIsLeft(true)
    if (amount !== null) setTyped(typedAmount(amount))
  }
  return (
    <Field {...field} problem={isWrong ? 'This is no amount.' : field.problem ?? null}>
      {(control) => (
        <input
          {...control}
          className='amount'
          // a phone's pad of digits alone has no + and no -
          inputMode='text'
          autoComplete='off'
          required={required}
          value={typed}
          onBlur={leave}
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
