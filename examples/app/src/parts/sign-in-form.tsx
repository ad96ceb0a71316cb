/** The password, and then the code that an account with two factors is asked for. */
import { useMutation } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { type ReactNode, useState } from 'react'
import { finishSignIn, signIn } from '../data/me.ts'
import { CodeField } from './code-field.tsx'
import { Form, SubmitButton, TextField, type Values } from './form.tsx'

const isRefused = (error: Error | null, code: string) => error instanceof FinanceError && error.code === code

type SignInFormProps = {
  emailOf: (values: Values) => string
  /** What else is done before the sign-in is. */
  afterwards?: () => Promise<unknown>
  /** The fields above the password. */
  children?: ReactNode
}

export function SignInForm({ emailOf, afterwards, children }: SignInFormProps) {
  const enter = useMutation({
    mutationFn: async (input: Parameters<typeof signIn>[0]) => {
      await signIn(input)
      await afterwards?.()
    },
  })
  const finish = useMutation({
    mutationFn: async (input: Parameters<typeof finishSignIn>[0]) => {
      await finishSignIn(input)
      await afterwards?.()
    },
    // it took longer than the service waits for the code
    onError: (error) => isRefused(error, 'UNAUTHORIZED') && enter.reset(),
  })
  if (isRefused(enter.error, 'SECOND_FACTOR_REQUIRED')) return <CodeForm error={finish.error} isBusy={finish.isPending} onCode={finish.mutate} />
  return (
    <Form error={enter.error} onSubmit={(values) => enter.mutate({ email: emailOf(values), password: values.raw('password') })}>
      {isRefused(finish.error, 'UNAUTHORIZED') && enter.isIdle && <p role='alert'>That took too long. Give your password again.</p>}
      {children}
      <TextField name='password' label='Password' type='password' autoComplete='current-password' required />
      <SubmitButton isBusy={enter.isPending}>Sign in</SubmitButton>
    </Form>
  )
}

type CodeFormProps = { error: Error | null, isBusy: boolean, onCode: (input: Parameters<typeof finishSignIn>[0]) => void }

function CodeForm({ error, isBusy, onCode }: CodeFormProps) {
  const [isBackup, setBackup] = useState(false)
  return (
    <Form error={error} onSubmit={({ text, raw }) => onCode({ code: text('code'), trustDevice: raw('trustDevice') !== '', isBackup })}>
      <p>This account asks for a second factor: the code of your authenticator app, a backup code or a passkey.</p>
      {isBackup
        ? (
          <TextField
            key='backup'
            name='code'
            label='Backup code'
            autoComplete='off'
            autoCapitalize='none'
            spellCheck={false}
            maxLength={64}
            autoFocus
            required
          />
        )
        : <CodeField key='app' autoFocus />}
      <label className='check'>
        <input type='checkbox' name='trustDevice' /> Do not ask on this device for 30 days
      </label>
      <SubmitButton isBusy={isBusy}>Sign in</SubmitButton>
      <button type='button' className='quiet' onClick={() => setBackup(!isBackup)}>
        {isBackup ? 'Use the authenticator app' : 'Use a backup code'}
      </button>
      <p className='field-note'>Have you lost all of them? Ask whoever runs this service, who can let you in with the password alone.</p>
    </Form>
  )
}
