/** Who is signed in, and their teams. */
import { queryOptions } from '@tanstack/react-query'
import { finance } from './client.ts'

/** @param userId whose answer it is, so that nobody sees another's */
export const meQuery = (userId: string) => queryOptions({ queryKey: ['me', userId, 'session'], queryFn: () => finance.auth.getSession(), staleTime: 60_000 })

export const teamsQuery = (userId: string) =>
  queryOptions({ queryKey: ['me', userId, 'teams'], queryFn: () => finance.auth.organization.list(), staleTime: 60_000 })

export const signIn = (input: { email: string, password: string }) => finance.auth.signIn(input)
export const signUp = (input: { email: string, password: string, name: string }) => finance.auth.signUp(input)
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
