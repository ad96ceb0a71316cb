import { useQuery } from '@tanstack/react-query'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { changePassword, rename } from '../../data/me.ts'
import { passkeysQuery } from '../../data/passkeys.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { NewPasswordField } from '../../parts/password-field.tsx'
import { SendVerification } from '../../parts/send-verification.tsx'
import { useTell } from '../../parts/toast.tsx'
import { ApiKeys } from './api-keys.tsx'
import { ChangeEmail } from './change-email.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { Events } from './events.tsx'
import { Passkeys } from './passkeys.tsx'
import { Sessions } from './sessions.tsx'
import { TakeAlong } from './take-along.tsx'
import { TwoFactors } from './two-factors.tsx'

export function Page() {
  const { user } = useHere()
  const tell = useTell()
  const save = usePeopleChange(rename, () => tell('Your name is changed.'))
  return (
    <>
      <PageHead title='Your account' />
      <section className='section'>
        <p>{user.email}{user.email_verified ? ', verified' : ''}</p>
        {!user.email_verified && (
          <>
            <p>Your address is not verified. Open the link of the mail; until then you can neither create nor join a team.</p>
            <SendVerification email={user.email} />
          </>
        )}
        <Form error={save.error} onSubmit={({ text }) => save.mutate(text('name'))}>
          <TextField name='name' label='Your name' autoComplete='name' defaultValue={user.name} required />
          <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
        </Form>
      </section>
      <ChangeEmail />
      <Password />
      <TwoFactors />
      <Passkeys />
      <Sessions />
      <ApiKeys />
      <Events />
      <TakeAlong />
      <DeleteAccount />
    </>
  )
}

function Password() {
  const { user } = useHere()
  const tell = useTell()
  const signIn = useQuery(passkeysQuery(user.id))
  const change = usePeopleChange(changePassword, () => tell('Your password is changed, and your other sessions have ended.'))
  if (signIn.data?.has_password === false) return null
  return (
    <section className='section'>
      <h2>Password</h2>
      {/* a new form after each change: the passwords are gone from it */}
      <Form
        key={change.submittedAt * Number(change.isSuccess)}
        error={change.error}
        onSubmit={({ raw }) => change.mutate({ currentPassword: raw('currentPassword'), newPassword: raw('newPassword') })}
      >
        <TextField name='currentPassword' label='Current password' type='password' autoComplete='current-password' required />
        <NewPasswordField name='newPassword' label='New password' />
        <SubmitButton isBusy={change.isPending}>Change the password</SubmitButton>
      </Form>
    </section>
  )
}
