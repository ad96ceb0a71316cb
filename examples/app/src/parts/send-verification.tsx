import { useMutation } from '@tanstack/react-query'
import { sendVerification } from '../data/me.ts'
import { ErrorNote } from './error-note.tsx'

/** Sends the mail with which somebody shows that an address is theirs, and says that it is on its way. */
export function SendVerification({ email }: { email: string }) {
  const send = useMutation({ mutationFn: sendVerification })
  return (
    <>
      <ErrorNote error={send.error} />
      {send.data === undefined
        ? <button type='button' disabled={send.isPending} onClick={() => send.mutate(email)}>Send the verification mail again</button>
        : <p role='status'>{send.data.message}</p>}
    </>
  )
}
