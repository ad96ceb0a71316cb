import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { forgetPassword } from '../../data/me.ts'
import { common, forgotPassword as m } from '../../messages/en.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/ui.tsx'

/** Mails a link to `/reset-password`. */
export function Page() {
  const ask = useMutation({ mutationFn: forgetPassword })
  return (
    <>
      <PageHead title={m.forgotYourPassword} />
      {ask.data === undefined
        ? (
          <Form defaultValues={{ email: '' }} error={ask.error} onSubmit={({ email }) => ask.mutate(email)}>
            <TextField name='email' label={common.emailAddress} type='email' autoComplete='username' hint={m.aLinkToChooseA} required />
            <SubmitButton isBusy={ask.isPending}>{m.sendTheLink}</SubmitButton>
          </Form>
        )
        : <p role='status'>{ask.data.message}</p>}
      <p>
        <Link to='/sign-in'>{common.signIn}</Link>
      </p>
    </>
  )
}
