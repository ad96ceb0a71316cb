import { inLanguage } from '../locale/language.ts'

export const signIn = inLanguage({
  en: {
    forgotYourPassword: 'Forgot your password?',
    noAccountYet: 'Don’t have an account?',
  },
  de: {
    forgotYourPassword: 'Passwort vergessen?',
    noAccountYet: 'Noch kein Zugang?',
  },
})
