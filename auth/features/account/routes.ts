/** The routes of accounts: sign-up, sign-in, password, address and deletion. */
import { z } from 'zod'
import { callBetterAuth, passToBetterAuth } from '../../engine/engine.ts'
import { refuse } from '../../errors.ts'
import { isTrustedUrl } from '../../origins.ts'
import { perMinute } from '../../policy.ts'
import { callerOf, respondWith, route } from '../../route.ts'
import { signedIn } from '../caller.ts'
import {
  confirmation,
  confirmed,
  done,
  email,
  givenPassword,
  name,
  needsConfirmation,
  newSession,
  passwordLimits,
  rowId,
  serialize,
  signInOutput,
  signInReply,
  success,
  successMessage,
  unconfirmed,
  url,
  userSchema,
  withToken,
} from '../fields.ts'
import { confirmEmailChange, requestEmailChange, stopEmailChange } from './change-email.ts'
import { confirmAccountDeletion, requestAccountDeletion } from './delete-account.ts'
import { disownAccount } from './sign-up.ts'

// problemOf() turns the message into the error code
const password = z.string().min(8, 'INVALID_PASSWORD').max(128, 'INVALID_PASSWORD').meta({ format: 'password' })

const input = {
  signUp: z.object({ email, password, name: name.default('') }),
  signIn: z.object({ email, password: givenPassword }),
  email: z.object({ email }),
  forgetPassword: z.object({
    email,
    redirectTo: z.string().max(2_048).optional().meta({
      description: 'Where the mailed link leads: a page of a trusted origin; at that of `APP_URL`, below its path.',
    }),
  }),
  resetPassword: withToken.extend({ password }),
  changePassword: z.object({ currentPassword: givenPassword, newPassword: password, revokeOtherSessions: z.boolean().default(true) }),
  updateUser: z.object({ name: name.optional(), image: url.nullable().optional() })
    .refine((given) => Object.keys(given).length > 0, 'name or image must be given')
    .meta({ minProperties: 1 }),
  requestEmailChange: z.object({ newEmail: email, password: confirmation }),
}

const output = {
  signedUp: z.object({ user: userSchema, session: newSession }),
  updatedUser: z.object({
    user: userSchema.extend({ image: z.string().nullable() }).meta({ id: 'UserWithImage', description: 'An account with its picture.' }),
  }),
  deletionRequested: z.object({
    success,
    message: z.string(),
    organizations: z.array(z.object({
      id: rowId,
      name: z.string().meta({ examples: ['The Household'] }),
      successor: z.object({ id: rowId, name: z.string().meta({ examples: ['Bob'] }) }).nullable().meta({
        description: 'Who owns it then; null where nobody is left in it.',
      }),
    })).meta({ description: 'Those that the person owns.' }),
  }),
}

/** The limit of mails to one account. */
const fiveMails = { window: 900, max: 5 }

const succeeded = (message: string) => ({ success: true, message })

