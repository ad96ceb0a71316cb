import { useSessionContext } from '../../app/session-context.tsx'
import { type Account, accountTypes, balanceOf } from '../../data/accounts.ts'
import { accounts as m, common } from '../../messages/en.ts'
import { Action, ActionsHead, Amount } from '../../parts/ui.tsx'

type AccountTableProps = { accounts: Account[], onEdit: (account: Account) => void, onDelete: (account: Account) => void }

export function AccountTable({ accounts, onEdit, onDelete }: AccountTableProps) {
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
            <th scope='row'>{account.name}{account.institution !== null && <small>{account.institution}</small>}</th>
            <td data-label={m.type}>{accountTypes[account.type]}</td>
            <td className='amount' data-label={m.balance}>
              <Amount value={balanceOf(account)} currency={account.currency} />
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
