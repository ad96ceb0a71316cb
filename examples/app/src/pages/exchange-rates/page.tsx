/** Exchange rates of the context, by which the overview shows all currencies in one. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { deleteRate, type Rate, ratesQuery } from '../../data/exchange-rates.ts'
import { useDeletion } from '../../data/undo.ts'
import { formatDay } from '../../locale/days.ts'
import { Action } from '../../parts/action.tsx'
import { ActionsHead } from '../../parts/actions-head.tsx'
import { Answer } from '../../parts/answer.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { nameOf, RateForm } from './rate-form.tsx'

/** As many rates as somebody reads; the newest hold. */
const most = 200

export function Page() {
  const { context, rights } = useHere()
  const rates = useQuery(ratesQuery(context, most))
  // a report that lacks a rate leads here with its day and currencies
  const { base, quote, on_date } = useSearch({ from: '/inside/exchange-rates' })
  const missing = base !== undefined && quote !== undefined && on_date !== undefined ? { base, quote, on_date } : null
  const [edited, setEdited] = useState<Rate | 'new' | null>(missing !== null && rights.write ? 'new' : null)
  const remove = useDeletion(deleteRate, nameOf)
  const navigate = useNavigate({ from: '/exchange-rates' })
  const close = () => {
    setEdited(null)
    void navigate({ search: {}, replace: true })
  }
  return (
    <>
      <PageHead title='Exchange rates'>
        {rights.write && <button type='button' className='primary' onClick={() => setEdited('new')}>New exchange rate</button>}
      </PageHead>
      <Answer to={[rates]} empty={<EmptyState>No exchange rate yet. With rates the overview shows all of your currencies in one.</EmptyState>}>
        {(rows) => (
          <>
            <RateTable rates={rows} onEdit={setEdited} onDelete={remove} />
            {rows.length === most && <p className='field-note'>The newest {most}.</p>}
          </>
        )}
      </Answer>
      {edited !== null && <RateForm rate={edited === 'new' ? null : edited} missing={missing} onClose={close} />}
    </>
  )
}

/** A rate with as many decimals as it has. */
const formatRate = (rate: number) => new Intl.NumberFormat(undefined, { maximumFractionDigits: 12 }).format(rate)

type RateTableProps = { rates: Rate[], onEdit: (rate: Rate) => void, onDelete: (rate: Rate) => void }

function RateTable({ rates, onEdit, onDelete }: RateTableProps) {
  const { rights } = useHere()
  return (
    <table>
      <thead>
        <tr>
          <th>Currencies</th>
          <th>From</th>
          <th className='amount'>Rate</th>
          <ActionsHead />
        </tr>
      </thead>
      <tbody>
        {rates.map((rate) => (
          <tr key={rate.id}>
            <th scope='row'>{nameOf(rate)}</th>
            <td>{formatDay(rate.on_date)}</td>
            <td className='amount'>{formatRate(rate.rate)}</td>
            {rights.write && (
              <td className='row-actions'>
                <Action name='Edit' of={`${nameOf(rate)} from ${formatDay(rate.on_date)}`} onClick={() => onEdit(rate)} />
                <Action name='Delete' of={`${nameOf(rate)} from ${formatDay(rate.on_date)}`} onClick={() => onDelete(rate)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
