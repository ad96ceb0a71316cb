import { useQuery } from '@tanstack/react-query'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { changePassword, forgetPassword } from '../../data/me.ts'
import { passkeysQuery } from '../../data/passkeys.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { NewPasswordField } from '../../parts/password-field.tsx'
import { useTell } from '../../parts/toast.tsx'

/** Another password, or one for whoever has none. */
export function Password() {
  const { user } = useHere()
  const ways = useQuery(passkeysQuery(user.id)).data
  return (
    <section className='section'>
      <h3>Password</h3>
      {ways?.has_password === false ? <ByMail email={user.email} /> : <Change />}
    </section>
  )
}

function Change() {
  const tell = useTell()
  const change = usePeopleChange(changePassword, () => tell('Your password is changed, and your other sessions have ended.'))
  return (
    <Fold name='Change the password' of={change}>
      <Form
        error={change.error}
        onSubmit={({ raw }) => change.mutate({ currentPassword: raw('currentPassword'), newPassword: raw('newPassword') })}
      >
        <TextField name='currentPassword' label='Current password' type='password' autoComplete='current-password' required />
        <NewPasswordField name='newPassword' label='New password' />
        <SubmitButton isBusy={change.isPending}>Save the new password</SubmitButton>
      </Form>
    </Fold>
  )
}

function ByMail({ email }: { email: string }) {
  const tell = useTell()
  const mail = usePeopleChange(forgetPassword, () => tell('A mail with a link to choose a password is on its way.'))
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
