import { TextField } from './form.tsx'

/** A new password, as the service takes it. */
export const NewPasswordField = ({ name, label }: { name: string, label: string }) => (
  <TextField name={name} label={label} type='password' autoComplete='new-password' minLength={8} maxLength={128} hint='8 characters or more' required />
)
