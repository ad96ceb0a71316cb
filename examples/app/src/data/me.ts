/** Who is signed in, and their teams. */
import { queryOptions } from '@tanstack/react-query'
import { finance } from './client.ts'

/** @param userId whose answer it is, so that nobody sees another's */
export const meQuery = (userId: string) => queryOptions({ queryKey: ['me', userId, 'session'], queryFn: () => finance.auth.getSession(), staleTime: 60_000 })

export const teamsQuery = (userId: string) =>
  queryOptions({ queryKey: ['me', userId, 'teams'], queryFn: () => finance.auth.organization.list(), staleTime: 60_000 })

export const signIn = (input: { email: string, password: string }) => finance.auth.signIn(input)
/** Finishes a sign-in that was refused because the account has two factors. @param isBackup whether the code is one of those that are kept on paper */
export const finishSignIn = ({ code, trustDevice, isBackup }: { code: string, trustDevice: boolean, isBackup: boolean }) =>
  isBackup ? finance.auth.twoFactor.verifyBackupCode({ code, trustDevice }) : finance.auth.twoFactor.verifyTotp({ code: digitsOf(code), trustDevice })
/** Some apps show a code in two halves. */
const digitsOf = (code: string) => code.replace(/\s/g, '')
export const signUp = (input: { email: string, password: string, name: string }) => finance.auth.signUp(input)

/** How one signs in here, which no visit changes. */
export const signInMethodsQuery = queryOptions({ queryKey: ['sign-in-methods'], queryFn: () => finance.auth.signInMethods(), staleTime: Infinity })

/** Leaves the app for the provider, which sends the browser back. @param to where to, in this app */
export const goToProvider = async (to: string) => {
  const { url } = await finance.auth.signInOidc({ redirectTo: new URL(to, window.location.origin).href })
  window.location.assign(url)
}

export const signOut = () => finance.auth.signOut()

/** Chooses the context; everybody learns of it by the session. */
export const chooseContext = (organizationId: string | null) => finance.auth.organization.setActive({ organizationId })

/** A new session begins in the personal context. */
export const returnTo = async (organizationId: string | null): Promise<void> => {
  if (organizationId !== null) await chooseContext(organizationId)
}

export const rename = (name: string) => finance.auth.updateUser({ name })

/** Mails a link. The answer says the same for an address that is nobody's. */
export const sendVerification = (email: string) => finance.auth.sendVerificationEmail({ email })
export const forgetPassword = (email: string) => finance.auth.forgetPassword({ email })

/** Ends every session of the account. */
export const resetPassword = (input: { token: string, password: string }) => finance.auth.resetPassword(input)
/** Ends the other sessions. */
export const changePassword = (input: { currentPassword: string, newPassword: string }) => finance.auth.changePassword(input)

/** Mails the new address a link that confirms it. */
export const requestEmailChange = (input: { newEmail: string, password?: string }) => finance.auth.requestEmailChange(input)

/** Mails a link that deletes the account, and answers what becomes of its teams. */
export const deleteAccount = (input: { password?: string }) => finance.auth.deleteAccount(input)

export const sessionsQuery = (userId: string) => queryOptions({ queryKey: ['me', userId, 'sessions'], queryFn: () => finance.auth.listSessions() })
export const endSession = (sessionId: string) => finance.auth.revokeSession({ sessionId })
export const endOtherSessions = () => finance.auth.revokeOtherSessions()

export const twoFactorQuery = (userId: string) => queryOptions({ queryKey: ['me', userId, 'two-factor'], queryFn: () => finance.auth.twoFactor.status() })
/** Nothing is asked at sign-in before the first code has confirmed it. */
export const beginTwoFactor = (input: { password?: string }) => finance.auth.twoFactor.enable(input)
/** Ends the other sessions. */
export const confirmTwoFactor = (code: string) => finance.auth.twoFactor.verifyTotp({ code: digitsOf(code) })
export const newBackupCodes = (input: { password?: string }) => finance.auth.twoFactor.generateBackupCodes(input)
export const disableTwoFactor = (input: { password?: string }) => finance.auth.twoFactor.disable(input)
