import { inLanguage } from '../locale/language.ts'

export const signUp = inLanguage({
  en: {
    welcomeAMailIsOn: (email: string) => `Welcome. A mail is on its way to ${email}: open its link to show that the address is yours.`,
    noAccountsCanBeMade: 'No accounts can be made here. Ask the operator of this service.',
    youNeedAnInvitationTo: 'You need an invitation to a team. Sign up with the address that it was sent to.',
    yourName: 'Your name',
    youHaveAnAccount: 'You have an account?',
  },
  de: {
    welcomeAMailIsOn: (email: string) => `Willkommen! Eine Mail an ${email} ist unterwegs. Öffne den Link darin, um deine Adresse zu bestätigen.`,
    noAccountsCanBeMade: 'Hier gibt es keine neuen Zugänge. Frag den Betreiber dieses Dienstes.',
    youNeedAnInvitationTo: 'Du brauchst eine Einladung in ein Team. Registriere dich mit der Adresse, an die sie ging.',
    yourName: 'Dein Name',
    youHaveAnAccount: 'Schon registriert?',
  },
})
