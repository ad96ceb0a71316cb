import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { signIn } from '../../data/me.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PasskeySignIn } from '../../parts/passkey-sign-in.tsx'

const route = getRouteApi('/outside/sign-in')

/** Where it leads on to is the route's: it turns somebody away who is signed in. */
export function Page() {
  const search = route.useSearch()
  const enter = useMutation({ mutationFn: signIn })
  return (
    <>
      <PageHead title='Sign in' />
      <Form error={enter.error} onSubmit={({ text, raw }) => enter.mutate({ email: text('email'), password: raw('password') })}>
        <TextField name='email' label='E-mail address' type='email' autoComplete='username' required />
        <TextField name='password' label='Password' type='password' autoComplete='current-password' required />
        <SubmitButton isBusy={enter.isPending}>Sign in</SubmitButton>
      </Form>
      <PasskeySignIn />
      <p>
        <Link to='/forgot-password'>Forgot your password?</Link>
      </p>
      <p>
        No account yet? <Link to='/sign-up' search={search}>Sign up</Link>
      </p>
    </>
  )
}
