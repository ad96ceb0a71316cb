import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { resetPassword } from '../../data/me.ts'
import { Form, SubmitButton } from '../../parts/form.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { NewPasswordField } from '../../parts/password-field.tsx'

const route = getRouteApi('/outside/reset-password')

/** Where the mail of a forgotten password leads. */
export function Page() {
  const { token = '' } = route.useSearch()
  const reset = useMutation({ mutationFn: resetPassword })
  return (
    <>
      <PageHead title='Choose a new password' />
      {reset.data === undefined
        ? (
          <Form error={reset.error} onSubmit={({ raw }) => reset.mutate({ token, password: raw('password') })}>
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
