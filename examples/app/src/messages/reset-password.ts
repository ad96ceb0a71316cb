import { inLanguage } from '../locale/language.ts'

export const resetPassword = inLanguage({
  en: {
    chooseANewPassword: 'Choose a new password',
    newPassword: 'New password',
    changeThePassword: 'Change the password',
    aLinkWorksOnceAnd: 'A link works once, and not for long.',
    askForANewOne: 'Ask for a new one',
  },
})
