import type { Search } from './search.ts'
import type { View } from './view.ts'

type CurrencyChoiceProps = { view: View, currencies: string[], canConvert: boolean, onChange: (chosen: Pick<Search, 'currency' | 'convert'>) => void }

/** One currency, or all of them converted to one. Not there where there is but one. */
export function CurrencyChoice({ view: { currency, convertTo }, currencies, canConvert, onChange }: CurrencyChoiceProps) {
  if (currencies.length < 2 || currency === undefined) return null
  return (
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
  )
}
