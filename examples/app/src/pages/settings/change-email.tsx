import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { requestEmailChange } from '../../data/me.ts'
import { Confirmation, ownPassword, SendVerification } from '../../parts/credentials.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'

/** Changes the e-mail address, which takes effect with the link that is sent there. */
export function ChangeEmail() {
  const { user } = useSessionContext()
  const toast = useToast()
  const change = useAccountChange(requestEmailChange, (_, { newEmail }) => toast(`Open the link that we mail to ${newEmail}. Until then nothing changes.`))
  return (
    <section className='section'>
      <h3>E-mail address</h3>
      <p>{user.email}{user.email_verified ? ', verified' : ''}</p>
      {!user.email_verified && (
        <>
          <p>Your address is not verified. Open the link of the mail; until then you can neither create nor join a team.</p>
          <SendVerification email={user.email} />
        </>
      )}
      <Fold name='Change the address' of={change}>
        <Form
          defaultValues={{ newEmail: '', password: '' }}
          error={change.error}
          onSubmit={({ newEmail, ...values }) => change.mutate({ newEmail, ...ownPassword(values) })}
        >
          <TextField name='newEmail' label='New address' type='email' autoComplete='email' required />
          <Confirmation error={change.error} />
          <SubmitButton isBusy={change.isPending}>Mail a link to it</SubmitButton>
        </Form>
      </Fold>
    </section>
  )
}
