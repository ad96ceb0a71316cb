import { useMutation } from '@tanstack/react-query'
import { enterWithPasskey, hasPasskeys } from '../data/passkeys.ts'
import { ErrorNote } from './error-note.tsx'

/** Signs in with a passkey alone. @param after what is done once there is a session */
export function PasskeySignIn({ after }: { after?: () => Promise<unknown> }) {
  const enter = useMutation({
    mutationFn: async () => {
      await enterWithPasskey()
      await after?.()
    },
  })
  if (!hasPasskeys) return null
  return (
    <>
      <ErrorNote error={enter.error} />
      <div className='buttons'>
        <button type='button' disabled={enter.isPending} onClick={() => enter.mutate()}>Use a passkey</button>
      </div>
    </>
  )
}
