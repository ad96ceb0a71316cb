/** Dialogs that the user answers before the page goes on. */
import { useMutation } from '@tanstack/react-query'
import { chooseContext, returnTo } from '../data/me.ts'
import { shell as m } from '../messages/shell.ts'
import { PasskeySignIn, ProviderSignIn, SignInForm } from '../parts/credentials.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNote } from '../parts/ui.tsx'
import { nameOf, useSessionContext } from './session-context.tsx'

/** @param isCovered shows the sign-in instead of the page */
export function Interruption({ isCovered }: { isCovered: boolean }) {
  const { elsewhere } = useSessionContext()
  if (isCovered) return <SignInAgain />
  return elsewhere !== null && <ContextSwitched {...elsewhere} />
}

/** The session has expired. The page stays, hidden, and keeps its input. */
function SignInAgain() {
  const { user, context } = useSessionContext()
  return (
    <Dialog title={m.signedOut} open className='sign-in-again'>
      <p>{m.signInAgain(user.email)}</p>
      <SignInForm email={user.email} afterwards={() => returnTo(context.id)} />
      <PasskeySignIn contextId={context.id} />
      <ProviderSignIn to={`${window.location.pathname}${window.location.search}`} />
    </Dialog>
  )
}

/** The session's context was switched in another tab while a form here has unsaved input. */
function ContextSwitched({ name, follow }: { name: string, follow: () => void }) {
  const { context, team } = useSessionContext()
  const back = useMutation({ mutationFn: chooseContext })
  return (
    <Dialog title={m.switchedTo(name)} open>
      <p>{m.switchedHint(nameOf(team), name)}</p>
      <ErrorNote error={back.error} />
      <div className='buttons'>
        <button
          type='button'
          className='primary'
          disabled={back.isPending}
          onClick={() => back.mutate(context.id)}
        >
          {m.backTo(nameOf(team))}
        </button>
        <button type='button' className='danger' onClick={follow}>{m.discardAndGo(name)}</button>
      </div>
    </Dialog>
  )
}
