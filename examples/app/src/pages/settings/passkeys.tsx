import { useQuery } from '@tanstack/react-query'
import type { Passkey } from 'finance-client'
import { type ReactNode, useState } from 'react'
import { useHere } from '../../app/here.tsx'
import { usePeopleChange } from '../../data/change.ts'
import { addPasskey, deletePasskey, hasPasskeys, passkeysQuery, removePassword, renamePasskey, requirePasskey } from '../../data/passkeys.ts'
import { formatMoment } from '../../locale/days.ts'
import { Action } from '../../parts/action.tsx'
import { Confirmation, ownPassword } from '../../parts/confirmation.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorNote } from '../../parts/error-note.tsx'
import { Fold } from '../../parts/fold.tsx'
import { Form, SubmitButton, TextField, type Values } from '../../parts/form.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useTell } from '../../parts/toast.tsx'

/** What is asked before something is done; `isConfirmed` with the password. */
type Question = {
  title: string
  text?: string
  action: string
  fields?: ReactNode
  isConfirmed: boolean
  done: string
  work: (values: Values) => Promise<unknown>
}

function Asked({ question: { title, text, action, fields, isConfirmed, done, work }, onClose }: { question: Question, onClose: () => void }) {
  const tell = useTell()
  const change = usePeopleChange(work, () => {
    onClose()
    tell(done)
  })
  return (
    <Dialog title={title} open onClose={onClose}>
      {text !== undefined && <p>{text}</p>}
      <Form error={change.error} onSubmit={(values) => change.mutate(values)}>
        {fields}
        {isConfirmed && <Confirmation error={change.error} />}
        <SubmitButton isBusy={change.isPending}>{action}</SubmitButton>
      </Form>
    </Dialog>
  )
}

/** The passkeys of the account, how one is added, and whether the password alone signs in. */
export function Passkeys() {
  const { user } = useHere()
  const tell = useTell()
  const found = useQuery(passkeysQuery(user.id))
  const add = usePeopleChange(addPasskey, ({ name }) => tell(`${name} is added. It signs you in by itself.`))
  const [question, setQuestion] = useState<Question | null>(null)
  const hasPassword = found.data?.has_password ?? true
  const isRequired = found.data?.required ?? false

  const afterLast = hasPassword
    ? isRequired ? ' It is your last one: your password alone then signs in again.' : ''
    : ' It is your last one, and you have no password: a mail then gives you one, by “Forgot your password?”.'

  const rename = ({ id, name }: Passkey): Question => ({
    title: `Rename ${name}`,
    action: 'Save',
    fields: <TextField name='name' label='Name' defaultValue={name} maxLength={100} required />,
    isConfirmed: false,
    done: 'The passkey is renamed.',
    work: ({ text }) => renamePasskey({ passkeyId: id, name: text('name') }),
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
      {question !== null && <Asked question={question} onClose={() => setQuestion(null)} />}
      {hasPasskeys && user.email_verified && (
        <Fold name='Add a passkey' of={add}>
          <Form error={add.error} onSubmit={(values) => add.mutate({ name: values.text('name'), ...ownPassword(values) })}>
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
