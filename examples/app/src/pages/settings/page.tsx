import type { ReactNode } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { rename } from '../../data/me.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'
import { ApiKeys } from './api-keys.tsx'
import { ChangeEmail } from './change-email.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { Events } from './events.tsx'
import { ExportImport } from './export-import.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactors } from './two-factors.tsx'

/** The sections, the rarest last. */
const groups: ReadonlyArray<{ id: string, name: string, content: ReactNode }> = [
  {
    id: 'you',
    name: 'You',
    content: (
      <>
        <h2>You</h2>
        <Name />
        <ChangeEmail />
      </>
    ),
  },
  {
    id: 'signing-in',
    name: 'Signing in',
    content: (
      <>
        <h2>Signing in</h2>
        <Password />
        <TwoFactors />
        <Passkeys />
        <Sessions />
      </>
    ),
  },
  { id: 'keys', name: 'Keys', content: <ApiKeys /> },
  { id: 'data', name: 'Your data', content: <ExportImport /> },
  { id: 'events', name: 'What happened', content: <Events /> },
  { id: 'delete', name: 'Delete', content: <DeleteAccount /> },
]

export const Page = () => (
  <>
    <PageHead title='Your account' />
    <nav className='on-page' aria-label='On this page'>
      {groups.map(({ id, name }) => <a key={id} href={`#${id}`}>{name}</a>)}
    </nav>
    {groups.map(({ id, content }) => <div key={id} id={id} className='group'>{content}</div>)}
  </>
)

function Name() {
  const { user } = useSessionContext()
  const toast = useToast()
  const save = useAccountChange(rename, () => toast('Your name is changed.'))
  return (
    <section className='section'>
      <Form defaultValues={{ name: user.name }} error={save.error} onSubmit={({ name }) => save.mutate(name)}>
        <TextField name='name' label='Your name' autoComplete='name' required />
        <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
      </Form>
    </section>
  )
}
