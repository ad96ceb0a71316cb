import { FinanceError } from 'finance-client'
import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { createTeam } from '../../data/teams.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { SendVerification } from '../../parts/credentials.tsx'
import { useToast } from '../../parts/toast.tsx'

/** Creates a team, or shows why the user cannot. */
export function CreateTeam() {
  const { user, isSubscribed } = useSessionContext()
  const toast = useToast()
  const create = useAccountChange(createTeam, (_, name) => toast(`${name} is created, and is your context now.`))
  // only the service knows the tier of a plan
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
        // the key clears the form after each team
        <Form
          key={create.submittedAt * Number(create.isSuccess)}
          defaultValues={{ name: '' }}
          error={create.error}
          onSubmit={({ name }) => create.mutate(name)}
        >
          <TextField name='name' label='Name of the team' maxLength={200} required />
          <SubmitButton isBusy={create.isPending}>Create the team</SubmitButton>
        </Form>
      )}
    </section>
  )
}
