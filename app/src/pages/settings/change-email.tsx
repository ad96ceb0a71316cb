import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { requestEmailChange } from '../../data/me.ts'
import { common } from '../../messages/common.ts'
import { settings as m } from '../../messages/settings.ts'
import { Confirmation, ownPassword, SendVerification } from '../../parts/credentials.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'

/** Changes the email address, which takes effect with the link that is sent there. */
export function ChangeEmail() {
  const { user } = useSessionContext()
  const toast = useToast()
  const change = useAccountChange(
    requestEmailChange,
    (_, { newEmail }) => toast(m.emailLinkSent(newEmail)),
  )
  return (
    <section className='section'>
      <h3>{common.emailAddress}</h3>
      <p>{user.email}{user.email_verified ? m.verified : ''}</p>
      {!user.email_verified && (
        <>
          <p>{m.notVerified}</p>
          <SendVerification email={user.email} />
        </>
      )}
      <Fold name={m.changeEmail} of={change}>
        <Form
          defaultValues={{ newEmail: '', password: '' }}
          error={change.error}
          onSubmit={({ newEmail, ...values }) =>
            change.mutate({ newEmail, ...ownPassword(values) })}
        >
          <TextField
            name='newEmail'
            label={m.newEmail}
            type='email'
            autoComplete='email'
            required
          />
          <Confirmation error={change.error} />
          <SubmitButton isBusy={change.isPending}>{m.sendEmailLink}</SubmitButton>
        </Form>
      </Fold>
    </section>
  )
}
