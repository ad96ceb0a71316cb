/** What was imported before, each of which can be taken back as one. */
import { useQuery } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { useHere } from '../../app/here.tsx'
import { useChange } from '../../data/change.ts'
import { type Import, importsQuery, takeBack } from '../../data/imports.ts'
import { useTellWithUndo } from '../../data/undo.ts'
import { formatMoment } from '../../locale/days.ts'
import { Action } from '../../parts/action.tsx'
import { ActionsHead } from '../../parts/actions-head.tsx'
import { Answer } from '../../parts/answer.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'

const nameOf = ({ file_name, source }: Import) => file_name ?? source

export function PastImports() {
  const { context, rights } = useHere()
  const imports = useQuery(importsQuery(context))
  const tellWithUndo = useTellWithUndo()
  const back = useChange(takeBack, (_, one) => {
    tellWithUndo(`${nameOf(one)} is taken back, with its ${one.row_count} ${one.row_count === 1 ? 'transaction' : 'transactions'}.`, one.id)
  })
  return (
    <section className='past' aria-labelledby='past'>
      <h2 id='past'>Imported before</h2>
      {back.error !== null && <Refusal error={back.error} name={back.variables === undefined ? '' : nameOf(back.variables)} />}
      <Answer to={[imports]} empty={<p>Nothing yet. What you import stands here, and can be taken back as one.</p>}>
        {(rows) => (
          <table>
            <thead>
              <tr>
                <th>File</th>
                <th className='wide-only'>When</th>
                <th className='amount'>Transactions</th>
                <ActionsHead />
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
      </Answer>
    </section>
  )
}

/** Why an import cannot be taken back: mostly because somebody's work on its rows would be lost. */
function Refusal({ error, name }: { error: Error, name: string }) {
  if (!(error instanceof FinanceError) || error.status !== 409) return <ErrorNote error={error} />
  return (
    <>
      <p>{name} stays as it is:</p>
      <ErrorNote error={error} />
    </>
  )
}
