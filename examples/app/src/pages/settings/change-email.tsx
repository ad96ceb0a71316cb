import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { requestEmailChange } from '../../data/me.ts'
import { Confirmation, ownPassword } from '../../parts/confirmation.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { SendVerification } from '../../parts/send-verification.tsx'
import { useTell } from '../../parts/toast.tsx'

/** Asks for another address; it counts once the link that goes there is opened. */
export function ChangeEmail() {
  const { user } = useHere()
  const tell = useTell()
  const change = usePeopleChange(requestEmailChange, (_, { newEmail }) => tell(`Open the link that we mail to ${newEmail}. Until then nothing changes.`))
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
        <Form error={change.error} onSubmit={(values) => change.mutate({ newEmail: values.text('newEmail'), ...ownPassword(values) })}>
          <TextField name='newEmail' label='New address' type='email' autoComplete='email' required />
          <Confirmation error={change.error} />
          <SubmitButton isBusy={change.isPending}>Mail a link to it</SubmitButton>
        </Form>
      </Fold>
    </section>
  )
}
