import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import {
  type Account,
  accountsQuery,
  balanceOf,
  bookedQuery,
  isClosed,
} from '../../data/accounts.ts'
import { today } from '../../locale/days.ts'
import { balancesOf, sumsByCurrency } from '../../locale/figures.ts'
import { addMonths, formatPeriod, monthOf } from '../../locale/months.ts'
import { Amount, EmptyState, RowsLink, Skeleton } from '../ui.tsx'
import { QueryBoundary } from '../query-boundary.tsx'
import { Sparkline, TableSwitch } from './marks.tsx'
import { common } from '../../messages/common.ts'
import { reports as m } from '../../messages/reports.ts'

/** The month of a day and the five before. */
const monthsUntil = (day: string): string[] =>
  [-5, -4, -3, -2, -1, 0].map((count) => addMonths(monthOf(day), count))

/** Current and former balances per account, and sums per currency. */
export function Balances() {
  const { context, rights } = useSessionContext()
  const months = monthsUntil(today())
  const accounts = useQuery({
    ...accountsQuery(context),
    select: (all) => all.filter((account) => !isClosed(account) || balanceOf(account) !== 0),
  })
  const [isTable, setIsTable] = useState(false)
  return (
    <QueryBoundary
      of={[accounts]}
      empty={
        <EmptyState action={rights.write && <Link to='/accounts'>{m.addAccount}</Link>}>
          {m.balancesEmpty}
        </EmptyState>
      }
      loading={<Skeleton rows={5} />}
    >
      {(rows) => (
        <>
          <table>
            <thead className='unseen'>
              <tr>
                <th>{common.account}</th>
                <td />
                <th>{m.balance}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((account) => (
                <AccountRow key={account.id} {...{ account, months, isTable }} />
              ))}
            </tbody>
            <tfoot>
              <Totals accounts={rows} />
            </tfoot>
          </table>
          <TableSwitch isTable={isTable} onChange={setIsTable} />
        </>
      )}
    </QueryBoundary>
  )
}

/** The opening balance as a change of its month. Without a day it counts from the beginning. */
const opening = ({ opened_on: day, balance }: Account) =>
  day === null || day > today() ? [] : [{ month: monthOf(day), amount: balance }]

type AccountRowProps = { account: Account, months: string[], isTable: boolean }

function AccountRow({ account, months, isTable }: AccountRowProps) {
  const { context } = useSessionContext()
  const booked = useQuery(
    bookedQuery(context, account.id, { start: months[0] ?? '', end: today() }),
  )
  const moved = booked.data?.map(({ key, value }) => ({ month: key ?? '', amount: value }))
  const balances = moved && balancesOf(balanceOf(account), [...moved, ...opening(account)], months)
  return (
    <>
      <tr>
        <th scope='row'>
          <RowsLink account={account.id}>{account.name}</RowsLink>
        </th>
        <td>
          <Sparkline values={balances ?? []} />
        </td>
        <td className='amount'>
          <Amount value={balanceOf(account)} currency={account.currency} />
        </td>
      </tr>
      {isTable && balances !== undefined &&
        months.slice(0, -1).map((month, index) => (
          <tr key={month} className='resting'>
            <th scope='row' colSpan={2}>{m.endOf(formatPeriod(month, 'month'))}</th>
            <td className='amount'>
              <Amount value={balances[index] ?? 0} currency={account.currency} />
            </td>
          </tr>
        )).toReversed()}
    </>
  )
}

function Totals({ accounts }: { accounts: Account[] }) {
  const sums = sumsByCurrency(
    accounts.map((account) => ({ amount: balanceOf(account), currency: account.currency })),
  )
  return sums.filter(({ count }) => count > 1).map(({ currency, sum }) => (
    <tr key={currency}>
      <th scope='row' colSpan={2}>{m.allIn(currency.toUpperCase())}</th>
      <td className='amount'>
        <Amount value={sum} currency={currency} />
      </td>
    </tr>
  ))
}
