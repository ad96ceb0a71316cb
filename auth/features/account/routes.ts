/** The routes of accounts: sign-up, sign-in, password, address and deletion. */
import { z } from 'zod'
import { callBetterAuth, passToBetterAuth } from '../../engine/engine.ts'
import { reject } from '../../../http/errors.ts'
import { isTrustedUrl } from '../../../http/origins.ts'
import { perMinute } from '../../../http/policy.ts'
import { callerOf, respondWith, route } from '../../../http/route.ts'
import { signedIn } from '../caller.ts'
import {
  confirmation,
  confirmed,
  done,
  email,
  givenPassword,
  name,
  needsConfirmation,
  passwordLimits,
  rowId,
  serialize,
  success,
  successMessage,
  unconfirmed,
  url,
  withToken,
} from '../../../http/fields.ts'
import { newSession, signInOutput, signInReply, userSchema } from '../session-fields.ts'
import { confirmEmailChange, requestEmailChange, stopEmailChange } from './change-email.ts'
import { confirmAccountDeletion, requestAccountDeletion } from './delete-account.ts'
import { disownAccount } from './sign-up.ts'

// problemOf() turns the message into the error code
const password = z.string().min(8, 'INVALID_PASSWORD').max(128, 'INVALID_PASSWORD').meta({
  format: 'password',
})

const input = {
  signUp: z.object({ email, password, name: name.default('') }),
  signIn: z.object({ email, password: givenPassword }),
  email: z.object({ email }),
  forgetPassword: z.object({
    email,
    redirectTo: z.string().max(2_048).optional().meta({
      description:
        'Target of the emailed link: a page of a trusted origin. On the origin of `APP_URL` it must be below its path.',
    }),
  }),
  resetPassword: withToken.extend({ password }),
  changePassword: z.object({
    currentPassword: givenPassword,
    newPassword: password,
    revokeOtherSessions: z.boolean().default(true),
  }),
  updateUser: z.object({ name: name.optional(), image: url.nullable().optional() })
    .refine((given) => Object.keys(given).length > 0, 'name or image must be given')
    .meta({ minProperties: 1 }),
  requestEmailChange: z.object({ newEmail: email, password: confirmation }),
}

const output = {
  signedUp: z.object({ user: userSchema, session: newSession }),
  updatedUser: z.object({
    user: userSchema.extend({ image: z.string().nullable() }).meta({
      id: 'UserWithImage',
      description: 'A user with the picture.',
    }),
  }),
  deletionRequested: z.object({
    success,
    message: z.string(),
    organizations: z.array(z.object({
      id: rowId,
      name: z.string().meta({ examples: ['The Household'] }),
      successor: z.object({ id: rowId, name: z.string().meta({ examples: ['Bob'] }) }).nullable()
        .meta({
          description:
            'The next owner; null if no other member can own the organization, which then stays without members.',
        }),
    })).meta({ description: 'The organizations that the user owns.' }),
  }),
}

/** The responses of better-auth. */
const reply = { passwordChanged: z.object({ token: z.string().nullable() }) }

/** The limit of emails to one account. */
const fiveMails = { window: 900, max: 5 }

const succeeded = (message: string) => ({ success: true, message })

