import { inLanguage } from '../locale/language.ts'

export const acceptInvitation = inLanguage({
  en: {
    title: 'Invitation',
    notFound:
      'This invitation link isn’t valid. It may be mistyped, or the invitation expired long ago.',
    wasFor: (address: string) => `This invitation was for ${address}.`,
    summary: (inviter: string, address: string, team: string, role: string) =>
      `${inviter} invited ${address} to join ${team} with the role “${role}”.`,
    unnamed: 'Someone',
    validUntil: (date: string) => `The invitation expires on ${date}.`,
    openApp: 'Go to the app',
    signInHint: (address: string) =>
      `Sign in as ${address} to respond. If you don’t have an account yet, sign up with that address.`,
    otherUser: (email: string, address: string) =>
      `You are signed in as ${email}, but the invitation is for ${address}.`,
    signOut: 'Sign out',
    verifyFirst: (email: string) =>
      `Verify ${email} before you respond. The link in the verification email brings you back to this invitation.`,
    signedInAs: (email: string) => `You are signed in as ${email}.`,
    accept: 'Accept',
    decline: 'Decline',
    welcome: 'Welcome! You are now a member of the team.',
    openTeam: 'Open team',
    ended: {
      accepted: 'It was accepted.',
      rejected: 'It was declined.',
      canceled: 'It was canceled.',
      expired: 'It has expired. Ask the sender for a new one.',
    },
  },
  de: {
    title: 'Einladung',
    notFound:
      'Hinter diesem Link steckt keine Einladung. Vielleicht ist er falsch abgeschrieben, oder die Einladung ist längst abgelaufen.',
    wasFor: (address: string) => `Das war eine Einladung für ${address}.`,
    summary: (inviter: string, address: string, team: string, role: string) =>
      `${inviter} lädt ${address} in das Team ${team} ein, mit der Rolle „${role}“.`,
    unnamed: 'Jemand',
    validUntil: (date: string) => `Sie gilt bis ${date}.`,
    openApp: 'Weiter zur App',
    signInHint: (address: string) =>
      `Melde dich als ${address} an, um zu antworten, oder registriere dich zuerst mit dieser Adresse.`,
    otherUser: (email: string, address: string) =>
      `Du bist als ${email} angemeldet, die Einladung ist aber für ${address}.`,
    signOut: 'Abmelden',
    verifyFirst: (email: string) =>
      `Um zu antworten, bestätige zuerst, dass ${email} dir gehört: mit dem Link aus der Mail, die du bekommen hast. Er führt zurück zur Einladung.`,
    signedInAs: (email: string) => `Du bist als ${email} angemeldet.`,
    accept: 'Annehmen',
    decline: 'Ablehnen',
    welcome: 'Willkommen! Du gehörst jetzt zum Team.',
    openTeam: 'Team öffnen',
    ended: {
      accepted: 'Sie wurde angenommen.',
      rejected: 'Sie wurde abgelehnt.',
      canceled: 'Sie wurde zurückgezogen.',
      expired: 'Sie ist abgelaufen. Bitte um eine neue.',
    },
  },
})
