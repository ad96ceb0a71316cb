import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHere } from '../../app/here.tsx'
import { type Account, accountsQuery } from '../../data/accounts.ts'
import { sumsByCurrency } from '../../locale/figures.ts'
import { Amount } from '../../parts/amount.tsx'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { RowsLink } from '../../parts/rows-link.tsx'

const balanceOf = ({ current_balance, balance }: Account) => current_balance ?? balance

/** What lies in the accounts now, each in its own currency, and the sum of each currency. */
export function Balances() {
  const { context, rights } = useHere()
  const accounts = useQuery(accountsQuery(context))
  return (
    <Card title='Balances' queries={[accounts]}>
      {() =>
        accounts.data?.length === 0
          ? <EmptyState action={rights.write && <Link to='/accounts'>Add an account</Link>}>No account yet, so there is no balance.</EmptyState>
          : <BalanceTable accounts={accounts.data ?? []} />}
    </Card>
  )
}

function BalanceTable({ accounts }: { accounts: Account[] }) {
  const sums = sumsByCurrency(accounts.map((account) => ({ amount: balanceOf(account), currency: account.currency })))
  return (
    <table>
      <thead className='unseen'>
        <tr>
          <th>Account</th>
          <th>Balance</th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <tr key={account.id}>
            <th scope='row'>
              <RowsLink account={account.id}>{account.name}</RowsLink>
            </th>
            <td className='amount'>
              <Amount value={balanceOf(account)} currency={account.currency} />
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        {sums.filter(({ count }) => count > 1).map(({ currency, sum }) => (
          <tr key={currency}>
            <th scope='row'>All in {currency.toUpperCase()}</th>
            <td className='amount'>
              <Amount value={sum} currency={currency} />
            </td>
          </tr>
        ))}
      </tfoot>
    </table>
  )
}
