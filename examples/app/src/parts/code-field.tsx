import { TextField } from './form.tsx'

/** The code of an authenticator app, which some show in two halves. */
export const CodeField = ({ autoFocus = false }: { autoFocus?: boolean }) => (
  <TextField
    name='code'
    label='Code of your authenticator app'
    autoComplete='one-time-code'
    inputMode='numeric'
    pattern='\s*(\d\s*){6}'
    title='Six digits'
    autoFocus={autoFocus}
    required
  />
)
