/** The signed-in user: account, credentials, API keys, webhooks, calendars, export. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import {
  type ApiKey,
  type Calendar,
  createPasskey,
  FinanceError,
  signInWithPasskey,
  supportsPasskeys,
  type Webhook,
} from 'finance-client'
import type { Restored } from 'finance-client/export'
import { finance } from './client.ts'
import type { GrantableRole } from './teams.ts'

const { auth } = finance

/** Keys contain the user's id, so that no user sees another's data. */
const ofUser = <Data>(userId: string, name: string, read: () => Promise<Data>) =>
  queryOptions({ queryKey: ['me', userId, name], queryFn: read })

export const meQuery = (userId: string) => ({
  ...ofUser(userId, 'session', () => auth.getSession()),
  staleTime: 60_000,
})
export const teamsQuery = (userId: string) => ({
  ...ofUser(userId, 'teams', () => auth.organization.list()),
  staleTime: 60_000,
})
export const sessionsQuery = (userId: string) =>
  ofUser(userId, 'sessions', () => auth.listSessions())
export const twoFactorQuery = (userId: string) =>
  ofUser(userId, 'two-factor', () => auth.twoFactor.status())
export const passkeysQuery = (userId: string) =>
  ofUser(userId, 'passkeys', () => auth.passkey.list())
export const apiKeysQuery = (userId: string) => ofUser(userId, 'api-keys', () => auth.apiKey.list())
export const webhooksQuery = (userId: string) =>
  ofUser(userId, 'webhooks', () => auth.webhook.list())
export const calendarsQuery = (userId: string) =>
  ofUser(userId, 'calendars', () => auth.calendar.list())

/** Pages of events, the newest first. */
export const eventPages = <Event extends { id: string }>(
  queryKey: readonly unknown[],
  read: (page: { limit: number, before?: string }) => Promise<Event[]>,
  limit = 20,
) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam === '' ? { limit } : { limit, before: pageParam }),
    initialPageParam: '',
    getNextPageParam: (events) => events.length === limit ? events.at(-1)?.id : undefined,
  })

export const accountEventsQuery = (userId: string) =>
  eventPages(['me', userId, 'events'], (page) => auth.listEvents(page))

/** The ways to sign in here. */
export const signInMethodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: () => auth.signInMethods(),
  staleTime: Infinity,
})

export const signUp = (input: { email: string, password: string, name: string }) =>
  auth.signUp(input)
/** The key of the mutations that sign in and then return to a context. */
export const signInKey = ['sign-in']
export const signIn = (input: { email: string, password: string }) => auth.signIn(input)

/** Signs out. A session that has already ended needs no sign-out. */
export const signOut = async (): Promise<void> => {
  try {
    await auth.signOut()
  } catch (error) {
    if (!(error instanceof FinanceError && error.code === 'UNAUTHORIZED')) throw error
  }
}

const digitsOf = (code: string) => code.replace(/\s/g, '')

/** Completes a sign-in of an account with two factors. */
export const finishSignIn = (
  { code, trustDevice, isBackup }: { code: string, trustDevice: boolean, isBackup: boolean },
) =>
  isBackup
    ? auth.twoFactor.verifyBackupCode({ code, trustDevice })
    : auth.twoFactor.verifyTotp({ code: digitsOf(code), trustDevice })

/** Leaves the app for the identity provider. @param to the path of the app that follows */
export const goToProvider = async (to: string) => {
  const { url } = await auth.signInOidc({ redirectTo: new URL(to, window.location.origin).href })
  window.location.assign(url)
}

/** Switches the context. The session reports it to every tab. */
export const chooseContext = (organizationId: string | null) =>
  auth.organization.setActive({ organizationId })

/** Restores the context after a new sign-in, which begins in the personal one. */
export const returnTo = async (organizationId: string | null): Promise<void> => {
  if (organizationId !== null) await chooseContext(organizationId)
}

