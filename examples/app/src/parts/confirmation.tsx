import { useQuery } from '@tanstack/react-query'
import { FinanceError } from 'finance-client'
import { useHere } from '../app/here.tsx'
import { passkeysQuery } from '../data/passkeys.ts'
import { ByProvider } from './by-provider.tsx'
import { TextField, type Values } from './form.tsx'
import { PasskeySignIn } from './passkey-sign-in.tsx'

/**
 * Asks for the password, or of somebody who has none for a sign-in of the last minutes.
 * @param error what it failed with: a sign-in that was too long ago can be made again here
 */
export function Confirmation({ error }: { error: Error | null }) {
  const { user, context } = useHere()
  const ways = useQuery(passkeysQuery(user.id)).data
  const isTooLate = error instanceof FinanceError && error.code === 'FRESH_SIGN_IN_REQUIRED'
  return (
    <>
      {ways?.has_password === false
        ? <p className='field-note'>This needs a sign-in of the last ten minutes.</p>
        : (
          <TextField
            name='password'
            label='Your password'
            type='password'
            autoComplete='current-password'
            hint='Not needed within ten minutes of signing in.'
          />
        )}
      {isTooLate && (
        <>
          {ways !== undefined && ways.passkeys.length > 0 && <PasskeySignIn contextId={context.id} />}
          <ByProvider to='/settings' />
        </>
      )}
    </>
  )
}

/** What is sent of it. */
export const ownPassword = ({ raw }: Values): { password?: string } => {
  const password = raw('password')
  return password === '' ? {} : { password }
}
