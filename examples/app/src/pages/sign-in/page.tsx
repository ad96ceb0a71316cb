import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { signInMethodsQuery } from '../../data/me.ts'
import { ByProvider } from '../../parts/by-provider.tsx'
import { TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PasskeySignIn } from '../../parts/passkey-sign-in.tsx'
import { SignInForm } from '../../parts/sign-in-form.tsx'
import { wordsOfSignIn } from '../../parts/words.ts'

const route = getRouteApi('/outside/sign-in')

/** Where it leads on to is the route's: it turns somebody away who is signed in. */
export function Page() {
  const { error, ...search } = route.useSearch()
  const isClosed = useQuery(signInMethodsQuery).data?.sign_up === 'closed'
  return (
    <>
      <PageHead title='Sign in' />
      {error !== undefined && <p className='error-note' role='alert'>{wordsOfSignIn(error)}</p>}
      <SignInForm emailOf={({ text }) => text('email')}>
        <TextField name='email' label='E-mail address' type='email' autoComplete='username' required />
      </SignInForm>
      <PasskeySignIn />
      <ByProvider to={search.to ?? '/'} />
      <p>
        <Link to='/forgot-password'>Forgot your password?</Link>
      </p>
      {!isClosed && (
        <p>
          No account yet? <Link to='/sign-up' search={search}>Sign up</Link>
        </p>
      )}
    </>
  )
}
