/** A session that has ended is told once, above the page, which keeps what was typed in it. */
import { returnTo } from '../data/me.ts'
import { ByProvider } from '../parts/by-provider.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { PasskeySignIn } from '../parts/passkey-sign-in.tsx'
import { SignInForm } from '../parts/sign-in-form.tsx'
import { useHere } from './here.tsx'

export function SignInAgain() {
  const { user, context } = useHere()
  return (
    <Dialog title='Your session has ended' open>
      <p>Sign in again as {user.email}. What you have typed is still there.</p>
      <SignInForm emailOf={() => user.email} afterwards={() => returnTo(context.id)} />
      <PasskeySignIn contextId={context.id} />
      <ByProvider to={`${window.location.pathname}${window.location.search}`} />
    </Dialog>
  )
}
