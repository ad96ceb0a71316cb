import { useQuery } from '@tanstack/react-query'
import { useHere } from '../app/here.tsx'
import { passkeysQuery } from '../data/passkeys.ts'
import { TextField, type Values } from './form.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'

/** What is confirmed by the password; somebody without one signs in once more, if that was some minutes ago. */
export function OwnPassword() {
  const { user, context } = useHere()
  const signIn = useQuery(passkeysQuery(user.id))
  if (signIn.data?.has_password !== false) return <TextField name='password' label='Your password' type='password' autoComplete='current-password' required />
  return (
    <>
      <p className='field-note'>This needs a sign-in of the last ten minutes.</p>
      <PasskeySignIn contextId={context.id} />
    </>
  )
}

/** What is sent of it. */
export const ownPassword = ({ raw }: Values): { password?: string } => {
  const password = raw('password')
  return password === '' ? {} : { password }
}
