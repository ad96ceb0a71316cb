/** Lines above the page: a new version, unsaved input, example books. */
import { Link, useLocation } from '@tanstack/react-router'
import { shell as m } from '../messages/shell.ts'
import { ExampleBanner } from '../parts/examples.tsx'
import { useDrafts, useReopenedDraft } from './drafts.ts'
import { useInstallation } from './installation.ts'
import { pagesFor } from './navigation.ts'
import { useSessionContext } from './session-context.tsx'

/** @param onEntryDraft opens the form of a new transaction if a former visit left input in it */
export function Notices({ onEntryDraft }: { onEntryDraft: () => void }) {
  useReopenedDraft('entry', onEntryDraft)
  return (
    <>
      <NewVersion />
      <UnsavedInput />
      <ExampleBanner />
    </>
  )
}

/** Offers a newer version of the app. */
function NewVersion() {
  const { isOutdated } = useInstallation()
  return (
    <div role='status'>
      {isOutdated && (
        <div className='notice'>
          <p>{m.newVersion}</p>
          <button type='button' onClick={() => location.reload()}>{m.loadNewVersion}</button>
        </div>
      )}
    </div>
  )
}

/** Leads back to a page with unsaved input. */
function UnsavedInput() {
  const { rights } = useSessionContext()
  const { drafts, dropDraft } = useDrafts()
  const { pathname } = useLocation()
  const draft = drafts.find(({ path }) => path !== pathname)
  if (draft === undefined) return null
  const place = pagesFor(rights).findLast(({ to }) => draft.path.startsWith(to))
  return (
    <aside className='notice' aria-label={m.unsavedInput}>
      <p>{m.unsavedOn(place?.name ?? '')}</p>
      <div className='notice-actions'>
        <Link to={draft.path}>{m.continueTyping}</Link>
        <button type='button' className='quiet' onClick={() => dropDraft(draft.key)}>
          {m.discard}
        </button>
      </div>
    </aside>
  )
}
