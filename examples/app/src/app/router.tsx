/** The addresses of the app. Each page is loaded when somebody goes there. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, parseSearchWith, redirect, stringifySearchWith } from '@tanstack/react-router'
import { shownOf } from '../data/transaction-filters.ts'
import { ErrorNote } from '../parts/error-note.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { monthIn, rateIn, searchOf } from './search.ts'
import { sessionKnown } from './session.ts'
import { Connection, Shell } from './shell.tsx'

const root = createRootRoute({ component: Outlet })

/** Pages for somebody who is not signed in. */
const outside = createRoute({
  getParentRoute: () => root,
  id: 'outside',
  component: () => (
    <main className='outside'>
      <Connection />
      <Outlet />
    </main>
  ),
})

/** Pages of somebody who is signed in; others sign in first and come back. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ location }) => {
    if (await sessionKnown() === null) throw redirect({ to: '/sign-in', search: { to: location.href }, replace: true })
  },
})

/** Only a place of this app is gone back to, never another site. */
const wayBack = ({ to }: Record<string, unknown>): { to?: string } => typeof to === 'string' && /^\/(?![/\\])/.test(to) && to !== '/' ? { to } : {}

/** What a page takes of its address, and nothing else: the router keeps what is not said to be nothing. */
const only = <Taken extends object>(take: (search: Record<string, unknown>) => Taken) => (search: Record<string, unknown>): Taken => ({
  ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
  ...take(search),
})

/** A value of the address as it stands there; the router makes numbers of what looks like one. */
const word = (value: unknown): string | undefined => typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

const page = <Path extends string>(path: Path, load: () => Promise<Record<'Page', () => React.ReactNode>>) =>
  createRoute({ getParentRoute: () => inside, path, component: lazyRouteComponent(load, 'Page') })

/** Who is signed in already goes on to where they wanted to be. */
const forGuests = {
  validateSearch: wayBack,
  beforeLoad: async ({ search }: { search: { to?: string } }) => {
    if (await sessionKnown() !== null) throw redirect({ href: search.to ?? '/', replace: true })
  },
}

const signIn = createRoute({
  ...forGuests,
  // what the service says when somebody comes back from the provider and is not signed in
  validateSearch: (search: Record<string, unknown>): { to?: string, error?: string | undefined } => ({ ...wayBack(search), error: word(search['error']) }),
  getParentRoute: () => outside,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/page.tsx'), 'Page'),
})

const signUp = createRoute({
  ...forGuests,
  getParentRoute: () => outside,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../pages/sign-up/page.tsx'), 'Page'),
})

const forgotPassword = createRoute({
  getParentRoute: () => outside,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('../pages/forgot-password/page.tsx'), 'Page'),
})

const resetPassword = createRoute({
  getParentRoute: () => outside,
  path: '/reset-password',
  validateSearch: ({ token }: Record<string, unknown>): { token?: string | undefined } => ({ token: word(token) }),
  component: lazyRouteComponent(() => import('../pages/reset-password/page.tsx'), 'Page'),
})

const verifyEmail = createRoute({
  getParentRoute: () => outside,
  path: '/verify-email',
  validateSearch: ({ error }: Record<string, unknown>): { error?: string | undefined } => ({ error: word(error) }),
  component: lazyRouteComponent(() => import('../pages/verify-email/page.tsx'), 'Page'),
})

const acceptInvitation = createRoute({
  getParentRoute: () => outside,
  path: '/accept-invitation',
  validateSearch: ({ invitationId }: Record<string, unknown>): { invitationId?: string | undefined } => ({ invitationId: word(invitationId) }),
  component: lazyRouteComponent(() => import('../pages/accept-invitation/page.tsx'), 'Page'),
})

const transactions = createRoute({
  getParentRoute: () => inside,
  path: '/transactions',
  validateSearch: only(shownOf),
  component: lazyRouteComponent(() => import('../pages/transactions/page.tsx'), 'Page'),
})

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  validateSearch: only(searchOf),
  component: lazyRouteComponent(() => import('../pages/overview/page.tsx'), 'Page'),
})

const categories = createRoute({
  getParentRoute: () => inside,
  path: '/categories',
  validateSearch: only(monthIn),
  component: lazyRouteComponent(() => import('../pages/categories/page.tsx'), 'Page'),
})

const exchangeRates = createRoute({
  getParentRoute: () => inside,
  path: '/exchange-rates',
  validateSearch: rateIn,
  component: lazyRouteComponent(() => import('../pages/exchange-rates/page.tsx'), 'Page'),
})

const tree = root.addChildren([
  outside.addChildren([signIn, signUp, forgotPassword, resetPassword, verifyEmail, acceptInvitation]),
  inside.addChildren([
    overview,
    transactions,
    page('/accounts', () => import('../pages/accounts/page.tsx')),
    page('/recurring', () => import('../pages/recurring/page.tsx')),
    categories,
    exchangeRates,
    page('/import', () => import('../pages/import/page.tsx')),
    page('/activity', () => import('../pages/activity/page.tsx')),
    page('/dashboards', () => import('../pages/dashboards/page.tsx')),
    page('/dashboards/$dashboardId', () => import('../pages/dashboards/one.tsx')),
    page('/team', () => import('../pages/team/page.tsx')),
    page('/settings', () => import('../pages/settings/page.tsx')),
  ]),
])

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  // words in the address stand as they are, not as JSON
  parseSearch: parseSearchWith((value) => value),
  stringifySearch: stringifySearchWith(JSON.stringify),
  defaultPendingComponent: () => <Skeleton rows={6} />,
  // a page that could not be loaded, or one of a build that is no longer there
  defaultErrorComponent: ({ error }) => (
    <>
      <ErrorNote error={error instanceof Error ? error : new Error(String(error))} />
      <button type='button' onClick={() => location.reload()}>Load the page again</button>
    </>
  ),
  defaultNotFoundComponent: () => <p>There is nothing at this address.</p>,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
