import { Select } from './form.tsx'

/** Which way money goes. */
export type Direction = 'out' | 'in'

/** What a sign says that is typed before an amount. */
export const directionOf = (typed: string): Direction | null => /^\s*\+/.test(typed) ? 'in' : /^\s*[-−]/.test(typed) ? 'out' : null

type DirectionChoiceProps = { value: Direction, onChange: (direction: Direction) => void, hint?: string | undefined, disabled?: boolean }

/** Expense or income, which an amount does not have to say by its sign. */
export const DirectionChoice = ({ onChange, ...select }: DirectionChoiceProps) => (
  <Select
    {...select}
    name='direction'
    label='Direction'
    onChange={({ target }) => onChange(target.value === 'in' ? 'in' : 'out')}
  >
    <option value='out'>− Expense</option>
    <option value='in'>+ Income</option>
  </Select>
)
