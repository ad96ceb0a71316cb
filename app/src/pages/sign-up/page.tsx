import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { signInMethodsQuery, signUp } from '../../data/me.ts'
import { common } from '../../messages/common.ts'
import { signUp as m } from '../../messages/sign-up.ts'
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
  const register = useMutation({
    mutationFn: signUp,
    onSuccess: (_, { email }) => toast(m.welcome(email)),
  })
  return (
    <>
      <PageHead title={common.signUp} />
      {methods?.sign_up === 'closed' && <p>{m.closed}</p>}
      {methods?.sign_up !== 'closed' && (
        <>
          {methods?.sign_up === 'invitation' && <p>{m.invitationOnly}</p>}
          <Form
            defaultValues={{ name: '', email: '', password: '' }}
            error={register.error}
            onSubmit={(values) => register.mutate(values)}
          >
            <TextField name='name' label={m.yourName} autoComplete='name' required />
            <TextField
              name='email'
              label={common.emailAddress}
              type='email'
              autoComplete='username'
              required
            />
            <NewPasswordField name='password' label={common.password} />
            <SubmitButton isBusy={register.isPending}>{common.signUp}</SubmitButton>
          </Form>
          {methods?.oidc?.sign_up === true && <ProviderSignIn to={search.to ?? '/'} />}
        </>
      )}
      <p>
        {m.haveAccount} <Link to='/sign-in' search={search}>{common.signIn}</Link>
      </p>
    </>
  )
}
