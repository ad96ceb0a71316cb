import { useMutation } from '@tanstack/react-query'
import { returnTo } from '../data/me.ts'
import { enterWithPasskey, hasPasskeys } from '../data/passkeys.ts'
import { ErrorNote } from './error-note.tsx'

/** Signs in with a passkey alone. @param contextId of the organization that is gone back to then */
export function PasskeySignIn({ contextId = null }: { contextId?: string | null }) {
  const enter = useMutation({
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
        <button type='button' disabled={enter.isPending} onClick={() => enter.mutate()}>Use a passkey</button>
      </div>
    </>
  )
}
