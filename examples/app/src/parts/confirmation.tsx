import { FinanceError } from 'finance-client'
import { ByProvider } from './by-provider.tsx'
import { TextField } from './form.tsx'

/** Asks for the password, which somebody who has none leaves empty. @param error what it failed with: a sign-in that was too long ago can be made again */
export function Confirmation({ error }: { error: Error | null }) {
  return (
    <>
      <TextField
        name='password'
        label='Your password'
        type='password'
        autoComplete='current-password'
        hint='Not needed within ten minutes of signing in.'
      />
      {error instanceof FinanceError && error.code === 'FRESH_SIGN_IN_REQUIRED' && <ByProvider to='/settings' />}
    </>
  )
}
