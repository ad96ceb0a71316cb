/** What was imported before, each of which can be taken back as one. */
import { useQuery } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { useHere } from '../../app/here.tsx'
import { useChange } from '../../data/change.ts'
import { type Import, importsQuery, takeBack } from '../../data/imports.ts'
import { useTellWithUndo } from '../../data/undo.ts'
import { formatMoment } from '../../locale/days.ts'
import { ActionsHead } from '../../parts/actions-head.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useTell } from '../../parts/toast.tsx'

const nameOf = ({ file_name, source }: Import) => file_name ?? source

export function PastImports() {
  const { context, rights } = useHere()
  const imports = useQuery(importsQuery(context))
  const tell = useTell()
  const tellWithUndo = useTellWithUndo()
  const back = useChange(takeBack, (_, one) => {
    const sentence = `${nameOf(one)} is taken back, with its ${one.row_count} ${one.row_count === 1 ? 'transaction' : 'transactions'}.`
    if (rights.undo) tellWithUndo(sentence, one.id)
    else tell(sentence)
  })
  return (
    <section className='past' aria-labelledby='past'>
      <h2 id='past'>Imported before</h2>
      <ErrorNote error={imports.error} />
      {imports.isPending && <Skeleton />}
      {imports.data?.length === 0 && <p>Nothing yet. What you import stands here, and can be taken back as one.</p>}
      {back.error !== null && <Refusal error={back.error} name={back.variables === undefined ? '' : nameOf(back.variables)} />}
      {imports.data !== undefined && imports.data.length > 0 && (
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
            {imports.data.map((one) => (
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
                    <button type='button' className='quiet' aria-label={`Take back ${nameOf(one)}`} disabled={back.isPending} onClick={() => back.mutate(one)}>
                      Take back
                    </button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
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
