import { inLanguage } from '../locale/language.ts'

export const signIn = inLanguage({
  en: {
    forgotYourPassword: 'Forgot your password?',
    noAccountYet: 'No account yet?',
  },
  de: {
    forgotYourPassword: 'Passwort vergessen?',
    noAccountYet: 'Noch kein Zugang?',
  },
})
