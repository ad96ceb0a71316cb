import { addMonths, formatPeriod } from '../locale/months.ts'

/** A month, with the one before and the one after. */
export const MonthSteps = ({ month, onChange }: { month: string, onChange: (month: string) => void }) => (
  <div className='month-steps' role='group' aria-label='Month'>
    <button
      type='button'
      className='quiet'
      aria-label='Month before'
      onClick={() =>
        onChange(addMonths(month, -1))}
    >
      ←
    </button>
    <output>{formatPeriod(month, 'month')}</output>
    <button
      type='button'
      className='quiet'
      aria-label='Month after'
      onClick={() =>
        onChange(addMonths(month, 1))}
    >
      →
    </button>
  </div>
)
