import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { changePassword, forgetPassword, passkeysQuery } from '../../data/me.ts'
import { ErrorNote } from '../../parts/ui.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { NewPasswordField } from '../../parts/credentials.tsx'
import { useToast } from '../../parts/toast.tsx'

/** Changes the password, or sets the first one by mail. */
export function Password() {
  const { user } = useSessionContext()
  const ways = useQuery(passkeysQuery(user.id)).data
  return (
    <section className='section'>
      <h3>Password</h3>
      {ways?.has_password === false ? <ByMail email={user.email} /> : <Change />}
    </section>
  )
}

function Change() {
  const toast = useToast()
  const change = useAccountChange(changePassword, () => toast('Your password is changed, and your other sessions have ended.'))
  return (
    <Fold name='Change the password' of={change}>
      <Form
        defaultValues={{ currentPassword: '', newPassword: '' }}
        error={change.error}
        onSubmit={(values) => change.mutate(values)}
      >
        <TextField name='currentPassword' label='Current password' type='password' autoComplete='current-password' required />
        <NewPasswordField name='newPassword' label='New password' />
        <SubmitButton isBusy={change.isPending}>Save the new password</SubmitButton>
      </Form>
    </Fold>
  )
}

function ByMail({ email }: { email: string }) {
  const toast = useToast()
  const mail = useAccountChange(forgetPassword, () => toast('A mail with a link to choose a password is on its way.'))
  return (
    <>
      <p>You have no password.</p>
      <ErrorNote error={mail.error} />
      <div className='buttons'>
        <button type='button' disabled={mail.isPending} onClick={() => mail.mutate(email)}>Choose a password by mail</button>
      </div>
    </>
  )
}
