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
})
