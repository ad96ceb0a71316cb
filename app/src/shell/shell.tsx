/** The frame around every page of a signed-in user. */
import { useIsMutating } from '@tanstack/react-query'
import { Link, Outlet } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense, useEffect, useLayoutEffect, useState } from 'react'
import { useLostConnection } from '../data/connection.ts'
import { signInKey } from '../data/me.ts'
import { useAsOf } from '../data/queries.ts'
import { formatMoment } from '../locale/days.ts'
import { useKeptFocus } from './kept-focus.ts'
import { useKeys } from './keys.ts'
import { pagesFor } from './navigation.ts'
import { useSession } from './session.ts'
import { nameOf, SessionContextProvider, useSessionContext } from './session-context.tsx'
import { shell as m } from '../messages/shell.ts'
import { lazyPart } from '../parts/chunk.ts'
import { Skeleton } from '../parts/ui.tsx'

// menus and dialogs are more script than the rest of the shell; the page renders without them
const Menus = lazyPart(() => import('./menus.tsx'), (chunk) => chunk.Menus)
const InboxCount = lazyPart(() => import('../pages/inbox/count.tsx'), (chunk) => chunk.InboxCount)
const MorePages = lazyPart(() => import('./menus.tsx'), (chunk) => chunk.MorePages)
const Notices = lazyPart(() => import('./notices.tsx'), (chunk) => chunk.Notices)
const loadQuickEntry = () => import('./quick-entry.tsx')
const QuickEntry = lazyPart(loadQuickEntry, (chunk) => chunk.default)
const Keys = lazyPart(() => import('./keys-help.tsx'), (chunk) => chunk.Keys)
const Interruption = lazyPart(() => import('./interruptions.tsx'), (chunk) => chunk.Interruption)

export function Shell() {
  const { session } = useSession()
  return (
    // the next user must not see this user's input
    <SessionContextProvider key={session?.user_id}>
      <Frame />
      <Interruptions />
    </SessionContextProvider>
  )
}

/**
 * Returns true while the page needs a new sign-in. A new session begins in the personal context. The
 * page stays covered until the session is back in its own, because a save would reach the personal one.
 */
function useCovered(): boolean {
  const { hasEnded } = useSession()
  const isSigningIn = useIsMutating({ mutationKey: signInKey }) > 0
  const [wasCovered, setCovered] = useState(hasEnded)
  const isCovered = hasEnded || (wasCovered && isSigningIn)
  if (wasCovered !== isCovered) setCovered(isCovered)
  return isCovered
}

function Interruptions() {
  const isCovered = useCovered()
  const { elsewhere } = useSessionContext()
  // the next person at this screen must not read the figures
  useLayoutEffect(() => {
    document.documentElement.toggleAttribute('data-session-ended', isCovered)
    // the sign-in page may replace the shell before the shell renders again
    return () => document.documentElement.removeAttribute('data-session-ended')
  }, [isCovered])
  return (isCovered || elsewhere !== null) && (
    <Suspense>
      <Interruption isCovered={isCovered} />
    </Suspense>
  )
}

/** The transient parts of the frame, and the keys that open them. */
function useFrame(contextKey: string, canWrite: boolean) {
  /** The context that the open form belongs to. */
  const [enteredFor, setEnteredFor] = useState<string | null>(null)
  const [showsKeys, setShowsKeys] = useState(false)
  const enter = () => setEnteredFor(contextKey)
  // ready before the first key, so that no typed letter is lost
  useEffect(() => void loadQuickEntry().catch(() => undefined), [])
  useKeys({ '?': () => setShowsKeys(true), ...(canWrite && { n: enter }) })
  return {
    isEntering: canWrite && enteredFor === contextKey,
    enter,
    leave: () => {
      setEnteredFor(null)
      // the form is removed, and with it the focus
      document.querySelector<HTMLElement>('[role=grid], h1')?.focus({ preventScroll: true })
    },
    showsKeys,
    showKeys: () => setShowsKeys(true),
    hideKeys: () => setShowsKeys(false),
  }
}

function Frame() {
  useKeptFocus()
  const { context, team, rights } = useSessionContext()
  const { isEntering, enter, leave, showsKeys, showKeys, hideKeys } = useFrame(
    context.key,
    rights.write,
  )
  return (
    <div className='shell' data-context={team === null ? 'personal' : 'team'}>
      <a className='shell-skip' href='#content'>{m.skipToContent}</a>
      <header className='shell-top'>
        <Suspense fallback={<span className='shell-context'>{nameOf(team)}</span>}>
          <Menus onKeys={showKeys}>
            {rights.write && <NewButton className='primary shell-new' onClick={enter} />}
          </Menus>
        </Suspense>
      </header>
      <nav className='shell-places' aria-label={m.pages}>
        {pagesFor(rights).map(({ to, name, Icon, isDaily, begins }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/' }}
            className='shell-place'
            data-daily={isDaily || undefined}
            data-begins={begins || undefined}
          >
            <Icon className='icon' aria-hidden='true' />
            <span className='shell-place-name'>{name}</span>
            {to === '/inbox' && (
              <Suspense>
                <InboxCount />
              </Suspense>
            )}
          </Link>
        ))}
        {rights.write && <NewButton className='primary shell-add' onClick={enter} />}
        <Suspense fallback={<span className='shell-more' />}>
          <MorePages />
        </Suspense>
      </nav>
      <main id='content' tabIndex={-1}>
        <Connection />
        <Suspense>
          <Notices onEntryDraft={enter} />
        </Suspense>
        <Suspense>
          {isEntering && <QuickEntry key={context.key} onClose={leave} />}
          {showsKeys && <Keys isReadOnly={!rights.write} onClose={hideKeys} />}
        </Suspense>
        <Outlet />
      </main>
    </div>
  )
}

/**
 * The button for a new transaction: with its name in the top bar, and as a sign in the bottom bar
 * of a phone.
 */
const NewButton = (button: { className: string, onClick: () => void }) => (
  <button type='button' {...button}>
    <Plus className='icon' aria-hidden='true' />
    <span className='shell-new-name'>{m.newTransaction}</span>
  </button>
)

/** Reports a lost connection, and from when the shown data is. */
export function Connection() {
  const isLost = useLostConnection()
  const asOf = useAsOf(isLost)
  return (
    <div role='status'>
      {isLost && (
        <p className='shell-connection'>
          {m.offline} {asOf !== null && m.asOf(formatMoment(new Date(asOf).toISOString()))}
        </p>
      )}
    </div>
  )
}

/** The page until the session is known. */
export function Pending() {
  const { session } = useSession()
  return (
    <>
      {session === undefined && <Connection />}
      <Skeleton rows={6} />
    </>
  )
}
