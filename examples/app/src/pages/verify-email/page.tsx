import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../app/session.ts'
import { sendVerification } from '../../data/me.ts'
import { myInvitationsQuery } from '../../data/teams.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Invitation } from '../accept-invitation/invitation.tsx'

const route = getRouteApi('/outside/verify-email')

/** Where the service's own link sends people on to when it has verified their address, or could not. */
export function Page() {
  const { error } = route.useSearch()
  return error === undefined ? <Verified /> : <NotVerified />
}

/** Whoever has signed up to join a team goes on to join it. */
function Verified() {
  const { session } = useSession()
  const userId = session?.user_id ?? ''
  const waiting = useQuery({ ...myInvitationsQuery(userId), enabled: userId !== '' }).data
  return (
    <>
      <PageHead title='Your address is verified' />
      {waiting !== undefined && <Invitations ids={waiting.map(({ id }) => id)} />}
      <p>
        <Link to='/'>Go on to the app</Link>
      </p>
      {session === null && (
        <p>
          Somebody invited you to a team? <Link to='/team'>See the invitations</Link>
        </p>
      )}
    </>
  )
}

/** Those that waited at first: one that is answered stays, with what comes then. */
function Invitations({ ids }: { ids: string[] }) {
  const [all] = useState(ids)
  return all.map((id) => <Invitation key={id} id={id} />)
}

function NotVerified() {
  const send = useMutation({ mutationFn: sendVerification })
  return (
    <>
      <PageHead title='This link no longer works' />
      <p>It was used, or is too old. A new one can be sent to you.</p>
      {send.data === undefined
        ? (
          <Form error={send.error} onSubmit={({ text }) => send.mutate(text('email'))}>
            <TextField name='email' label='E-mail address' type='email' autoComplete='username' required />
            <SubmitButton isBusy={send.isPending}>Send a new link</SubmitButton>
          </Form>
        )
        : <p role='status'>{send.data.message}</p>}
    </>
  )
}
