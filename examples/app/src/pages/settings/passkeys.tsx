import { useQuery } from '@tanstack/react-query'
import type { Passkey } from 'finance-client'
import { type ReactNode, useState } from 'react'
import { useSessionContext } from '../../app/session-context.tsx'
import { useAccountChange } from '../../data/change.ts'
import { addPasskey, deletePasskey, hasPasskeys, passkeysQuery, removePassword, renamePasskey, requirePasskey } from '../../data/me.ts'
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
  const add = useAccountChange(addPasskey, ({ name }) => toast(m.isAddedItSignsYou(name)))
  const [question, setQuestion] = useState<Question | null>(null)
  const hasPassword = found.data?.has_password ?? true
  const isRequired = found.data?.required ?? false

  const afterLast = hasPassword
    ? isRequired ? m.itIsYourLastOne : ''
    : m.itIsYourLastOneWithoutPassword

  const rename = ({ id, name }: Passkey): Question => ({
    title: m.renameOf(name),
    action: common.save,
    fields: <TextField name='name' label={common.name} maxLength={100} required />,
    isConfirmed: false,
    done: m.thePasskeyIsRenamed,
    name,
    work: (values) => renamePasskey({ passkeyId: id, name: values.name }),
  })
  const remove = ({ id, name }: Passkey): Question => ({
    title: m.delete(name),
    text: m.itNoLongerSignsYou(found.data?.passkeys.length === 1 ? afterLast : ''),
    action: common.delete,
    isConfirmed: true,
    done: m.thePasskeyIsDeleted,
    work: (values) => deletePasskey({ passkeyId: id, ...ownPassword(values) }),
  })
  const require = (required: boolean): Question => ({
    title: required ? m.askForAPasskey : m.letThePasswordSignIn,
    text: required
      ? m.yourPasswordAloneThenSignsNobodyIn
      : m.yourPasswordAloneThenSignsInAgain,
    action: required ? m.askForAPasskey : m.letItSignIn,
    isConfirmed: true,
    done: required ? m.yourPasswordAloneNoLonger : m.yourPasswordAloneSignsIn,
    work: (values) => requirePasskey({ required, ...ownPassword(values) }),
  })
  const withoutPassword: Question = {
    title: m.removeThePassword,
    text: m.youThenSignInWith,
    action: m.removeIt,
    isConfirmed: true,
    done: m.youHaveNoPasswordAny,
    work: (values) => removePassword(ownPassword(values)),
  }

  return (
    <section className='section'>
      <h3>{m.passkeys}</h3>
      <p>{m.aPasskeySignsYouIn}</p>
      <ErrorNote error={found.error} />
      {found.isPending && <Skeleton />}
      <ul className='list'>
        {found.data?.passkeys.map((passkey) => (
          <li key={passkey.id}>
            <span>
              {passkey.name}
              <small>
                {passkey.backed_up ? m.synchronized : m.onOneDevice}
                {m.andSince(formatMoment(passkey.created_at))}
                {passkey.last_used_at !== null && m.andLastUsed(formatMoment(passkey.last_used_at))}
              </small>
            </span>
            <span className='buttons'>
              <Action name={m.rename} of={passkey.name} onClick={() => setQuestion(rename(passkey))} />
              <Action name={common.delete} of={passkey.name} onClick={() => setQuestion(remove(passkey))} />
            </span>
          </li>
        ))}
      </ul>
      {hasPassword && found.data !== undefined && found.data.passkeys.length > 0 && (
        <>
          <p>{isRequired ? m.yourPasswordAloneDoesNot : m.yourPasswordSignsInAs}</p>
          <div className='buttons'>
            <button type='button' onClick={() => setQuestion(require(!isRequired))}>
              {isRequired ? m.letThePasswordSignIn : m.askForAPasskey}
            </button>
            <button type='button' onClick={() => setQuestion(withoutPassword)}>{m.removeThePassword}</button>
          </div>
        </>
      )}
      {question !== null && <QuestionDialog question={question} onClose={() => setQuestion(null)} />}
      {hasPasskeys && user.email_verified && (
        <Fold name={m.addAPasskey} of={add}>
          <Form defaultValues={{ name: '', password: '' }} error={add.error} onSubmit={(values) => add.mutate({ name: values.name, ...ownPassword(values) })}>
            <TextField name='name' label={m.nameOfThePasskey} maxLength={100} placeholder={m.phone} required />
            <Confirmation error={add.error} />
            <SubmitButton isBusy={add.isPending}>{m.addIt}</SubmitButton>
          </Form>
        </Fold>
      )}
      {hasPasskeys && !user.email_verified && <p>{m.verifyYourAddressToAdd}</p>}
      {!hasPasskeys && <p>{m.thisBrowserHasNoPasskeys}</p>}
    </section>
  )
}
