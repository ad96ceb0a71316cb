import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { examplesQuery } from '../../data/examples/state.ts'
import { exampleBooks as m } from '../../messages/example-books.ts'
import { AddExamples, RemoveExamples } from '../../parts/examples.tsx'

/** Adds example books to an empty context, or removes them. */
export function Examples() {
  const { context, rights } = useSessionContext()
  const { data: state } = useQuery(examplesQuery(context))
  if (!rights.write || state === undefined) return null
  return (
    <section className='section'>
      <h3>{m.title}</h3>
      {state === 'there' && <RemoveExamples />}
      {state === 'possible' && <AddExamples />}
      {state === 'impossible' && <p>{m.notEmpty}</p>}
    </section>
  )
}