export const accountRoutes = [
  route('POST', '/sign-up/email', {
    summary: 'Creates an account, begins a session, and mails a link that verifies the address.',
    input: input.signUp,
    example: { email: 'ann@example.com', password: 'correct horse', name: 'Ann' },
    refuses: ['USER_EXISTS', 'SIGN_UP_CLOSED', 'INVITATION_REQUIRED', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    betterAuth: 'POST /sign-up/email',
    credential: 'none',
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
    summary: 'Begins a session. An address that is not verified is mailed a new link.',
    description: 'Of an account with two factors it is finished with `/two-factor/verify-totp` or `/two-factor/verify-backup-code`.',
    input: input.signIn,
    example: { email: 'ann@example.com', password: 'correct horse' },
    refuses: ['INVALID_CREDENTIALS', 'SECOND_FACTOR_REQUIRED'],
    betterAuth: 'POST /sign-in/email',
    credential: 'none',
    hashesPassword: true,
    startsSession: 'sign-in',
    guessesPassword: true,
    limits: { address: perMinute(60), account: { by: 'email', ...perMinute(10) } },
    output: signInOutput,
    handle: async (c, body) => signedIn(c, await callBetterAuth(c, signInReply, body)),
  }),
  route('GET', '/verify-email', {
    summary: 'Verifies an address with the token of the mail.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    refuses: ['INVALID_TOKEN'],
    betterAuth: 'GET /verify-email',
    credential: 'none',
    limits: { address: perMinute(60) },
    page: { succeeded: 'verified', failed: 'link-ended', ofApp: '/verify-email' },
    output: successMessage,
    handle: respondWith(succeeded('Your e-mail address is verified.'), passToBetterAuth),
  }),
  route('POST', '/disown-account', {
    summary: "Deletes an account that somebody else made with one's address, with the token of the mail.",
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    refuses: ['INVALID_TOKEN', 'ALREADY_VERIFIED'],
    credential: 'none',
    limits: { address: perMinute(20) },
    output: successMessage,
    handle: respondWith(succeeded('The account is deleted, and whoever was signed in to it no longer is.'), disownAccount),
  }),
  route('POST', '/send-verification-email', {
    summary: 'Mails a new link that verifies the address.',
    description: 'The answer is the same whether the address has an account or not.',
    input: input.email,
    example: { email: 'ann@example.com' },
    credential: 'none',
    limits: { address: perMinute(20), account: { by: 'email', ...fiveMails } },
    output: successMessage,
    handle: async (c, body) => {
      await c.var.services.mailer.requestVerification(body.email)
      return succeeded('If this address belongs to an account that is not verified, a mail is on its way.')
    },
  }),
  route('POST', '/forget-password', {
    summary: 'Mails a link to choose a new password.',
    description: 'The answer is the same whether the address has an account or not.',
    input: input.forgetPassword,
    example: { email: 'ann@example.com' },
    credential: 'none',
    limits: { address: perMinute(20), account: { by: 'email', ...fiveMails } },
    output: successMessage,
    // A job looks the address up, so the response takes the same time whether there is an account or not.
    handle: async (c, { email: to, redirectTo }) => {
      const { config, mailer } = c.var.services
      if (redirectTo !== undefined && !isTrustedUrl(config, redirectTo)) refuse('FORBIDDEN')
      await mailer.requestPasswordReset(to, redirectTo)
      return succeeded('If this address belongs to an account, a mail is on its way.')
    },
  }),
  route('POST', '/reset-password', {
    summary: 'Sets a new password with the token of the mail, and ends every session and API key of the account.',
    input: input.resetPassword,
    example: { token: 'the-token-of-the-mail', password: 'battery staple' },
    refuses: ['INVALID_TOKEN'],
    betterAuth: 'POST /reset-password',
    credential: 'none',
    hashesPassword: true,
    limits: { address: perMinute(20) },
    output: successMessage,
    handle: async (c, { token, password: newPassword }) => {
      await passToBetterAuth(c, { token, newPassword })
      return succeeded('Your password is changed and every session has ended. Sign in again.')
    },
  }),
  route('POST', '/change-password', {
    summary: 'Changes the password of who is signed in, and ends the other sessions unless told not to.',
    input: input.changePassword,
    example: { currentPassword: 'correct horse', newPassword: 'battery staple' },
    betterAuth: 'POST /change-password',
    hashesPassword: true,
    guessesPassword: true,
    limits: passwordLimits,
    output: done,
    handle: respondWith({ success: true }, passToBetterAuth),
  }),
  route('POST', '/update-user', {
    summary: 'Changes the name or the picture of who is signed in.',
    input: input.updateUser,
    example: { name: 'Ann Example' },
    betterAuth: 'POST /update-user',
    output: output.updatedUser,
    handle: async (c, body) => {
      await passToBetterAuth(c, body)
      const row = await c.var.services.db.selectFrom('auth.users').selectAll().where('id', '=', callerOf(c).user.id).executeTakeFirstOrThrow()
      return { user: { ...serialize(userSchema, row), image: row.image } }
    },
  }),
  route('POST', '/request-email-change', {
    summary: 'Mails the new address of who is signed in a link that confirms it, and tells the old one, which can stop it.',
    description:
      'Nothing changes before the link is confirmed, for which there is a day. The answer is the same whether the new address has an account, an invitation or neither.',
    input: input.requestEmailChange,
    example: { newEmail: 'ann@example.net', password: 'correct horse' },
    refuses: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    ...needsConfirmation,
    limits: { address: perMinute(20), account: { by: 'caller', ...fiveMails } },
    output: successMessage,
    handle: respondWith(succeeded('A mail with a link is on its way to the new address.'), requestEmailChange),
  }),
  route('POST', '/confirm-email-change', {
    summary: 'Gives an account its new address, with the token of the mail.',
    description: 'The address is verified by it. Sessions stay. A change of the password, or another of the address, has ended the token. '
      + 'With `SIGN_UP=invitation` an invitation must wait for the new address; without one the answer is 403 and the token stays good.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    refuses: ['INVALID_TOKEN', 'USER_EXISTS', 'INVITATION_REQUIRED', 'EMAIL_DOMAIN_NOT_ALLOWED'],
    credential: 'none',
    limits: { address: perMinute(20) },
    output: successMessage,
    handle: respondWith(succeeded('Your e-mail address is changed.'), confirmEmailChange),
  }),
  route('POST', '/stop-email-change', {
    summary: 'Keeps the old address of an account or brings it back, with the token of the mail to it.',
    description:
      'Every way in that an intruder may have made ends: sessions, API keys, passkeys, remembered devices, linked identities at a provider and the password. ' +
      'Two factors and backup codes end if they are from less than a week before the change was asked for. Pending invitations that the account sent in that time are canceled. ' +
      'A mail to choose a new password is sent.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    refuses: ['INVALID_TOKEN', 'USER_EXISTS'],
    credential: 'none',
    limits: { address: perMinute(20) },
    output: successMessage,
    handle: respondWith(succeeded('The address stays as it was, and everybody is signed out. A mail to choose a new password is on its way.'), stopEmailChange),
  }),
  route('POST', '/delete-account', {
    summary: 'Mails who is signed in a link that deletes the account, and tells what becomes of their organizations.',
    description:
      'Nothing is deleted before the link is confirmed, which is good for an hour. An organization goes to its `successor`, or stays without members.',
    input: confirmed,
    example: { password: 'correct horse' },
    refuses: [...unconfirmed, 'EMAIL_CHANGED_RECENTLY'],
    ...needsConfirmation,
    limits: { address: perMinute(20), account: { by: 'caller', ...fiveMails } },
    output: output.deletionRequested,
    handle: async (c, body) => ({
      ...succeeded('A mail with a link that deletes your account is on its way.'),
      organizations: await requestAccountDeletion(c, body),
    }),
  }),
  route('POST', '/confirm-delete-account', {
    summary: 'Deletes the account of who is signed in, with the token of the mail.',
    description:
      'Everything personal goes with it, and every session and token ends. What belongs to organizations stays. The token works only in a session of its own account.',
    input: withToken,
    example: { token: 'the-token-of-the-mail' },
    refuses: ['INVALID_TOKEN'],
    limits: { address: perMinute(20) },
    sessionEffect: 'ends',
    output: successMessage,
    handle: respondWith(succeeded('Your account is deleted.'), confirmAccountDeletion),
  }),
]