export const rename = (name: string) => auth.updateUser({ name })
export const endSession = (sessionId: string) => auth.revokeSession({ sessionId })
export const endOtherSessions = () => auth.revokeOtherSessions()

/** Mails a link. The response does not tell whether the address has an account. */
export const sendVerification = (email: string) => auth.sendVerificationEmail({ email })
export const forgetPassword = (email: string) => auth.forgetPassword({ email })

/** Ends every session of the account. */
export const resetPassword = (input: { token: string, password: string }) =>
  auth.resetPassword(input)
/** Ends the other sessions. */
export const changePassword = (input: { currentPassword: string, newPassword: string }) =>
  auth.changePassword(input)

/** The password is optional after a recent sign-in. */
type Confirmed = { password?: string }

/** Mails the new address a link that confirms it. */
export const requestEmailChange = (input: Confirmed & { newEmail: string }) =>
  auth.requestEmailChange(input)

/** Mails a link that deletes the account. The response has the successors of its teams. */
export const deleteAccount = (input: Confirmed) => auth.deleteAccount(input)

/** Takes effect with the first code. */
export const beginTwoFactor = (input: Confirmed) => auth.twoFactor.enable(input)
/** Ends the other sessions. */
export const confirmTwoFactor = (code: string) =>
  auth.twoFactor.verifyTotp({ code: digitsOf(code) })
export const newBackupCodes = (input: Confirmed) => auth.twoFactor.generateBackupCodes(input)
export const disableTwoFactor = (input: Confirmed) => auth.twoFactor.disable(input)

/** Whether this browser supports passkeys at this address. */
export const hasPasskeys = supportsPasskeys()
export const enterWithPasskey = () => signInWithPasskey(finance)
export const addPasskey = (input: Confirmed & { name: string }) => createPasskey(finance, input)
export const renamePasskey = (input: { passkeyId: string, name: string }) =>
  auth.passkey.update(input)
export const deletePasskey = (input: Confirmed & { passkeyId: string }) =>
  auth.passkey.delete(input)
export const requirePasskey = (input: Confirmed & { required: boolean }) =>
  auth.passkey.require(input)
/** A reset by mail sets a password again. */
export const removePassword = (input: Confirmed) => auth.removePassword(input)

/** Only this response contains the key. */
export const createApiKey = (
  input: Confirmed & {
    name: string
    expiresInDays: number
    organizationId: string | null
    role: GrantableRole
  },
) => auth.apiKey.create(input)
export const revokeApiKey = ({ id }: ApiKey) => auth.apiKey.revoke({ keyId: id })

/** Only this response contains the secret. */
export const createWebhook = (
  input: Confirmed & {
    name: string
    url: string
    organizationId: string | null
    tables: string[] | null
  },
) => auth.webhook.create(input)
export const testWebhook = ({ id }: Webhook) => auth.webhook.test({ webhookId: id })
export const enableWebhook = ({ id }: Webhook) => auth.webhook.enable({ webhookId: id })
/** Only this response contains the new secret. */
export const rotateWebhookSecret = (input: Confirmed & { webhookId: string }) =>
  auth.webhook.rotateSecret(input)
export const deleteWebhook = ({ id }: Webhook) => auth.webhook.delete({ webhookId: id })

/** Only this response contains the address. */
export const createCalendar = (
  input: Confirmed & { name: string, organizationId: string | null, amounts: boolean },
) => auth.calendar.create(input)
export const revokeCalendar = ({ id }: Calendar) => auth.calendar.revoke({ calendarId: id })

/** Exports all data of the user. The exporter is loaded on demand. */
export const exportAll = async (): Promise<ReadableStream<Uint8Array>> =>
  (await import('finance-client/export')).exportMine(finance)

export const restoreAll = async (
  file: Blob,
  onProgress: (done: number, rows: number) => void,
): Promise<Restored> =>
  (await import('finance-client/export')).restoreMine(finance, file, { onProgress })
