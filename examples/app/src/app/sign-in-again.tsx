/** A session that has ended is told once, above the page, which keeps what was typed in it. */
import { useMutation } from '@tanstack/react-query'
import { returnTo, signIn } from '../data/me.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form, SubmitButton, TextField } from '../parts/form.tsx'
import { PasskeySignIn } from '../parts/passkey-sign-in.tsx'
import { useHere } from './here.tsx'

export function SignInAgain() {
  const { user, context } = useHere()
  const again = useMutation({
    mutationFn: async (input: Parameters<typeof signIn>[0]) => {
      await signIn(input)
      await returnTo(context.id)
    },
  })
  return (
    <Dialog title='Your session has ended' open>
      <p>Sign in again as {user.email}. What you have typed is still there.</p>
      <Form error={again.error} onSubmit={(values) => again.mutate({ email: user.email, password: values.raw('password') })}>
        <TextField name='password' label='Password' type='password' autoComplete='current-password' required />
        <SubmitButton isBusy={again.isPending}>Sign in</SubmitButton>
      </Form>
      <PasskeySignIn contextId={context.id} />
    </Dialog>
  )
}
