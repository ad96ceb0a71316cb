import type { ReactNode } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { rename } from '../../data/me.ts'
import { common } from '../../messages/common.ts'
import { settings as m } from '../../messages/settings.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { LanguageChoice } from '../../parts/language-choice.tsx'
import { PageHead } from '../../parts/ui.tsx'
import { useToast } from '../../parts/toast.tsx'
import { AppearanceChoice } from './appearance.tsx'
import { ApiKeys } from './api-keys.tsx'
import { Calendars } from './calendars.tsx'
import { ChangeEmail } from './change-email.tsx'
import { DeleteAccount } from './delete-account.tsx'
import { Events } from './events.tsx'
import { Device } from './device.tsx'
import { Examples } from './examples.tsx'
import { FileSpace } from './file-space.tsx'
import { ExportImport } from './export-import.tsx'
import { Passkeys } from './passkeys.tsx'
import { Password } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { TwoFactors } from './two-factors.tsx'
import { Webhooks } from './webhooks.tsx'

/** The sections, the rarest last. */
const groups: ReadonlyArray<{ id: string, name: string, content: ReactNode }> = [
  {
    id: 'you',
    name: m.profile,
    content: (
      <>
        <h2>{m.profile}</h2>
        <Name />
        <ChangeEmail />
      </>
    ),
  },
  {
    id: 'look',
    name: m.appearanceTitle,
    content: (
      <>
        <h2>{m.appearanceTitle}</h2>
        <section className='section'>
          <LanguageChoice />
        </section>
        <AppearanceChoice />
      </>
    ),
  },
  {
    id: 'signing-in',
    name: m.signIn,
    content: (
      <>
        <h2>{m.signIn}</h2>
        <Password />
        <TwoFactors />
        <Passkeys />
        <Sessions />
      </>
    ),
  },
  { id: 'keys', name: m.keysSection, content: <ApiKeys /> },
  {
    id: 'feeds',
    name: m.webhooksAndCalendars,
    content: (
      <>
        <Webhooks />
        <Calendars />
      </>
    ),
  },
  {
    id: 'data',
    name: m.dataSection,
    content: (
      <>
        <ExportImport />
        <FileSpace />
        <Device />
        <Examples />
      </>
    ),
  },
  { id: 'events', name: m.eventsSection, content: <Events /> },
  { id: 'delete', name: common.delete, content: <DeleteAccount /> },
]

export const Page = () => (
  <>
    <PageHead title={m.title} />
    <div className='beside'>
      <nav className='on-page' aria-label={m.onThisPage}>
        {groups.map(({ id, name }) => <a key={id} href={`#${id}`}>{name}</a>)}
      </nav>
      <div>
        {groups.map(({ id, content }) => <div key={id} id={id} className='group'>{content}</div>)}
      </div>
    </div>
  </>
)

function Name() {
  const { user } = useSessionContext()
  const toast = useToast()
  const save = useAccountChange(rename, () => toast(m.nameChanged))
  return (
    <section className='section'>
      <Form
        defaultValues={{ name: user.name }}
        error={save.error}
        onSubmit={({ name }) => save.mutate(name)}
      >
        <TextField name='name' label={m.yourName} autoComplete='name' required />
        <SubmitButton isBusy={save.isPending}>{common.save}</SubmitButton>
      </Form>
    </section>
  )
}
