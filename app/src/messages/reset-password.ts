import { inLanguage } from '../locale/language.ts'

export const resetPassword = inLanguage({
  en: {
    title: 'Choose a new password',
    newPassword: 'New password',
    submit: 'Change password',
    linkHint: 'Each link works once and expires soon.',
    requestLink: 'Request a new link',
  },
  de: {
    title: 'Neues Passwort wählen',
    newPassword: 'Neues Passwort',
    submit: 'Passwort ändern',
    linkHint: 'Ein Link gilt nur einmal und nicht lange.',
    requestLink: 'Neuen anfordern',
  },
})
