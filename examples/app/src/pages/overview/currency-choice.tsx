import { Link } from '@tanstack/react-router'
import type { Money } from '../../data/reports.ts'
import type { Search } from '../../app/search.ts'

type CurrencyChoiceProps = { money: Money, currencies: string[], canConvert: boolean, onChange: (chosen: Pick<Search, 'currency' | 'convert'>) => void }

/** One currency, or all of them converted to one, and the way to what they are converted by. Not there where there is but one. */
export function CurrencyChoice({ money: { currency, convertTo }, currencies, canConvert, onChange }: CurrencyChoiceProps) {
  if (currencies.length < 2 || currency == null) return null
  return (
    <>
      <select
        aria-label='Currency'
        value={`${convertTo === null ? 'only' : 'all'} ${currency}`}
        onChange={({ target }) => {
          const [way, chosen = ''] = target.value.split(' ')
          onChange(way === 'all' ? { convert: chosen } : { currency: chosen })
        }}
      >
        {currencies.map((one) => <option key={one} value={`only ${one}`}>Only {one.toUpperCase()}</option>)}
        {canConvert && currencies.map((one) => <option key={one} value={`all ${one}`}>All in {one.toUpperCase()}</option>)}
      </select>
      <Link to='/exchange-rates'>Exchange rates</Link>
    </>
  )
}
