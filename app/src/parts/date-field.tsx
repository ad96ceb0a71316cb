/** A field for a day, by typing or from the browser's calendar. */
import { useEffect, useRef, useState } from 'react'
import { useController } from 'react-hook-form'
import { firstDay, lastDay, today } from '../locale/days.ts'
import { locale } from '../locale/language.ts'
import { addDays } from '../locale/months.ts'
import { parseDay, typedDay } from '../locale/typed-day.ts'
import { parts as m } from '../messages/parts.ts'
import { Field, type FieldProps } from './form.tsx'

type DateFieldProps = FieldProps & { min?: string, max?: string, required?: boolean }

/**
 * A day as the locale writes it, in short forms too. Its value is `2025-01-31`; empty if the input
 * is no day.
 */
export function DateField(
  { name, label, hint, problem, min = firstDay, max = lastDay, required }: DateFieldProps,
) {
  const { field } = useController<Record<string, string>>({ name })
  const [typed, setTyped] = useState<string | null>(null)
  const [isLeft, setIsLeft] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const day = field.value ?? ''
  const visible = typed ?? (day === '' ? '' : typedDay(day, locale))
  const isWrong = visible !== '' && (day === '' || day < min || day > max)
  const wrong = isWrong ? m.invalidDate(typedDay(today(), locale)) : null
  // the browser does not submit a form with a custom validity
  useEffect(() => input.current?.setCustomValidity(wrong ?? ''), [wrong])
  const choose = (next: string) => {
    setTyped(null)
    field.onChange(next)
  }
  return (
    <Field {...{ name, label, hint }} problem={(isLeft ? wrong : null) ?? problem}>
      {(control) => (
        <span className='day'>
          <input
            {...control}
            ref={input}
            inputMode='text'
            autoComplete='off'
            required={required}
            value={visible}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onBlur={() => {
              setIsLeft(true)
              if (day !== '') setTyped(null)
            }}
            onInvalid={() => setIsLeft(true)}
            onChange={({ target }) => {
              setTyped(target.value)
              setIsLeft(false)
              field.onChange(parseDay(target.value, today(), locale) ?? '')
            }}
            onKeyDown={(event) => {
              const by = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
              if (by === 0 || event.altKey) return
              event.preventDefault()
              choose(day === '' ? today() : addDays(day, by))
            }}
          />
          <Calendar {...{ day, min, max }} onChoose={choose} />
        </span>
      )}
    </Field>
  )
}

type CalendarProps = {
  day: string
  min: string
  max: string
  onChoose: (day: string) => void
}

/** A button that opens the calendar of the browser. */
function Calendar({ day, min, max, onChoose }: CalendarProps) {
  const calendar = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type='button'
        className='day-open'
        tabIndex={-1}
        aria-label={m.openCalendar}
        onClick={() => calendar.current?.showPicker()}
      >
        <svg viewBox='0 0 16 16' aria-hidden='true'>
          <path d='M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3' />
        </svg>
      </button>
      <input
        ref={calendar}
        type='date'
        className='day-calendar'
        tabIndex={-1}
        aria-hidden='true'
        min={min}
        max={max}
        value={day}
        onChange={({ target }) => onChoose(target.value)}
      />
    </>
  )
}
