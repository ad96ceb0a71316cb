/** Fields for amounts, their direction and their currency. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useController, useFormContext } from 'react-hook-form'
import { useUsualCurrency } from '../data/accounts.ts'
import { decimalsOf, parseAmount, typedAmount } from '../locale/amounts.ts'
import { Field, type FieldProps, Select } from './form.tsx'
import { common } from '../messages/common.ts'
import { parts as m } from '../messages/parts.ts'

export type Direction = 'out' | 'in' | 'transfer'

/** The direction that a typed sign means. */
const directionOf = (typed: string): Direction | null =>
  /^\s*\+/.test(typed) ? 'in' : /^\s*[-−]/.test(typed) ? 'out' : null

type AmountFieldProps = FieldProps & {
  /** The name of a direction field, which a typed sign sets. */
  direction?: string
  required?: boolean
  /** Limits the decimals. Without a currency the service checks them. */
  currency?: string
  isNeverZero?: boolean
  /** The suggested amount while the value is null. Typing replaces it. */
  fallback?: number | null
  /**
   * The direction, with a button that turns it. Without it the form has a field of its own for the
   * direction.
   */
  sign?: { direction: 'in' | 'out', isFixed: boolean }
}

/** Returns the problem of a typed amount; null if there is none. */
function problemOf(
  typed: string,
  currency: string | undefined,
  isNeverZero: boolean,
): string | null {
  if (typed === '') return null
  const amount = parseAmount(typed)
  if (amount === null) return m.invalidAmount
  if (isNeverZero && amount === 0) return m.zeroAmount
  if (currency === undefined) return null
  const decimals = decimalsOf(currency)
  if (Number(amount.toFixed(decimals)) === amount) return null
  return m.decimalsAllowed(currency.toUpperCase(), decimals)
}

/**
 * An amount in the user's notation, or a sum of amounts, which is replaced by its result. The value
 * is null if the input is no amount.
 */
export function AmountField(
  {
    direction: directionName,
    required,
    currency,
    isNeverZero = false,
    fallback = null,
    sign,
    ...field
  }: AmountFieldProps,
) {
  const { field: { value, onChange } } = useController<Record<string, number | null>>({
    name: field.name,
  })
  const { setValue } = useFormContext<Record<string, Direction>>()
  const [input, setTyped] = useState(value == null ? null : typedAmount(value))
  const typed = input ?? (fallback === null ? '' : typedAmount(fallback))
  const [isLeft, setIsLeft] = useState(false)
  const problem = problemOf(typed, currency, isNeverZero)
  const control = useRef<HTMLInputElement>(null)
  // the browser does not submit a form with a custom validity
  useEffect(() => control.current?.setCustomValidity(problem ?? ''), [problem])
  const leave = () => {
    const amount = parseAmount(typed)
    setIsLeft(true)
    if (input !== null && amount !== null) setTyped(typedAmount(amount))
  }
  const turn = (direction: Direction) =>
    directionName !== undefined && setValue(directionName, direction, { shouldDirty: true })
  return (
    <Field {...field} problem={(isLeft ? problem : null) ?? field.problem}>
      {(props) => (
        <Signed sign={sign} onTurn={turn}>
          <input
            {...props}
            ref={control}
            className='amount'
            // a phone's numeric keypad has no + and no -
            inputMode='text'
            autoComplete='off'
            required={required}
            value={typed}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onBlur={leave}
            onInvalid={() => setIsLeft(true)}
            onChange={({ target }) => {
              setTyped(target.value)
              setIsLeft(false)
              onChange(parseAmount(target.value))
              const direction = directionOf(target.value)
              if (direction !== null) turn(direction)
            }}
          />
        </Signed>
      )}
    </Field>
  )
}

type SignedProps = {
  sign: AmountFieldProps['sign']
  onTurn: (direction: Direction) => void
  children: ReactNode
}

/**
 * A button for the sign before an amount. It is not on the way of the Tab key, because a typed + or
 * - does the same.
 */
function Signed({ sign, onTurn, children }: SignedProps) {
  if (sign === undefined) return children
  const isIn = sign.direction === 'in'
  const name = isIn ? m.isIncome : m.isExpense
  return (
    <span className='signed'>
      <button
        type='button'
        tabIndex={-1}
        disabled={sign.isFixed}
        aria-label={name}
        title={name}
        onClick={() => onTurn(isIn ? 'out' : 'in')}
      >
        {isIn ? '+' : '−'}
      </button>
      {children}
    </span>
  )
}

/** Expense or income, so that an amount needs no sign, and a transfer where the form has one. */
export const DirectionField = (
  { hasTransfer = false, ...props }: {
    hasTransfer?: boolean
    hint?: string | undefined
    disabled?: boolean
    fallback?: string
  },
) => (
  <Select {...props} name='direction' label={m.direction}>
    <option value='out'>{m.expenseOption}</option>
    <option value='in'>{m.incomeOption}</option>
    {hasTransfer && <option value='transfer'>{m.transferOption}</option>}
  </Select>
)

type CurrencyFieldProps = {
  name?: string
  label?: string
  hint?: string | undefined
  readOnly?: boolean
}

/** A currency by its three letters. A value of null follows the usual currency of the context. */
export function CurrencyField(
  { name = 'currency', label = common.currency, readOnly, ...field }: CurrencyFieldProps,
) {
  const { field: { value, onChange } } = useController<Record<string, string | null>>({ name })
  const { resetField } = useFormContext()
  const usual = useUsualCurrency()
  const [followsUsual] = useState(value === null)
  const [typed, setTyped] = useState(value?.toUpperCase())
  const isFollowing = followsUsual && typed === undefined
  useEffect(() => {
    if (isFollowing) resetField(name, { defaultValue: usual })
  }, [isFollowing, name, usual, resetField])
  return (
    <Field {...field} name={name} label={label}>
      {(control) => (
        <input
          {...control}
          value={typed ?? usual.toUpperCase()}
          pattern='[A-Za-z]{3}'
          title={m.currencyHint}
          maxLength={3}
          size={4}
          autoComplete='off'
          required
          readOnly={readOnly}
          onChange={({ target }) => {
            setTyped(target.value)
            onChange(target.value.trim().toLowerCase())
          }}
        />
      )}
    </Field>
  )
}
