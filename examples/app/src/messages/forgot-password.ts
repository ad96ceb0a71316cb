import { inLanguage } from '../locale/language.ts'

export const forgotPassword = inLanguage({
  en: {
    forgotYourPassword: 'Forgot your password?',
    aLinkToChooseA: 'A link to choose a new one is sent there.',
    sendTheLink: 'Send the link',
  },
  de: {
    forgotYourPassword: 'Passwort vergessen?',
    aLinkToChooseA: 'Du bekommst dorthin einen Link, um ein neues zu wählen.',
    sendTheLink: 'Link senden',
  },
})
