import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../shell/session.ts'
import { sendVerification } from '../../data/me.ts'
import { myInvitationsQuery } from '../../data/teams.ts'
import { common } from '../../messages/common.ts'
import { verifyEmail as m } from '../../messages/verify-email.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/ui.tsx'
import { Invitation } from '../accept-invitation/page.tsx'
import { successOf } from '../../parts/error-messages.ts'

const route = getRouteApi('/outside/verify-email')

/** The target of the service's redirect after a verification link. */
export function Page() {
  const { error } = route.useSearch()
  return error === undefined ? <Verified /> : <NotVerified />
}

/** Offers pending invitations next. */
function Verified() {
  const { session } = useSession()
  const userId = session?.user_id ?? ''
  const waiting = useQuery({ ...myInvitationsQuery(userId), enabled: userId !== '' }).data
  return (
    <>
      <PageHead title={m.verified} />
      {waiting !== undefined && <Invitations ids={waiting.map(({ id }) => id)} />}
      <p>
        <Link to='/'>{m.openApp}</Link>
      </p>
      {session === null && (
        <p>
          {m.invitedQuestion} <Link to='/team'>{m.viewInvitations}</Link>
        </p>
      )}
    </>
  )
}

/** The first list of invitations, so that an answered one stays visible. */
function Invitations({ ids }: { ids: string[] }) {
  const [all] = useState(ids)
  return all.map((id) => <Invitation key={id} id={id} />)
}

function NotVerified() {
  const send = useMutation({ mutationFn: sendVerification })
  return (
    <>
      <PageHead title={m.linkFailed} />
      <p>{m.linkFailedHint}</p>
      {send.data === undefined
        ? (
          <Form
            defaultValues={{ email: '' }}
            error={send.error}
            onSubmit={({ email }) => send.mutate(email)}
          >
            <TextField
              name='email'
              label={common.emailAddress}
              type='email'
              autoComplete='username'
              required
            />
            <SubmitButton isBusy={send.isPending}>{m.sendLink}</SubmitButton>
          </Form>
        )
        : <p role='status'>{successOf(send.data.message)}</p>}
    </>
  )
}
