import { inLanguage } from '../locale/language.ts'

export const forgotPassword = inLanguage({
  en: {
    title: 'Forgot your password?',
    emailHint: 'We’ll email you a link to choose a new password.',
    submit: 'Send link',
  },
  de: {
    title: 'Passwort vergessen?',
    emailHint: 'Du bekommst dorthin einen Link, um ein neues zu wählen.',
    submit: 'Link senden',
  },
})
