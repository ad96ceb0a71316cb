import { inLanguage } from '../locale/language.ts'

export const acceptInvitation = inLanguage({
  en: {
    invitation: 'Invitation',
    thereIsNoInvitationBehind: 'This link leads to no invitation. It may be mistyped, or the invitation expired long ago.',
    thisWasAnInvitationFor: (address: string) => `This was an invitation for ${address}.`,
    invitesToJoinWithThe: (value: string, address: string, value2: string, role: string) =>
      `${value} invites ${address} to join ${value2}, with the role “${role}”.`,
    somebody: 'Somebody',
    itIsValidUntil: (date: string) => `It is valid until ${date}.`,
    goOnToTheApp: 'Go on to the app',
    signInAsToAnswer: (address: string) => `Sign in as ${address} to answer, or sign up with that address first.`,
    youAreSignedInAsOther: (email: string, address: string) => `You are signed in as ${email}, and the invitation is for ${address}.`,
    signOut: 'Sign out',
    toAnswerFirstVerifyThat: (email: string) =>
      `To answer, first verify that ${email} is yours, with the link of the mail that was sent to you. It leads back to the invitation.`,
    youAreSignedInAs: (email: string) => `You are signed in as ${email}.`,
    accept: 'Accept',
    decline: 'Decline',
    welcomeTheTeamIsNow: 'Welcome. You are now a member of the team.',
    openTheTeam: 'Open the team',
    ended: {
      accepted: 'It was accepted.',
      rejected: 'It was declined.',
      canceled: 'It was canceled.',
      expired: 'It has expired. Ask the sender for a new one.',
    },
  },
})
