import { useQuery } from '@tanstack/react-query'
import type { Passkey } from 'finance-client'
import { type ReactNode, useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { addPasskey, deletePasskey, hasPasskeys, passkeysQuery, removePassword, renamePasskey, requirePasskey } from '../../data/me.ts'
import { formatMoment } from '../../locale/days.ts'
import { Action, ErrorNote, Skeleton } from '../../parts/ui.tsx'
import { Confirmation, type OwnPassword, ownPassword } from '../../parts/credentials.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { useToast } from '../../parts/toast.tsx'

type Values = OwnPassword & { name: string }

/** A dialog before a change. `isConfirmed` asks for the password. */
type Question = {
  title: string
  text?: string
  action: string
  fields?: ReactNode
  isConfirmed: boolean
  done: string
  /** The initial value of the name field. */
  name?: string
  work: (values: Values) => Promise<unknown>
}

function QuestionDialog(
  { question: { title, text, action, fields, isConfirmed, done, name = '', work }, onClose }: { question: Question, onClose: () => void },
) {
  const toast = useToast()
  const change = useAccountChange(work, () => {
    onClose()
    toast(done)
  })
  return (
    <Dialog title={title} open onClose={onClose}>
      {text !== undefined && <p>{text}</p>}
      <Form defaultValues={{ name, password: '' }} error={change.error} onSubmit={change.mutate}>
        {fields}
        {isConfirmed && <Confirmation error={change.error} />}
        <SubmitButton isBusy={change.isPending}>{action}</SubmitButton>
      </Form>
    </Dialog>
  )
}

/** The passkeys of the account, and the settings of the password beside them. */
export function Passkeys() {
  const { user } = useSessionContext()
  const toast = useToast()
  const found = useQuery(passkeysQuery(user.id))
  const add = useAccountChange(addPasskey, ({ name }) => toast(`${name} is added. It signs you in by itself.`))
  const [question, setQuestion] = useState<Question | null>(null)
  const hasPassword = found.data?.has_password ?? true
  const isRequired = found.data?.required ?? false

  const afterLast = hasPassword
    ? isRequired ? ' It is your last one: your password alone then signs in again.' : ''
    : ' It is your last one, and you have no password: a mail then gives you one, by “Forgot your password?”.'

  const rename = ({ id, name }: Passkey): Question => ({
    title: `Rename ${name}`,
    action: 'Save',
    fields: <TextField name='name' label='Name' maxLength={100} required />,
    isConfirmed: false,
    done: 'The passkey is renamed.',
    name,
    work: (values) => renamePasskey({ passkeyId: id, name: values.name }),
  })
  const remove = ({ id, name }: Passkey): Question => ({
    title: `Delete ${name}`,
    text: `It no longer signs you in. Delete it on your device too, or it goes on being offered there.${found.data?.passkeys.length === 1 ? afterLast : ''}`,
    action: 'Delete',
    isConfirmed: true,
    done: 'The passkey is deleted.',
    work: (values) => deletePasskey({ passkeyId: id, ...ownPassword(values) }),
  })
  const require = (required: boolean): Question => ({
    title: required ? 'Ask for a passkey' : 'Let the password sign in',
    text: required
      ? 'Your password alone then signs nobody in, and your other sessions end. Add a second passkey on another device first: who loses the only one has to ask whoever runs this service.'
      : 'Your password alone then signs in again.',
    action: required ? 'Ask for a passkey' : 'Let it sign in',
    isConfirmed: true,
    done: required ? 'Your password alone no longer signs in.' : 'Your password alone signs in again.',
    work: (values) => requirePasskey({ required, ...ownPassword(values) }),
  })
  const withoutPassword: Question = {
    title: 'Remove the password',
    text: 'You then sign in with a passkey alone. A mail gives you a password again.',
    action: 'Remove it',
    isConfirmed: true,
    done: 'You have no password any more.',
    work: (values) => removePassword(ownPassword(values)),
  }

  return (
    <section className='section'>
      <h3>Passkeys</h3>
      <p>A passkey signs you in with what unlocks your device, without a password or a code.</p>
      <ErrorNote error={found.error} />
      {found.isPending && <Skeleton />}
      <ul className='list'>
        {found.data?.passkeys.map((passkey) => (
          <li key={passkey.id}>
            <span>
              {passkey.name}
              <small>
                {passkey.backed_up ? 'synchronized' : 'on one device'}, since {formatMoment(passkey.created_at)}
                {passkey.last_used_at !== null && `, last used ${formatMoment(passkey.last_used_at)}`}
              </small>
            </span>
            <span className='buttons'>
              <Action name='Rename' of={passkey.name} onClick={() => setQuestion(rename(passkey))} />
              <Action name='Delete' of={passkey.name} onClick={() => setQuestion(remove(passkey))} />
            </span>
          </li>
        ))}
      </ul>
      {hasPassword && found.data !== undefined && found.data.passkeys.length > 0 && (
        <>
          <p>{isRequired ? 'Your password alone does not sign in: a passkey is asked for.' : 'Your password signs in as well.'}</p>
          <div className='buttons'>
            <button type='button' onClick={() => setQuestion(require(!isRequired))}>
              {isRequired ? 'Let the password sign in' : 'Ask for a passkey'}
            </button>
            <button type='button' onClick={() => setQuestion(withoutPassword)}>Remove the password</button>
          </div>
        </>
      )}
      {question !== null && <QuestionDialog question={question} onClose={() => setQuestion(null)} />}
      {hasPasskeys && user.email_verified && (
        <Fold name='Add a passkey' of={add}>
          <Form defaultValues={{ name: '', password: '' }} error={add.error} onSubmit={(values) => add.mutate({ name: values.name, ...ownPassword(values) })}>
            <TextField name='name' label='Name of the passkey' maxLength={100} placeholder='Phone' required />
            <Confirmation error={add.error} />
            <SubmitButton isBusy={add.isPending}>Add it</SubmitButton>
          </Form>
        </Fold>
      )}
      {hasPasskeys && !user.email_verified && <p>Verify your address to add one.</p>}
      {!hasPasskeys && <p>This browser has no passkeys, or this address none: they need https.</p>}
    </section>
  )
}
