import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { signInMethodsQuery } from '../../data/me.ts'
import { common } from '../../messages/common.ts'
import { signIn as m } from '../../messages/sign-in.ts'
import { PasskeySignIn, ProviderSignIn, SignInForm } from '../../parts/credentials.tsx'
import { signInMessageOf } from '../../parts/error-messages.ts'
import { PageHead } from '../../parts/ui.tsx'

const route = getRouteApi('/outside/sign-in')

/** The route redirects after the sign-in. */
export function Page() {
  const { error, ...search } = route.useSearch()
  const isClosed = useQuery(signInMethodsQuery).data?.sign_up === 'closed'
  return (
    <>
      <PageHead title={common.signIn} />
      {error !== undefined && <p className='error-note' role='alert'>{signInMessageOf(error)}</p>}
      <SignInForm />
      <PasskeySignIn />
      <ProviderSignIn to={search.to ?? '/'} />
      <p>
        <Link to='/forgot-password'>{m.forgotYourPassword}</Link>
      </p>
      {!isClosed && (
        <p>
          {m.noAccountYet} <Link to='/sign-up' search={search}>{common.signUp}</Link>
        </p>
      )}
    </>
  )
}
