import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { signInMethodsQuery, signUp } from '../../data/me.ts'
import { NewPasswordField, ProviderSignIn } from '../../parts/credentials.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'
import { PageHead } from '../../parts/ui.tsx'

const route = getRouteApi('/outside/sign-up')

export function Page() {
  const search = route.useSearch()
  const methods = useQuery(signInMethodsQuery).data
  const toast = useToast()
  // a toast, because the route redirects
  const begin = useMutation({
    mutationFn: signUp,
    onSuccess: (_, { email }) => toast(`Welcome. A mail is on its way to ${email}: open its link to show that the address is yours.`),
  })
  return (
    <>
      <PageHead title='Sign up' />
      {methods?.sign_up === 'closed' && <p>No accounts can be made here. Ask whoever runs this service.</p>}
      {methods?.sign_up !== 'closed' && (
        <>
          {methods?.sign_up === 'invitation' && <p>You need an invitation to a team. Sign up with the address that it was sent to.</p>}
          <Form defaultValues={{ name: '', email: '', password: '' }} error={begin.error} onSubmit={(values) => begin.mutate(values)}>
            <TextField name='name' label='Your name' autoComplete='name' required />
            <TextField name='email' label='E-mail address' type='email' autoComplete='username' required />
            <NewPasswordField name='password' label='Password' />
            <SubmitButton isBusy={begin.isPending}>Sign up</SubmitButton>
          </Form>
          {methods?.oidc?.sign_up === true && <ProviderSignIn to={search.to ?? '/'} />}
        </>
      )}
      <p>
        You have an account? <Link to='/sign-in' search={search}>Sign in</Link>
      </p>
    </>
  )
}