export const accountRoutes = [
  route('POST', '/sign-up/email', {
    summary: 'Creates an account, starts a session, and emails a verification link.',
    input: input.signUp,
    example: { email: 'ann@example.com', password: 'correct horse', name: 'Ann' },
    rejects: ['USER_EXISTS', 'SIGN_UP_CLOSED', 'INVITATION_REQUIRED', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    betterAuth: 'POST /sign-up/email',
    credentials: [],
    hashesPassword: true,
    startsSession: 'sign-up',
    limits: { address: perMinute(60) },
    output: output.signedUp,
    handle: async (c, body) => {
      const { user, session } = await callBetterAuth(c, signInReply, body)
      return { user: serialize(userSchema, user), session: serialize(newSession, session) }
    },
  }),
  route('POST', '/sign-in/email', {
    summary: 'Starts a session. Emails a new link if the address is not verified.',
    description:
      'If the account has two factors, `/two-factor/verify-totp` or `/two-factor/verify-backup-code` completes the sign-in.',
    input: input.signIn,
    example: { email: 'ann@example.com', password: 'correct horse' },
    rejects: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED'],
    betterAuth: 'POST /sign-in/email',
    credentials: [],
    hashesPassword: true,
    startsSession: 'sign-in',
    guessesPassword: true,
    limits: { address: perMinute(60), accounts: [{ by: 'email', ...perMinute(10) }] },
    output: signInOutput,
    handle: async (c, body) => signedIn(c, await callBetterAuth(c, signInReply, body)),
  }),
  route('GET', '/verify-email', {
    summary: 'Verifies an address with the token of the email.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    rejects: ['INVALID_TOKEN'],
    betterAuth: 'GET /verify-email',
    isAtomic: true,
    credentials: [],
    limits: { address: perMinute(60) },
    page: { succeeded: 'verified', failed: 'link-ended', ofApp: '/verify-email' },
    output: successMessage,
    handle: respondWith(succeeded('Your email address is verified.'), passToBetterAuth),
  }),
  route('POST', '/disown-account', {
    summary:
      'Deletes an unverified account that another person created with your address, with the token of the email.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    rejects: ['INVALID_TOKEN', 'ALREADY_VERIFIED'],
    credentials: [],
    limits: { address: perMinute(20) },
    // deleteWithRows() makes the transaction
    isAtomic: false,
    output: successMessage,
    handle: respondWith(
      succeeded('The account and its sessions are deleted.'),
      disownAccount,
    ),
  }),
  route('POST', '/send-verification-email', {
    summary: 'Emails a new verification link.',
    description: 'The answer is the same whether the address has an account or not.',
    input: input.email,
    example: { email: 'ann@example.com' },
    credentials: [],
    limits: { address: perMinute(20), accounts: [{ by: 'email', ...fiveMails }] },
    output: successMessage,
    handle: async (c, body) => {
      await c.var.services.mailer.requestVerification(body.email)
      return succeeded(
        'If this address belongs to an unverified account, we sent an email to it.',
      )
    },
  }),
  route('POST', '/forget-password', {
    summary: 'Emails a link to choose a new password.',
    description: 'The answer is the same whether the address has an account or not.',
    input: input.forgetPassword,
    example: { email: 'ann@example.com' },
    credentials: [],
    limits: { address: perMinute(20), accounts: [{ by: 'email', ...fiveMails }] },
    output: successMessage,
    // A job looks the address up, so the response takes the same time whether there is an account
    // or not.
    handle: async (c, { email: to, redirectTo }) => {
      const { config, mailer } = c.var.services
      if (redirectTo !== undefined && !isTrustedUrl(config, redirectTo)) reject('FORBIDDEN')
      await mailer.requestPasswordReset(to, redirectTo)
      return succeeded('If this address belongs to an account, we sent an email to it.')
    },
  }),
  route('POST', '/reset-password', {
    summary:
      'Sets a new password with the token of the email, and ends every session and API key of the account.',
    input: input.resetPassword,
    example: { token: 'the-token-of-the-mail', password: 'battery staple' },
    rejects: ['INVALID_TOKEN'],
    betterAuth: 'POST /reset-password',
    credentials: [],
    hashesPassword: true,
    limits: { address: perMinute(20) },
    output: successMessage,
    handle: async (c, { token, password: newPassword }) => {
      await passToBetterAuth(c, { token, newPassword })
      return succeeded('Your password was changed and all sessions were ended. Sign in again.')
    },
  }),
  route('POST', '/change-password', {
    summary:
      'Changes the password of the signed-in user. Ends the other sessions unless `revokeOtherSessions` is false.',
    input: input.changePassword,
    example: { currentPassword: 'correct horse', newPassword: 'battery staple' },
    betterAuth: 'POST /change-password',
    hashesPassword: true,
    guessesPassword: true,
    limits: passwordLimits,
    output: done,
    handle: async (c, body) => {
      const { token } = await callBetterAuth(c, reply.passwordChanged, body)
      // better-auth deletes the sessions before the password changes, so a concurrent sign-in with
      // the old one could remain.
      const { db } = c.var.services
      const { user } = callerOf(c)
      if (token !== null)
        await db.deleteFrom('auth.sessions').where('userId', '=', user.id).where(
          'token',
          '<>',
          token,
        ).execute()
      // an older mail must not change the password again
      await db.deleteFrom('auth.verifications').where('value', '=', user.id).execute()
      return { success: true }
    },
  }),
  route('POST', '/update-user', {
    summary: 'Changes the name or the picture of the signed-in user.',
    input: input.updateUser,
    example: { name: 'Ann Example' },
    betterAuth: 'POST /update-user',
    output: output.updatedUser,
    handle: async (c, body) => {
      await passToBetterAuth(c, body)
      const row = await c.var.services.db.selectFrom('auth.users').selectAll().where(
        'id',
        '=',
        callerOf(c).user.id,
      ).executeTakeFirst() ??
        reject('UNAUTHORIZED')
      return { user: { ...serialize(userSchema, row), image: row.image } }
    },
  }),
  route('POST', '/request-email-change', {
    summary:
      'Requests a new address for the signed-in user. Emails a confirmation link to the new address, and a link that stops the change to the old one.',
    description:
      'Nothing changes before the user confirms the link, which is valid for a day. A newer request invalidates it. The response does not show whether the new address has an account or an invitation.',
    input: input.requestEmailChange,
    example: { newEmail: 'ann@example.net', password: 'correct horse' },
    rejects: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    ...needsConfirmation,
    limits: { address: perMinute(20), accounts: [{ by: 'caller', ...fiveMails }] },
    output: successMessage,
    handle: respondWith(
      succeeded('We sent an email with a link to the new address.'),
      requestEmailChange,
    ),
  }),
  route('POST', '/confirm-email-change', {
    summary: 'Confirms a new address, with the token of the email.',
    description:
      'The address is then verified, and sessions remain. A change of the password, a newer request or a later change of the address invalidates the token. '
      + 'With `SIGN_UP=invitation` the new address needs a pending invitation. Without one the response is 403, and the token stays valid.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    rejects: ['INVALID_TOKEN', 'USER_EXISTS', 'INVITATION_REQUIRED', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    credentials: [],
    limits: { address: perMinute(20) },
    output: successMessage,
    handle: respondWith(succeeded('Your email address was changed.'), confirmEmailChange),
  }),
  route('POST', '/stop-email-change', {
    summary:
      'Stops or reverts a change of the address, with the token of the email to the old address.',
    description:
      'Deletes every way to sign in that an attacker may have added: sessions, API keys, passkeys, remembered devices, linked providers and the password. ' +
      'Also deletes a second factor and backup codes from the week before the request or later, and cancels pending invitations that the account sent in that time. ' +
      'Emails a link to choose a new password.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    rejects: ['INVALID_TOKEN', 'USER_EXISTS'],
    credentials: [],
    limits: { address: perMinute(20) },
    // deleteWithRows() makes the transaction
    isAtomic: false,
    output: successMessage,
    handle: respondWith(
      succeeded(
        'We kept your address and signed out all sessions. We sent you an email to choose a new password.',
      ),
      stopEmailChange,
    ),
  }),
  route('POST', '/delete-account', {
    summary:
      'Emails the signed-in user a link that deletes the account. Returns the organizations that the user owns, with their next owners.',
    description:
      'Nothing is deleted before the user confirms the link, which is valid for an hour. An organization gets its `successor` as the owner, or remains without members.',
    input: confirmed,
    example: { password: 'correct horse' },
    rejects: [...unconfirmed, 'EMAIL_CHANGED_RECENTLY'],
    ...needsConfirmation,
    limits: { address: perMinute(20), accounts: [{ by: 'caller', ...fiveMails }] },
    output: output.deletionRequested,
    handle: async (c, body) => ({
      ...succeeded('We sent you an email with a link that deletes your account.'),
      organizations: await requestAccountDeletion(c, body),
    }),
  }),
  route('POST', '/confirm-delete-account', {
    summary: 'Deletes the account of the signed-in user, with the token of the email.',
    description:
      'Deletes all personal rows, and ends every session and token. Rows of organizations remain. The token works only in a session of the account it was sent to.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    rejects: ['INVALID_TOKEN'],
    limits: { address: perMinute(20) },
    sessionEffect: 'ends',
    // deleteWithRows() makes the transaction
    isAtomic: false,
    output: successMessage,
    handle: respondWith(succeeded('Your account was deleted.'), confirmAccountDeletion),
  }),
]
