import { getRouteApi, Link } from '@tanstack/react-router'
import { TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SignInForm } from '../../parts/sign-in-form.tsx'

const route = getRouteApi('/outside/sign-in')

/** Where it leads on to is the route's: it turns somebody away who is signed in. */
export function Page() {
  const search = route.useSearch()
  return (
    <>
      <PageHead title='Sign in' />
      <SignInForm emailOf={({ text }) => text('email')}>
        <TextField name='email' label='E-mail address' type='email' autoComplete='username' required />
      </SignInForm>
      <p>
        <Link to='/forgot-password'>Forgot your password?</Link>
      </p>
      <p>
        No account yet? <Link to='/sign-up' search={search}>Sign up</Link>
      </p>
    </>
  )
}
