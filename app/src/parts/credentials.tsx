/** Signing in, and the credentials that forms ask for. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { useState } from 'react'
import { useSessionContext } from '../shell/session-context.tsx'
import {
  enterWithPasskey,
  finishSignIn,
  goToProvider,
  hasPasskeys,
  passkeysQuery,
  returnTo,
  sendVerification,
  signIn,
  signInKey,
  signInMethodsQuery,
} from '../data/me.ts'
import { Checkbox, Form, SubmitButton, TextField } from './form.tsx'
import { ErrorNote } from './ui.tsx'
import { common } from '../messages/common.ts'
import { parts as m } from '../messages/parts.ts'
import { successOf } from './error-messages.ts'

const isRefused = (error: Error | null, code: string) =>
  error instanceof FinanceError && error.code === code

/** A code of an authenticator app. Some apps show it in two halves. */
export const CodeField = ({ autoFocus = false }: { autoFocus?: boolean }) => (
  <TextField
    name='code'
    label={m.authenticatorCode}
    autoComplete='one-time-code'
    inputMode='numeric'
    pattern='\s*(\d\s*){6}'
    title={m.authenticatorCodeHint}
    autoFocus={autoFocus}
    required
  />
)

/** A new password, with the service's limits. */
export const NewPasswordField = ({ name, label }: { name: string, label: string }) => (
  <TextField
    name={name}
    label={label}
    type='password'
    autoComplete='new-password'
    minLength={8}
    maxLength={128}
    hint={m.minimumLength}
    required
  />
)

/**
 * Signs in through the operator's identity provider, if there is one. @param to the path of the app
 * that follows
 */
export function ProviderSignIn({ to }: { to: string }) {
  const provider = useQuery(signInMethodsQuery).data?.oidc
  const go = useMutation({ mutationFn: goToProvider })
  if (provider == null) return null
  return (
    <>
      <ErrorNote error={go.error} />
      <div className='buttons'>
        <button
          type='button'
          aria-disabled={go.isPending}
          onClick={() => go.isPending || go.mutate(to)}
        >
          {m.continueWith(provider.name)}
        </button>
      </div>
    </>
  )
}

/** Signs in with a passkey. @param contextId the organization to return to */
export function PasskeySignIn({ contextId = null }: { contextId?: string | null }) {
  const enter = useMutation({
    mutationKey: signInKey,
    mutationFn: async () => {
      await enterWithPasskey()
      await returnTo(contextId)
    },
  })
  if (!hasPasskeys) return null
  return (
    <>
      <ErrorNote error={enter.error} />
      <div className='buttons'>
        <button type='button' disabled={enter.isPending} onClick={() => enter.mutate()}>
          {m.usePasskey}
        </button>
      </div>
    </>
  )
}

/** Sends the verification mail again. */
export function SendVerification({ email }: { email: string }) {
  const send = useMutation({ mutationFn: sendVerification })
  return (
    <>
      <ErrorNote error={send.error} />
      {send.data === undefined
        ? (
          <button type='button' disabled={send.isPending} onClick={() => send.mutate(email)}>
            {m.resendVerification}
          </button>
        )
        : <p role='status'>{successOf(send.data.message)}</p>}
    </>
  )
}

export type OwnPassword = { password: string }

/**
 * Asks for the password. A user without one needs a recent sign-in.
 * @param error the error of the last attempt; after an old sign-in the user can sign in again here
 */
export function Confirmation({ error }: { error: Error | null }) {
  const { user, context } = useSessionContext()
  const methods = useQuery(passkeysQuery(user.id)).data
  return (
    <>
      {methods?.has_password === false
        ? <p className='field-note'>{m.recentSignInHint}</p>
        : (
          <TextField
            name='password'
            label={m.yourPassword}
            type='password'
            autoComplete='current-password'
            hint={m.passwordHint}
          />
        )}
      {isRefused(error, 'FRESH_SIGN_IN_REQUIRED') && (
        <>
          {methods !== undefined && methods.passkeys.length > 0 && (
            <PasskeySignIn contextId={context.id} />
          )}
          <ProviderSignIn to='/settings' />
        </>
      )}
    </>
  )
}

/** Leaves an empty password out of a request. */
export const ownPassword = ({ password }: OwnPassword): { password?: string } =>
  password === '' ? {} : { password }

type SignInFormProps = {
  /** The user who signs in again. Without it the form asks for the address. */
  email?: string
  /** Runs before the sign-in counts as done. */
  afterwards?: () => Promise<unknown>
}

/** The password, then the code of an account with two factors. */
export function SignInForm({ email, afterwards }: SignInFormProps) {
  const enter = useMutation({
    mutationKey: signInKey,
    mutationFn: async (input: Parameters<typeof signIn>[0]) => {
      await signIn(input)
      await afterwards?.()
    },
  })
  const finish = useMutation({
    mutationKey: signInKey,
    mutationFn: async (input: Parameters<typeof finishSignIn>[0]) => {
      await finishSignIn(input)
      await afterwards?.()
    },
    // the pending sign-in has expired
    onError: (error) => isRefused(error, 'UNAUTHORIZED') && enter.reset(),
  })
  if (isRefused(enter.error, 'SECOND_FACTOR_REQUIRED'))
    return <CodeForm error={finish.error} isBusy={finish.isPending} onCode={finish.mutate} />
  return (
    <Form
      defaultValues={{ email: email ?? '', password: '' }}
      error={enter.error}
      onSubmit={enter.mutate}
    >
      {isRefused(finish.error, 'UNAUTHORIZED') && enter.isIdle && (
        <p role='alert'>{m.passwordExpired}</p>
      )}
      {email === undefined && (
        <TextField
          name='email'
          label={common.emailAddress}
          type='email'
          autoComplete='username'
          required
        />
      )}
      <TextField
        name='password'
        label={common.password}
        type='password'
        autoComplete='current-password'
        required
      />
      <SubmitButton isBusy={enter.isPending}>{common.signIn}</SubmitButton>
    </Form>
  )
}

type CodeFormProps = {
  error: Error | null
  isBusy: boolean
  onCode: (input: Parameters<typeof finishSignIn>[0]) => void
}

function CodeForm({ error, isBusy, onCode }: CodeFormProps) {
  const [isBackup, setBackup] = useState(false)
  const backup = (
    <TextField
      key='backup'
      name='code'
      label={m.backupCode}
      autoComplete='off'
      autoCapitalize='none'
      spellCheck={false}
      maxLength={64}
      autoFocus
      required
    />
  )
  return (
    <Form
      defaultValues={{ code: '', trustDevice: false }}
      error={error}
      onSubmit={(values) => onCode({ ...values, isBackup })}
    >
      {({ resetField }) => (
        <>
          <p>{m.secondFactorHint}</p>
          {isBackup ? backup : <CodeField key='app' autoFocus />}
          <Checkbox name='trustDevice'>{m.trustDevice}</Checkbox>
          <SubmitButton isBusy={isBusy}>{common.signIn}</SubmitButton>
          <button
            type='button'
            className='quiet'
            onClick={() => {
              resetField('code')
              setBackup(!isBackup)
            }}
          >
            {isBackup ? m.useAuthenticator : m.useBackupCode}
          </button>
          <p className='field-note'>{m.lostFactors}</p>
        </>
      )}
    </Form>
  )
}
