import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { forgetPassword } from '../../data/me.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/ui.tsx'

/** Mails a link to `/reset-password`. */
export function Page() {
  const ask = useMutation({ mutationFn: forgetPassword })
  return (
    <>
      <PageHead title='Forgot your password?' />
      {ask.data === undefined
        ? (
          <Form defaultValues={{ email: '' }} error={ask.error} onSubmit={({ email }) => ask.mutate(email)}>
            <TextField name='email' label='E-mail address' type='email' autoComplete='username' hint='A link to choose a new one is sent there.' required />
            <SubmitButton isBusy={ask.isPending}>Send the link</SubmitButton>
          </Form>
        )
        : <p role='status'>{ask.data.message}</p>}
      <p>
        <Link to='/sign-in'>Sign in</Link>
      </p>
    </>
  )
}
