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
  de: {
    invitation: 'Einladung',
    thereIsNoInvitationBehind: 'Hinter diesem Link steckt keine Einladung. Vielleicht ist er falsch abgeschrieben, oder die Einladung ist längst abgelaufen.',
    thisWasAnInvitationFor: (address: string) => `Das war eine Einladung für ${address}.`,
    invitesToJoinWithThe: (value: string, address: string, value2: string, role: string) =>
      `${value} lädt ${address} in das Team ${value2} ein, mit der Rolle „${role}“.`,
    somebody: 'Jemand',
    itIsValidUntil: (date: string) => `Sie gilt bis ${date}.`,
    goOnToTheApp: 'Weiter zur App',
    signInAsToAnswer: (address: string) => `Melde dich als ${address} an, um zu antworten, oder registriere dich zuerst mit dieser Adresse.`,
    youAreSignedInAsOther: (email: string, address: string) => `Du bist als ${email} angemeldet, die Einladung ist aber für ${address}.`,
    signOut: 'Abmelden',
    toAnswerFirstVerifyThat: (email: string) =>
      `Um zu antworten, bestätige zuerst, dass ${email} dir gehört: mit dem Link aus der Mail, die du bekommen hast. Er führt zurück zur Einladung.`,
    youAreSignedInAs: (email: string) => `Du bist als ${email} angemeldet.`,
    accept: 'Annehmen',
    decline: 'Ablehnen',
    welcomeTheTeamIsNow: 'Willkommen! Du gehörst jetzt zum Team.',
    openTheTeam: 'Team öffnen',
    ended: {
      accepted: 'Sie wurde angenommen.',
      rejected: 'Sie wurde abgelehnt.',
      canceled: 'Sie wurde zurückgezogen.',
      expired: 'Sie ist abgelaufen. Bitte um eine neue.',
    },
  },
})
