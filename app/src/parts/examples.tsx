/** Example books: the offer to add them, and the banner that removes them. */
import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../shell/session-context.tsx'
import { accountsQuery } from '../data/accounts.ts'
import { useChange } from '../data/change.ts'
import { isExample } from '../data/examples/mark.ts'
import { exampleBooks as m } from '../messages/example-books.ts'

// the books and their names are loaded on demand
const store = () => import('../data/examples/store.ts')

/** Adds a year of example books to the context. */
export function AddExamples() {
  const { user } = useSessionContext()
  const add = useChange(async (context) => (await store()).addExamples(context, user.id), {
    outcome: () => ({ text: m.added }),
    toastsErrors: true,
  })
  return (
    <div className='notice-offer'>
      <button
        type='button'
        aria-disabled={add.isPending}
        onClick={() => add.isPending || add.mutate(undefined)}
      >
        {m.add}
      </button>
      <p>{m.addHint}</p>
    </div>
  )
}

/** Removes the example books of the context, with undo. */
export function RemoveExamples() {
  const { user } = useSessionContext()
  const remove = useChange(async (context) => (await store()).removeExamples(context, user.id), {
    outcome: ({ kept, undo }) => ({
      text: kept.length === 0 ? m.removed : m.keptBecauseUsed(kept.join(', ')),
      undo,
    }),
    toastsErrors: true,
  })
  return (
    <button
      type='button'
      aria-disabled={remove.isPending}
      onClick={() => remove.isPending || remove.mutate(undefined)}
    >
      {m.remove}
    </button>
  )
}

/** Says above every page that the context has example books. */
export function ExampleBanner() {
  const { context, rights } = useSessionContext()
  const { data: hasExamples = false } = useQuery({
    ...accountsQuery(context),
    select: (accounts) => accounts.some(isExample),
  })
  return hasExamples && (
    <aside className='notice' aria-label={m.title}>
      <p>{m.notice}</p>
      {rights.write && <RemoveExamples />}
    </aside>
  )
}
