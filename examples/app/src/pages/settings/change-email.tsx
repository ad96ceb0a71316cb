import { usePeopleChange } from '../../data/change.ts'
import { requestEmailChange } from '../../data/me.ts'
import { Confirmation, ownPassword } from '../../parts/confirmation.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { useTell } from '../../parts/toast.tsx'

/** Asks for another address; it counts once the link that goes there is opened. */
export function ChangeEmail() {
  const tell = useTell()
  const change = usePeopleChange(requestEmailChange, (_, { newEmail }) => tell(`Open the link that we mail to ${newEmail}. Until then nothing changes.`))
  return (
    <section className='section'>
      <h2>E-mail address</h2>
      {/* a new form after each request: the password is gone from it */}
      <Form
        key={change.submittedAt * Number(change.isSuccess)}
        error={change.error}
        onSubmit={(values) => change.mutate({ newEmail: values.text('newEmail'), ...ownPassword(values) })}
      >
        <TextField name='newEmail' label='New address' type='email' autoComplete='email' required />
        <Confirmation error={change.error} />
        <SubmitButton isBusy={change.isPending}>Change the address</SubmitButton>
      </Form>
    </section>
  )
}
