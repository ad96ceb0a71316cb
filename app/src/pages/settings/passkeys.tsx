import { useQuery } from '@tanstack/react-query'
import type { Passkey } from 'finance-client'
import { type ReactNode, useState } from 'react'
import { useSessionContext } from '../../shell/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import {
  addPasskey,
  deletePasskey,
  hasPasskeys,
  passkeysQuery,
  removePassword,
  renamePasskey,
  requirePasskey,
} from '../../data/me.ts'
import { formatMoment } from '../../locale/days.ts'
import { common } from '../../messages/common.ts'
import { settings as m } from '../../messages/settings.ts'
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
  { question: { title, text, action, fields, isConfirmed, done, name = '', work }, onClose }: {
    question: Question
    onClose: () => void
  },
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

const renameQuestion = ({ id, name }: Passkey): Question => ({
  title: m.renameOf(name),
  action: common.save,
  fields: <TextField name='name' label={common.name} maxLength={100} required />,
  isConfirmed: false,
  done: m.passkeyRenamed,
  name,
  work: (values) => renamePasskey({ passkeyId: id, name: values.name }),
})

/** @param note the effect of the deletion of the last passkey */
const deleteQuestion = ({ id, name }: Passkey, note: string): Question => ({
  title: m.deleteOf(name),
  text: m.deletePasskeyHint(note),
  action: common.delete,
  isConfirmed: true,
  done: m.passkeyDeleted,
  work: (values) => deletePasskey({ passkeyId: id, ...ownPassword(values) }),
})

const requireQuestion = (required: boolean): Question => ({
  title: required ? m.requirePasskey : m.allowPassword,
  text: required
    ? m.requirePasskeyHint
    : m.allowPasswordHint,
  action: required ? m.requirePasskey : m.allowPasswordConfirm,
  isConfirmed: true,
  done: required ? m.passkeyRequired : m.passkeyNotRequired,
  work: (values) => requirePasskey({ required, ...ownPassword(values) }),
})

const passwordQuestion: Question = {
  title: m.removePassword,
  text: m.removePasswordHint,
  action: m.removePasswordConfirm,
  isConfirmed: true,
  done: m.passwordRemoved,
  work: (values) => removePassword(ownPassword(values)),
}

/** The passkeys of the account, and the settings of the password beside them. */
export function Passkeys() {
  const { user } = useSessionContext()
  const found = useQuery(passkeysQuery(user.id))
  const [question, setQuestion] = useState<Question | null>(null)
  const hasPassword = found.data?.has_password ?? true
  const isRequired = found.data?.required ?? false
  const afterLast = hasPassword
    ? isRequired ? m.lastPasskey : ''
    : m.lastPasskeyNoPassword
  return (
    <section className='section'>
      <h3>{m.passkeys}</h3>
      <p>{m.passkeysHint}</p>
      <ErrorNote error={found.error} />
      {found.isPending && <Skeleton />}
      <ul className='list'>
        {found.data?.passkeys.map((passkey, _, all) => (
          <PasskeyItem
            key={passkey.id}
            passkey={passkey}
            noteOfDeletion={all.length === 1 ? afterLast : ''}
            onQuestion={setQuestion}
          />
        ))}
      </ul>
      {hasPassword && found.data !== undefined && found.data.passkeys.length > 0 && (
        <>
          <p>{isRequired ? m.passkeyRequiredNote : m.passkeyNotRequiredNote}</p>
          <div className='buttons'>
            <button type='button' onClick={() => setQuestion(requireQuestion(!isRequired))}>
              {isRequired ? m.allowPassword : m.requirePasskey}
            </button>
            <button type='button' onClick={() => setQuestion(passwordQuestion)}>
              {m.removePassword}
            </button>
          </div>
        </>
      )}
      {question !== null && (
        <QuestionDialog
          question={question}
          onClose={() => setQuestion(null)}
        />
      )}
      {hasPasskeys && user.email_verified && <AddPasskey />}
      {hasPasskeys && !user.email_verified && <p>{m.verifyToAdd}</p>}
      {!hasPasskeys && <p>{m.passkeysUnsupported}</p>}
    </section>
  )
}

type PasskeyItemProps = {
  passkey: Passkey
  noteOfDeletion: string
  onQuestion: (question: Question) => void
}

const PasskeyItem = ({ passkey, noteOfDeletion, onQuestion }: PasskeyItemProps) => (
  <li>
    <span>
      {passkey.name}
      <small>
        {passkey.backed_up ? m.synchronized : m.onOneDevice}
        {m.passkeySince(formatMoment(passkey.created_at))}
        {passkey.last_used_at !== null &&
          m.passkeyLastUsed(formatMoment(passkey.last_used_at))}
      </small>
    </span>
    <span className='buttons'>
      <Action
        name={m.rename}
        of={passkey.name}
        onClick={() => onQuestion(renameQuestion(passkey))}
      />
      <Action
        name={common.delete}
        of={passkey.name}
        onClick={() => onQuestion(deleteQuestion(passkey, noteOfDeletion))}
      />
    </span>
  </li>
)

function AddPasskey() {
  const toast = useToast()
  const add = useAccountChange(addPasskey, ({ name }) => toast(m.passkeyAdded(name)))
  return (
    <Fold name={m.addPasskey} of={add}>
      <Form
        defaultValues={{ name: '', password: '' }}
        error={add.error}
        onSubmit={(values) => add.mutate({ name: values.name, ...ownPassword(values) })}
      >
        <TextField
          name='name'
          label={m.passkeyName}
          maxLength={100}
          placeholder={m.passkeyNameDefault}
          required
        />
        <Confirmation error={add.error} />
        <SubmitButton isBusy={add.isPending}>{m.addPasskeyConfirm}</SubmitButton>
      </Form>
    </Fold>
  )
}
