import { inLanguage } from '../locale/language.ts'

export const signUp = inLanguage({
  en: {
    welcome: (email: string) =>
      `Welcome! We sent an email to ${email}. Open the link in it to verify your address.`,
    closed: 'Sign-ups are closed. Contact the operator of this service.',
    invitationOnly: 'You need an invitation to a team. Sign up with the address it was sent to.',
    yourName: 'Your name',
    haveAccount: 'Already have an account?',
  },
  de: {
    welcome: (email: string) =>
      `Willkommen! Eine Mail an ${email} ist unterwegs. Öffne den Link darin, um deine Adresse zu bestätigen.`,
    closed: 'Hier gibt es keine neuen Zugänge. Frag den Betreiber dieses Dienstes.',
    invitationOnly:
      'Du brauchst eine Einladung in ein Team. Registriere dich mit der Adresse, an die sie ging.',
    yourName: 'Dein Name',
    haveAccount: 'Schon registriert?',
  },
})
