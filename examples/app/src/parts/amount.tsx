import { formatAmount } from '../locale/amounts.ts'

/** An amount with its currency, in figures of one width. */
export const Amount = ({ value, currency }: { value: number, currency: string }) => (
  <span className={value > 0 ? 'amount amount-in' : 'amount'}>{formatAmount(value, currency)}</span>
)
