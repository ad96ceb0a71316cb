/** The routes of the app. Each page is a lazy chunk. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import icon from '../icon.svg'
import { viewOf } from '../data/transactions/filters.ts'
import { shell as m } from '../messages/shell.ts'
import { lazyPage } from '../parts/chunk.ts'
import { LanguageChoice } from '../parts/language-choice.tsx'
import { ErrorNote, Skeleton } from '../parts/ui.tsx'
import { defined, monthIn, ownPath, rateIn, searchOf } from './search.ts'
import { sessionKnown } from './session.ts'
import { Connection, Pending, Shell } from './shell.tsx'

const root = createRootRoute({ component: Outlet })

/** Pages without a session. */
const outside = createRoute({
  getParentRoute: () => root,
  id: 'outside',
  component: () => (
    <main className='shell-outside'>
      <img className='shell-mark' src={icon} alt='' width='48' height='48' />
      <Connection />
      <Outlet />
      <footer className='shell-language'>
        <LanguageChoice />
      </footer>
    </main>
  ),
})

/** Pages of signed-in users. Others sign in first and return. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  pendingComponent: Pending,
  beforeLoad: async ({ location }) => {
    if (await sessionKnown() === null)
      throw redirect({ to: '/sign-in', search: { to: location.href }, replace: true })
  },
})

/** Drops all other parameters, which the router would keep. */
const only =
  <Taken extends object>(take: (search: Record<string, unknown>) => Taken) =>
  (search: Record<string, unknown>): Taken => ({
    ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])),
    ...take(search),
  })

/** A parameter as text. The router turns digits into numbers. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

/** The path that follows a sign-in. */
const returnPath = ({ to }: Record<string, unknown>): { to?: string } =>
  defined({ to: ownPath(to, location.origin) })

const page = <Path extends string>(path: Path, load: Parameters<typeof lazyPage>[0]) =>
  createRoute({ getParentRoute: () => inside, path, component: lazyPage(load) })

/** Redirects signed-in users. */
const forGuests = {
  validateSearch: only(returnPath),
  beforeLoad: async ({ search }: { search: { to?: string } }) => {
    if (await sessionKnown() !== null) throw redirect({ href: search.to ?? '/', replace: true })
  },
}

const signIn = createRoute({
  ...forGuests,
  // the error of a failed sign-in with the identity provider
  validateSearch: only((search): { to?: string, error?: string | undefined } => ({
    ...returnPath(search),
    error: textOf(search['error']),
  })),
  getParentRoute: () => outside,
  path: '/sign-in',
  component: lazyPage(() => import('../pages/sign-in/page.tsx')),
})

const signUp = createRoute({
  ...forGuests,
  getParentRoute: () => outside,
  path: '/sign-up',
  component: lazyPage(() => import('../pages/sign-up/page.tsx')),
})

const forgotPassword = createRoute({
  getParentRoute: () => outside,
  path: '/forgot-password',
  component: lazyPage(() => import('../pages/forgot-password/page.tsx')),
})

const resetPassword = createRoute({
  getParentRoute: () => outside,
  path: '/reset-password',
  validateSearch: only(({ token }): { token?: string | undefined } => ({ token: textOf(token) })),
  component: lazyPage(() => import('../pages/reset-password/page.tsx')),
})

const verifyEmail = createRoute({
  getParentRoute: () => outside,
  path: '/verify-email',
  validateSearch: only(({ error }): { error?: string | undefined } => ({ error: textOf(error) })),
  component: lazyPage(() => import('../pages/verify-email/page.tsx')),
})

const acceptInvitation = createRoute({
  getParentRoute: () => outside,
  path: '/accept-invitation',
  validateSearch: only((
    { invitationId, token },
  ): { invitationId?: string | undefined, token?: string | undefined } => ({
    invitationId: textOf(invitationId),
    token: textOf(token),
  })),
  component: lazyPage(() => import('../pages/accept-invitation/page.tsx')),
})

const transactions = createRoute({
  getParentRoute: () => inside,
  path: '/transactions',
  validateSearch: only(viewOf),
  component: lazyPage(() => import('../pages/transactions/page.tsx')),
})

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  validateSearch: only(searchOf),
  component: lazyPage(() => import('../pages/overview/page.tsx')),
})

const budgets = createRoute({
  getParentRoute: () => inside,
  path: '/budgets',
  validateSearch: only(monthIn),
  component: lazyPage(() => import('../pages/budgets/page.tsx')),
})

const recurring = createRoute({
  getParentRoute: () => inside,
  path: '/recurring',
  validateSearch: only(monthIn),
  component: lazyPage(() => import('../pages/recurring/page.tsx')),
})

const exchangeRates = createRoute({
  getParentRoute: () => inside,
  path: '/exchange-rates',
  validateSearch: only(rateIn),
  component: lazyPage(() => import('../pages/exchange-rates/page.tsx')),
})

const tree = root.addChildren([
  outside.addChildren([
    signIn,
    signUp,
    forgotPassword,
    resetPassword,
    verifyEmail,
    acceptInvitation,
  ]),
  inside.addChildren([
    overview,
    transactions,
    page('/inbox', () => import('../pages/inbox/page.tsx')),
    page('/accounts', () => import('../pages/accounts/page.tsx')),
    page('/accounts/$accountId', () => import('../pages/accounts/one.tsx')),
    page('/accounts/$accountId/statements/$day', () => import('../pages/statement/page.tsx')),
    budgets,
    recurring,
    page('/categories', () => import('../pages/categories/page.tsx')),
    exchangeRates,
    page('/rules', () => import('../pages/rules/page.tsx')),
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
  // parameters are plain text, not JSON
  parseSearch: parseSearchWith((value) => value),
  stringifySearch: stringifySearchWith(JSON.stringify),
  defaultPendingComponent: () => <Skeleton rows={6} />,
  // a page failed to load, or belongs to a former build
  defaultErrorComponent: ({ error }) => (
    <>
      <ErrorNote error={error instanceof Error ? error : new Error(String(error))} />
      <button type='button' onClick={() => location.reload()}>{m.reload}</button>
    </>
  ),
  defaultNotFoundComponent: () => <p>{m.notFound}</p>,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
