/** A session that has ended is told once, above the page, which keeps what was typed in it. */
import { useMutation } from '@tanstack/react-query'
import { chooseContext, signIn } from '../data/me.ts'
import { ByProvider } from '../parts/by-provider.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form, SubmitButton, TextField } from '../parts/form.tsx'
import { useHere } from './here.tsx'

export function SignInAgain() {
  const { user, context } = useHere()
  const again = useMutation({
    mutationFn: async (input: Parameters<typeof signIn>[0]) => {
      await signIn(input)
      // a new session begins in the personal context
      if (context.id !== null) await chooseContext(context.id)
    },
  })
  return (
    <Dialog title='Your session has ended' open>
      <p>Sign in again as {user.email}. What you have typed is still there.</p>
      <Form error={again.error} onSubmit={(values) => again.mutate({ email: user.email, password: values.raw('password') })}>
        <TextField name='password' label='Password' type='password' autoComplete='current-password' required />
        <SubmitButton isBusy={again.isPending}>Sign in</SubmitButton>
      </Form>
      <ByProvider to={`${window.location.pathname}${window.location.search}`} />
    </Dialog>
  )
}
