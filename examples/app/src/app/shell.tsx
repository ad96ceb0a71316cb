/** What is around every page of somebody who is signed in. */
import { Link, Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useLostConnection } from '../data/connection.ts'
import { HereProvider, nameOf, useHere } from './here.tsx'
import { useKeptFocus } from './kept-focus.ts'
import { inBottomBar, placesFor } from './places.ts'
import { useSession } from './session.ts'

// menus and dialogs are more script than the rest of the shell, and a page is shown before they are needed
const ContextSwitcher = lazy(async () => ({ default: (await import('./context-switcher.tsx')).ContextSwitcher }))
const PersonMenu = lazy(async () => ({ default: (await import('./person-menu.tsx')).PersonMenu }))
const Moved = lazy(async () => ({ default: (await import('./moved.tsx')).Moved }))
const SignInAgain = lazy(async () => ({ default: (await import('./sign-in-again.tsx')).SignInAgain }))

export function Shell() {
  const { session } = useSession()
  return (
    // what somebody has typed is not for whoever signs in after them
    <HereProvider key={session?.user_id}>
      <Frame />
      <Suspense>
        <Interruption />
      </Suspense>
    </HereProvider>
  )
}

/** What has to be answered before the page goes on. */
function Interruption() {
  const { hasEnded } = useSession()
  const { elsewhere } = useHere()
  if (hasEnded) return <SignInAgain />
  return elsewhere !== null && <Moved {...elsewhere} />
}

function Frame() {
  useKeptFocus()
  const { team, rights } = useHere()
  return (
    <div className='shell' data-context={team === null ? 'personal' : 'team'}>
      <a className='skip' href='#content'>Skip to the content</a>
      <header className='top'>
        <Suspense fallback={<span className='context'>{nameOf(team)}</span>}>
          <ContextSwitcher />
          <PersonMenu />
        </Suspense>
      </header>
      <nav className='places' aria-label='Pages'>
        {placesFor(rights.write).map(({ to, name }, index) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/' }} className={index < inBottomBar ? 'place' : 'place place-wide'}>{name}</Link>
        ))}
      </nav>
      <main id='content' tabIndex={-1}>
        <Connection />
        <Outlet />
      </main>
    </div>
  )
}

/** Says only when it is bad. */
export function Connection() {
  const isLost = useLostConnection()
  return <div role='status'>{isLost && <p className='connection'>There is no connection to the service. It is tried again.</p>}</div>
}
