import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { forgetPassword } from '../../data/me.ts'
import { common } from '../../messages/common.ts'
import { forgotPassword as m } from '../../messages/forgot-password.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/ui.tsx'
import { successOf } from '../../parts/error-messages.ts'

/** Mails a link to `/reset-password`. */
export function Page() {
  const request = useMutation({ mutationFn: forgetPassword })
  return (
    <>
      <PageHead title={m.title} />
      {request.data === undefined
        ? (
          <Form
            defaultValues={{ email: '' }}
            error={request.error}
            onSubmit={({ email }) => request.mutate(email)}
          >
            <TextField
              name='email'
              label={common.emailAddress}
              type='email'
              autoComplete='username'
              hint={m.emailHint}
              required
            />
            <SubmitButton isBusy={request.isPending}>{m.submit}</SubmitButton>
          </Form>
        )
        : <p role='status'>{successOf(request.data.message)}</p>}
      <p>
        <Link to='/sign-in'>{common.signIn}</Link>
      </p>
    </>
  )
}
