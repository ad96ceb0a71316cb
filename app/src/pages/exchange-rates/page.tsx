/** Exchange rates of the context, for the overview in one currency. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { deleteRate, instanceRatesQuery, type Rate, ratesQuery } from '../../data/exchange-rates.ts'
import { useDeletion } from '../../data/change.ts'
import { formatDay } from '../../locale/days.ts'
import { locale } from '../../locale/language.ts'
import { common } from '../../messages/common.ts'
import { exchangeRates as m } from '../../messages/exchange-rates.ts'
import { Action, ActionsHead, EmptyState, PageHead } from '../../parts/ui.tsx'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { nameOf, RateForm } from './rate-form.tsx'

/** The maximum number of shown rates. */
const maximum = 200

export function Page() {
  const { context, rights } = useSessionContext()
  const rates = useQuery(ratesQuery(context, maximum))
  // a report without a rate links here with its day and currencies
  const { base, quote, on_date } = useSearch({ from: '/inside/exchange-rates' })
  const missing = base !== undefined && quote !== undefined && on_date !== undefined
    ? { base, quote, on_date }
    : null
  const [edited, setEdited] = useState<Rate | 'new' | null>(
    missing !== null && rights.write ? 'new' : null,
  )
  const remove = useDeletion(deleteRate, nameOf)
  const navigate = useNavigate({ from: '/exchange-rates' })
  const close = () => {
    setEdited(null)
    void navigate({ search: {}, replace: true })
  }
  return (
    <>
      <PageHead title={common.exchangeRates}>
        {rights.write && (
          <button type='button' className='primary' onClick={() => setEdited('new')}>
            {m.newExchangeRate}
          </button>
        )}
      </PageHead>
      <InstanceRates />
      <QueryBoundary of={[rates]} empty={<EmptyState>{m.empty}</EmptyState>}>
        {(rows) => (
          <>
            <RateTable rates={rows} onEdit={setEdited} onDelete={remove} />
            {rows.length === maximum && <p className='field-note'>{m.theNewest(maximum)}</p>}
          </>
        )}
      </QueryBoundary>
      {edited !== null && (
        <RateForm rate={edited === 'new' ? null : edited} missing={missing} onClose={close} />
      )}
    </>
  )
}

/** Tells that rates come by themselves. */
function InstanceRates() {
  const { data: rates = [] } = useQuery(instanceRatesQuery())
  const newest = rates.map(({ published_on }) => published_on).toSorted().at(-1)
  return newest === undefined
    ? null
    : <p className='field-note'>{m.instanceRates(rates.length, formatDay(newest))}</p>
}

/** Keeps all decimals. */
const formatRate = (rate: number) =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 12 }).format(rate)

type RateTableProps = {
  rates: Rate[]
  onEdit: (rate: Rate) => void
  onDelete: (rate: Rate) => void
}

function RateTable({ rates, onEdit, onDelete }: RateTableProps) {
  const { rights } = useSessionContext()
  return (
    <table className='stacking'>
      <thead>
        <tr>
          <th>{m.currencies}</th>
          <th>{m.validFrom}</th>
          <th className='amount'>{m.rate}</th>
          {rights.write && <ActionsHead />}
        </tr>
      </thead>
      <tbody>
        {rates.map((rate) => (
          <tr key={rate.id}>
            <th scope='row'>{nameOf(rate)}</th>
            <td data-label={m.validFrom}>{formatDay(rate.on_date)}</td>
            <td className='amount' data-label={m.rate}>{formatRate(rate.rate)}</td>
            {rights.write && (
              <td className='row-actions'>
                <Action
                  name={common.edit}
                  of={m.rateFrom(nameOf(rate), formatDay(rate.on_date))}
                  onClick={() => onEdit(rate)}
                />
                <Action
                  name={common.delete}
                  of={m.rateFrom(nameOf(rate), formatDay(rate.on_date))}
                  onClick={() => onDelete(rate)}
                />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
