import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { resetPassword } from '../../data/me.ts'
import { NewPasswordField } from '../../parts/credentials.tsx'
import { Form, SubmitButton } from '../../parts/form.tsx'
import { PageHead } from '../../parts/ui.tsx'

const route = getRouteApi('/outside/reset-password')

/** The target of the mail of a forgotten password. */
export function Page() {
  const { token = '' } = route.useSearch()
  const reset = useMutation({ mutationFn: resetPassword })
  return (
    <>
      <PageHead title='Choose a new password' />
      {reset.data === undefined
        ? (
          <Form defaultValues={{ password: '' }} error={reset.error} onSubmit={({ password }) => reset.mutate({ token, password })}>
            <NewPasswordField name='password' label='New password' />
            <SubmitButton isBusy={reset.isPending}>Change the password</SubmitButton>
          </Form>
        )
        : <p role='status'>{reset.data.message}</p>}
      {reset.error !== null && (
        <p>
          A link works once, and not for long. <Link to='/forgot-password'>Ask for a new one</Link>
        </p>
      )}
      {reset.data !== undefined && (
        <p>
          <Link to='/sign-in'>Sign in</Link>
        </p>
      )}
    </>
  )
}
