/** A session that has ended is told once, above the page, which keeps what was typed in it. */
import { chooseContext } from '../data/me.ts'
import { ByProvider } from '../parts/by-provider.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { SignInForm } from '../parts/sign-in-form.tsx'
import { useHere } from './here.tsx'

export function SignInAgain() {
  const { user, context } = useHere()
  // a new session begins in the personal context
  const goBack = async () => context.id !== null && chooseContext(context.id)
  return (
    <Dialog title='Your session has ended' open>
      <p>Sign in again as {user.email}. What you have typed is still there.</p>
      <SignInForm emailOf={() => user.email} afterwards={goBack} />
      <ByProvider to={`${window.location.pathname}${window.location.search}`} />
    </Dialog>
  )
}
