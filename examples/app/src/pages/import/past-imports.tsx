/** Former imports, which the user can revert. */
import { useQuery } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { useSessionContext } from '../../app/session-context.tsx'
import { undoLastOf, useChange } from '../../data/change.ts'
import { type Import, importsQuery, revertImport } from '../../data/imports.ts'
import { formatMoment } from '../../locale/days.ts'
import { Action, ActionsHead, ErrorNote } from '../../parts/ui.tsx'
import { QueryBoundary } from '../../parts/query-boundary.tsx'

const nameOf = ({ file_name, source }: Import) => file_name ?? source

export function PastImports() {
  const { context, rights } = useSessionContext()
  const imports = useQuery(importsQuery(context))
  const back = useChange(revertImport, {
    outcome: (_, one) => ({
      text: `${nameOf(one)} is taken back, with its ${one.row_count} ${one.row_count === 1 ? 'transaction' : 'transactions'}.`,
      undo: () => undoLastOf(one.id),
    }),
  })
  return (
    <section className='past' aria-labelledby='past'>
      <h2 id='past'>Imported before</h2>
      {back.error !== null && <Refusal error={back.error} name={back.variables === undefined ? '' : nameOf(back.variables)} />}
      <QueryBoundary of={[imports]} empty={<p>Nothing yet. What you import stands here, and can be taken back as one.</p>}>
        {(rows) => (
          <table>
            <thead>
              <tr>
                <th>File</th>
                <th className='wide-only'>When</th>
                <th className='amount'>Transactions</th>
                {rights.write && <ActionsHead />}
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <tr key={one.id}>
                  <th scope='row'>
                    {nameOf(one)}
                    <small>{one.account?.name ?? 'No account'}</small>
                    <small className='phone-only'>{formatMoment(one.created_at)}</small>
                  </th>
                  <td className='wide-only'>{formatMoment(one.created_at)}</td>
                  <td className='amount'>{one.row_count}</td>
                  {rights.write && (
                    <td className='row-actions'>
                      <Action name='Take back' of={nameOf(one)} disabled={back.isPending} onClick={() => back.mutate(one)} />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </QueryBoundary>
    </section>
  )
}

/** The reason why an import cannot be reverted, mostly later changes of its rows. */
function Refusal({ error, name }: { error: Error, name: string }) {
  if (!(error instanceof FinanceError) || error.status !== 409) return <ErrorNote error={error} />
  return (
    <>
      <p>{name} stays as it is:</p>
      <ErrorNote error={error} />
    </>
  )
}
