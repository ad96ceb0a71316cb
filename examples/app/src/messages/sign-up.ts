import { inLanguage } from '../locale/language.ts'

export const signUp = inLanguage({
  en: {
    welcomeAMailIsOn: (email: string) => `Welcome. A mail is on its way to ${email}: open its link to show that the address is yours.`,
    noAccountsCanBeMade: 'No accounts can be made here. Ask the operator of this service.',
    youNeedAnInvitationTo: 'You need an invitation to a team. Sign up with the address that it was sent to.',
    yourName: 'Your name',
    youHaveAnAccount: 'You have an account?',
  },
})
