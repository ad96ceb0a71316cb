import { Link } from '@tanstack/react-router'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountTypes, balanceOf, type Coming } from '../../data/accounts.ts'
import { formatAmount } from '../../locale/amounts.ts'
import { formatDay } from '../../locale/days.ts'
import { sumsByCurrency } from '../../locale/figures.ts'
import { accounts as m } from '../../messages/accounts.ts'
import { common } from '../../messages/common.ts'
import { Action, ActionsHead } from '../../parts/ui.tsx'

type AccountTableProps = {
  accounts: Account[]
  coming: Coming[]
  onEdit: (account: Account) => void
  onDelete: (account: Account) => void
}

export function AccountTable({ accounts, coming, onEdit, onDelete }: AccountTableProps) {
  const { rights } = useSessionContext()
  return (
    <table className='stacking'>
      <thead>
        <tr>
          <th>{common.name}</th>
          <th>{m.type}</th>
          <th className='amount'>{m.balance}</th>
          {rights.write && <ActionsHead />}
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <tr key={account.id}>
            <th scope='row'>
              <Link to='/accounts/$accountId' params={{ accountId: account.id }}>
                {account.name}
              </Link>
              {account.institution !== null && <small>{account.institution}</small>}
              {account.closed_on !== null && (
                <small>{m.closedSince(formatDay(account.closed_on))}</small>
              )}
            </th>
            <td data-label={m.type}>{accountTypes[account.type]}</td>
            <td className='amount' data-label={m.balance}>
              {formatAmount(balanceOf(account), account.currency)}
              {sumsByCurrency(coming.filter(({ account_id }) => account_id === account.id))
                .map(({ currency, sum }) => (
                  <small key={currency}>{m.upcoming(formatAmount(sum, currency))}</small>
                ))}
            </td>
            {rights.write && (
              <td className='row-actions'>
                <Action name={common.edit} of={account.name} onClick={() => onEdit(account)} />
                <Action name={common.delete} of={account.name} onClick={() => onDelete(account)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
