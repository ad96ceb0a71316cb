import { Link } from '@tanstack/react-router'
import type { Search } from '../../shell/search.ts'
import type { Money } from '../../data/reports.ts'
import { common } from '../../messages/common.ts'
import { reports as m } from '../../messages/reports.ts'

type CurrencyChoiceProps = {
  money: Money
  currencies: string[]
  canConvert: boolean
  onChange: (chosen: Pick<Search, 'currency' | 'convert'>) => void
}

/** Chooses one currency, or a conversion to one. Hidden if there is only one. */
export function CurrencyChoice(
  { money: { currency, convertTo }, currencies, canConvert, onChange }: CurrencyChoiceProps,
) {
  if (currencies.length < 2 || currency == null) return null
  return (
    <>
      <select
        aria-label={common.currency}
        value={`${convertTo === null ? 'only' : 'all'} ${currency}`}
        onChange={({ target }) => {
          const [way, chosen = ''] = target.value.split(' ')
          onChange(way === 'all' ? { convert: chosen } : { currency: chosen })
        }}
      >
        {currencies.map((one) => (
          <option key={one} value={`only ${one}`}>{m.only(one.toUpperCase())}</option>
        ))}
        {canConvert &&
          currencies.map((one) => (
            <option key={one} value={`all ${one}`}>{m.allIn(one.toUpperCase())}</option>
          ))}
      </select>
      <Link to='/exchange-rates'>{common.exchangeRates}</Link>
    </>
  )
}
