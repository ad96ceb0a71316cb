import { inLanguage } from '../locale/language.ts'

export const resetPassword = inLanguage({
  en: {
    chooseANewPassword: 'Choose a new password',
    newPassword: 'New password',
    changeThePassword: 'Change the password',
    aLinkWorksOnceAnd: 'A link works once, and not for long.',
    askForANewOne: 'Ask for a new one',
  },
  de: {
    chooseANewPassword: 'Neues Passwort wählen',
    newPassword: 'Neues Passwort',
    changeThePassword: 'Passwort ändern',
    aLinkWorksOnceAnd: 'Ein Link gilt nur einmal und nicht lange.',
    askForANewOne: 'Neuen anfordern',
  },
})
