import { FinanceError } from 'finance-client'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { createTeam } from '../../data/teams.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { SendVerification } from '../../parts/send-verification.tsx'
import { useTell } from '../../parts/toast.tsx'

/** Creates a team, or says what is wanting for it. */
export function CreateTeam() {
  const { user, isSubscribed } = useHere()
  const tell = useTell()
  const create = usePeopleChange(createTeam, (_, name) => tell(`${name} is created, and is your context now.`))
  // a plan may be of a lower tier, which only the service can tell
  const needsPlan = !isSubscribed || (create.error instanceof FinanceError && create.error.code === 'SUBSCRIPTION_REQUIRED')
  return (
    <section className='section'>
      <h2>A new team</h2>
      {!user.email_verified && (
        <>
          <p>First verify that {user.email} is yours, with the link of the mail.</p>
          <SendVerification email={user.email} />
        </>
      )}
      {user.email_verified && needsPlan && (
        <p>
          Creating a team needs an active plan of the Teams tier, and you have none. Whoever runs this service gives plans. You need none to join the team of
          somebody else.
        </p>
      )}
      {user.email_verified && !needsPlan && (
        // a new form after each team
        <Form
          key={create.submittedAt * Number(create.isSuccess)}
          error={create.error}
          onSubmit={({ text }) => create.mutate(text('name'))}
        >
          <TextField name='name' label='Name of the team' maxLength={200} required />
          <SubmitButton isBusy={create.isPending}>Create the team</SubmitButton>
        </Form>
      )}
    </section>
  )
}
