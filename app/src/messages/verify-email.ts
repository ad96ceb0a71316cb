import { inLanguage } from '../locale/language.ts'

export const verifyEmail = inLanguage({
  en: {
    verified: 'Your email address is verified',
    openApp: 'Go to the app',
    invitedQuestion: 'Were you invited to a team?',
    viewInvitations: 'View invitations',
    linkFailed: 'This link no longer works',
    linkFailedHint: 'It was already used or has expired. You can request a new one.',
    sendLink: 'Send new link',
  },
  de: {
    verified: 'Deine Adresse ist bestätigt',
    openApp: 'Weiter zur App',
    invitedQuestion: 'Hat dich jemand in ein Team eingeladen?',
    viewInvitations: 'Einladungen ansehen',
    linkFailed: 'Dieser Link gilt nicht mehr',
    linkFailedHint:
      'Er wurde schon benutzt oder ist zu alt. Du kannst dir einen neuen schicken lassen.',
    sendLink: 'Neuen Link senden',
  },
})
