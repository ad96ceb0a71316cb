/** Links a transaction with the other half of a transfer, or ends its transfer. */
import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { type Account, accountsQuery } from '../../data/accounts.ts'
import {
  halvesOf,
  isLoneHalf,
  otherHalvesQuery,
  type Transaction,
} from '../../data/transactions/api.ts'
import { dayOf } from '../../data/transactions/day.ts'
import type { TransactionChanges } from '../../data/transactions/changes.ts'
import { formatDay } from '../../locale/days.ts'
import { transactions as m } from '../../messages/transactions.ts'
import { QueryBoundary } from '../../parts/query-boundary.tsx'
import { Action, Amount, ErrorNote } from '../../parts/ui.tsx'

type TransferLinkProps = {
  row: Transaction
  changes: TransactionChanges
  /** Whether the form has unsaved input, which the change would drop. */
  isEdited: boolean
  onDone: () => void
}

export function TransferLink(
  { row, changes: { link, unlink }, isEdited, onDone }: TransferLinkProps,
) {
  const { context, user } = useSessionContext()
  const { data: accounts = [] } = useQuery(accountsQuery(context))
  const { transfer_id: transfer, account_id: account } = row
  const isWhole = transfer !== null && !isLoneHalf(row)
  const halves = useQuery({
    queryKey: [context.key, 'transactions', 'halves', transfer],
    queryFn: async () => (await halvesOf([row])).filter(({ id }) => id !== row.id),
    enabled: isWhole,
  })
  const isLinkable = !isWhole && account !== null && row.amount !== 0
  const candidates = useQuery({ ...otherHalvesQuery(context, user.id, row), enabled: isLinkable })
  if (transfer === null && !isLinkable) return null
  const isBusy = isEdited || link.isPending || unlink.isPending
  return (
    <section className='tx-link' aria-labelledby='tx-link'>
      <h3 id='tx-link' tabIndex={-1}>
        {isWhole ? m.transferWith : isLinkable ? m.linkAsTransferWith : m.transfer}
      </h3>
      <ErrorNote error={link.error ?? unlink.error} />
      {isEdited && <p className='field-note'>{m.saveFirst}</p>}
      {isLoneHalf(row) && <p className='field-note'>{m.otherHalfElsewhere}</p>}
      {(isWhole || isLinkable) && (
        <QueryBoundary
          of={[isWhole ? halves : candidates]}
          empty={<p className='field-note'>{isWhole ? m.otherHalfElsewhere : m.noOtherHalf}</p>}
        >
          {(others) => (
            <ul className='list'>
              {others.map((other) => (
                <OtherHalf
                  key={other.id}
                  {...{ other, accounts, isBusy }}
                  onLink={isWhole ? null : () => link.mutate([row, other], { onSuccess: onDone })}
                />
              ))}
            </ul>
          )}
        </QueryBoundary>
      )}
      {transfer !== null && (
        <button
          type='button'
          disabled={isBusy}
          onClick={() => unlink.mutate(transfer, { onSuccess: onDone })}
        >
          {m.unlink}
        </button>
      )}
    </section>
  )
}

type OtherHalfProps = {
  other: Transaction
  accounts: Account[]
  isBusy: boolean
  /** null for the half that is already linked. */
  onLink: (() => void) | null
}

function OtherHalf({ other, accounts, isBusy, onLink }: OtherHalfProps) {
  const account = accounts.find(({ id }) => id === other.account_id)?.name ?? m.noAccount
  return (
    <li>
      <span>
        {other.name}
        <small>{m.dayInAccount(formatDay(dayOf(other)), account)}</small>
      </span>
      <Amount value={other.amount} currency={other.currency} />
      {onLink !== null && (
        <Action name={m.link} of={other.name} disabled={isBusy} onClick={onLink} />
      )}
    </li>
  )
}
