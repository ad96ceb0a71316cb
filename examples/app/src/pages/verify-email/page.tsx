import { useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { sendVerification } from '../../data/me.ts'
import { Form, SubmitButton, TextField } from '../../parts/form.tsx'
import { PageHead } from '../../parts/page-head.tsx'

const route = getRouteApi('/outside/verify-email')

/** Where the service's own link sends people on to when it has verified their address, or could not. */
export function Page() {
  const { error } = route.useSearch()
  return error === undefined ? <Verified /> : <NotVerified />
}

function Verified() {
  return (
    <>
      <PageHead title='Your address is verified' />
      <p>
        <Link to='/'>Go on to the app</Link>
      </p>
      <p>
        Somebody invited you to a team? <Link to='/team'>See the invitations</Link>
      </p>
    </>
  )
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
