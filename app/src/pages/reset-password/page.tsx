import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { resetPassword } from '../../data/me.ts'
import { common } from '../../messages/common.ts'
import { resetPassword as m } from '../../messages/reset-password.ts'
import { NewPasswordField } from '../../parts/credentials.tsx'
import { Form, SubmitButton } from '../../parts/form.tsx'
import { PageHead } from '../../parts/ui.tsx'
import { successOf } from '../../parts/error-messages.ts'

const route = getRouteApi('/outside/reset-password')

/** The target of the mail of a forgotten password. */
export function Page() {
  const { token = '' } = route.useSearch()
  const reset = useMutation({ mutationFn: resetPassword })
  return (
    <>
      <PageHead title={m.title} />
      {reset.data === undefined
        ? (
          <Form
            defaultValues={{ password: '' }}
            error={reset.error}
            onSubmit={({ password }) => reset.mutate({ token, password })}
          >
            <NewPasswordField name='password' label={m.newPassword} />
            <SubmitButton isBusy={reset.isPending}>{m.submit}</SubmitButton>
          </Form>
        )
        : <p role='status'>{successOf(reset.data.message)}</p>}
      {reset.error !== null && (
        <p>
          {m.linkHint} <Link to='/forgot-password'>{m.requestLink}</Link>
        </p>
      )}
      {reset.data !== undefined && (
        <p>
          <Link to='/sign-in'>{common.signIn}</Link>
        </p>
      )}
    </>
  )
}
