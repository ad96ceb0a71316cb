import { FinanceError } from 'finance-client'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { createTeam } from '../../data/teams.ts'
import { team as m } from '../../messages/team.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { SendVerification } from '../../parts/credentials.tsx'
import { useToast } from '../../parts/toast.tsx'

/** Creates a team, or shows why the user cannot. */
export function CreateTeam() {
  const { user, isSubscribed } = useSessionContext()
  const toast = useToast()
  const create = useAccountChange(createTeam, (_, name) => toast(m.created(name)))
  // only the service knows the tier of a plan
  const needsPlan = !isSubscribed ||
    (create.error instanceof FinanceError && create.error.code === 'SUBSCRIPTION_REQUIRED')
  return (
    <section className='section'>
      <h2>{m.newTeam}</h2>
      {!user.email_verified && (
        <>
          <p>{m.verifyFirst(user.email)}</p>
          <SendVerification email={user.email} />
        </>
      )}
      {user.email_verified && needsPlan && (
        <p>
          {m.planHint}
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
          <TextField name='name' label={m.name} maxLength={200} required />
          <SubmitButton isBusy={create.isPending}>{m.create}</SubmitButton>
        </Form>
      )}
    </section>
  )
}
