/** Former imports, which the user can revert. */
import { useQuery } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useChange } from '../../data/change.ts'
import { type Import, importsQuery, revertImport } from '../../data/imports.ts'
import { formatMoment } from '../../locale/days.ts'
import { bankImport as m } from '../../messages/bank-import.ts'
import { common } from '../../messages/common.ts'
import { Action, ActionsHead, ErrorNote } from '../../parts/ui.tsx'
import { QueryBoundary } from '../../parts/query-boundary.tsx'

const nameOf = ({ file_name, source }: Import) => file_name ?? source

export function PastImports() {
  const { context, rights } = useSessionContext()
  const imports = useQuery(importsQuery(context))
  const back = useChange(revertImport, {
    outcome: (_, one) => ({
      text: m.undone(nameOf(one), one.row_count),
      undoOf: one.id,
    }),
  })
  return (
    <section className='import-past' aria-labelledby='past'>
      <h2 id='past'>{m.history}</h2>
      {back.error !== null && (
        <Refusal
          error={back.error}
          name={back.variables === undefined ? '' : nameOf(back.variables)}
        />
      )}
      <QueryBoundary of={[imports]} empty={<p>{m.historyEmpty}</p>}>
        {(rows) => (
          <table>
            <thead>
              <tr>
                <th>{m.file}</th>
                <th className='wide-only'>{m.importedAt}</th>
                <th className='amount'>{common.transactions}</th>
                {rights.write && <ActionsHead />}
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <tr key={one.id}>
                  <th scope='row'>
                    {nameOf(one)}
                    <small>{one.account?.name ?? m.noAccount}</small>
                    <small className='phone-only'>{formatMoment(one.created_at)}</small>
                  </th>
                  <td className='wide-only'>{formatMoment(one.created_at)}</td>
                  <td className='amount'>{one.row_count}</td>
                  {rights.write && (
                    <td className='row-actions'>
                      <Action
                        name={m.undo}
                        of={nameOf(one)}
                        disabled={back.isPending}
                        onClick={() => back.mutate(one)}
                      />
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
      <p>{m.undoFailed(name)}</p>
      <ErrorNote error={error} />
    </>
  )
}
