import { inLanguage } from '../locale/language.ts'

export const verifyEmail = inLanguage({
  en: {
    yourAddressIsVerified: 'Your address is verified',
    goOnToTheApp: 'Go on to the app',
    somebodyInvitedYouToA: 'Were you invited to a team?',
    seeTheInvitations: 'See the invitations',
    thisLinkNoLongerWorks: 'This link no longer works',
    itWasUsedOrIs: 'It was used, or is too old. A new one can be sent to you.',
    sendANewLink: 'Send a new link',
  },
  de: {
    yourAddressIsVerified: 'Deine Adresse ist bestätigt',
    goOnToTheApp: 'Weiter zur App',
    somebodyInvitedYouToA: 'Hat dich jemand in ein Team eingeladen?',
    seeTheInvitations: 'Einladungen ansehen',
    thisLinkNoLongerWorks: 'Dieser Link gilt nicht mehr',
    itWasUsedOrIs: 'Er wurde schon benutzt oder ist zu alt. Du kannst dir einen neuen schicken lassen.',
    sendANewLink: 'Neuen Link senden',
  },
})
