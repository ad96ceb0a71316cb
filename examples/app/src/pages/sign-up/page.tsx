import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { signInMethodsQuery, signUp } from '../../data/me.ts'
import { ByProvider } from '../../parts/by-provider.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { NewPasswordField } from '../../parts/password-field.tsx'
import { useTell } from '../../parts/toast.tsx'

const route = getRouteApi('/outside/sign-up')

export function Page() {
  const search = route.useSearch()
  const methods = useQuery(signInMethodsQuery).data
  const tell = useTell()
  // the page is another by then
  const begin = useMutation({
    mutationFn: signUp,
    onSuccess: (_, { email }) => tell(`Welcome. A mail is on its way to ${email}: open its link to show that the address is yours.`),
  })
  return (
    <>
      <PageHead title='Sign up' />
      {methods?.sign_up === 'closed' && <p>No accounts can be made here. Ask whoever runs this service.</p>}
      {methods?.sign_up !== 'closed' && (
        <>
          {methods?.sign_up === 'invitation' && <p>You need an invitation to a team. Sign up with the address that it was sent to.</p>}
          <Form error={begin.error} onSubmit={({ text, raw }) => begin.mutate({ name: text('name'), email: text('email'), password: raw('password') })}>
            <TextField name='name' label='Your name' autoComplete='name' required />
            <TextField name='email' label='E-mail address' type='email' autoComplete='username' required />
            <NewPasswordField name='password' label='Password' />
            <SubmitButton isBusy={begin.isPending}>Sign up</SubmitButton>
          </Form>
          {methods?.oidc?.sign_up === true && <ByProvider to={search.to ?? '/'} />}
        </>
      )}
      <p>
        You have an account? <Link to='/sign-in' search={search}>Sign in</Link>
      </p>
    </>
  )
}
