import { useQuery } from '@tanstack/react-query'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { changePassword, forgetPassword, passkeysQuery } from '../../data/me.ts'
import { common } from '../../messages/common.ts'
import { settings as m } from '../../messages/settings.ts'
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
      <h3>{common.password}</h3>
      {ways?.has_password === false ? <ByMail email={user.email} /> : <Change />}
    </section>
  )
}

function Change() {
  const toast = useToast()
  const change = useAccountChange(changePassword, () => toast(m.passwordChanged))
  return (
    <Fold name={m.changePassword} of={change}>
      <Form
        defaultValues={{ currentPassword: '', newPassword: '' }}
        error={change.error}
        onSubmit={(values) => change.mutate(values)}
      >
        <TextField
          name='currentPassword'
          label={m.currentPassword}
          type='password'
          autoComplete='current-password'
          required
        />
        <NewPasswordField name='newPassword' label={m.newPassword} />
        <SubmitButton isBusy={change.isPending}>{m.savePassword}</SubmitButton>
      </Form>
    </Fold>
  )
}

function ByMail({ email }: { email: string }) {
  const toast = useToast()
  const mail = useAccountChange(forgetPassword, () => toast(m.passwordLinkSent))
  return (
    <>
      <p>{m.noPassword}</p>
      <ErrorNote error={mail.error} />
      <div className='buttons'>
        <button type='button' disabled={mail.isPending} onClick={() => mail.mutate(email)}>
          {m.emailPasswordLink}
        </button>
      </div>
    </>
  )
}
