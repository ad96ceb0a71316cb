/** Accounts: from sign-up to a new password. Source: interface "Auth surface", design "Where the interface is silent". */
import { native, newSession, schemas, session, subscription, user } from '../shapes.ts'
import { route } from '../translate.ts'

const done = (message: string) => () => ({ success: true, message })

export const accountRoutes = [
  route({
    method: 'POST', path: '/sign-up/email', input: schemas.signUp, reply: native.signedIn,
    native: { method: 'POST', path: '/sign-up/email' },
    present: (reply) => ({ user: user(reply.user), session: newSession(reply.session) }),
  }),
  route({
    method: 'POST', path: '/sign-in/email', input: schemas.signIn, reply: native.signedIn,
    native: { method: 'POST', path: '/sign-in/email' },
    present: async (reply, { plans }) => ({
      user: user(reply.user), session: session(reply.session), subscription: subscription(await plans.status(reply.user.id)),
    }),
  }),
  route({
    method: 'GET', path: '/verify-email', input: schemas.verifyEmail, reply: native.done,
    native: { method: 'GET', path: '/verify-email' },
    present: done('Your e-mail address is verified.'),
  }),
  route({
    method: 'POST', path: '/disown-account', input: schemas.disownAccount, reply: native.done,
    native: { method: 'POST', path: '/disown-account' },
    present: done('The account is deleted, and whoever was signed in to it no longer is.'),
  }),
  route({
    method: 'POST', path: '/send-verification-email', input: schemas.email, reply: native.done,
    native: { method: 'POST', path: '/request-verification-email' },
    present: done('If this address belongs to an account that is not verified, a mail is on its way.'),
  }),
  route({
    method: 'POST', path: '/forget-password', input: schemas.forgetPassword, reply: native.done,
    native: { method: 'POST', path: '/forget-password' },
    present: done('If this address belongs to an account, a mail is on its way.'),
  }),
  route({
    method: 'POST', path: '/reset-password', input: schemas.resetPassword, reply: native.done,
    native: { method: 'POST', path: '/reset-password' },
    toNative: ({ token, password }) => ({ token, newPassword: password }),
    present: done('Your password is changed and every session has ended. Sign in again.'),
  }),
  route({
    method: 'POST', path: '/change-password', input: schemas.changePassword, reply: native.done,
    native: { method: 'POST', path: '/change-password' },
    present: () => ({ success: true }),
  }),
  route({
    method: 'POST', path: '/update-user', input: schemas.updateUser, reply: native.done,
    native: { method: 'POST', path: '/update-user' },
    present: async (_, { db, caller }) => {
      const row = await db.selectFrom('auth.users').selectAll().where('id', '=', caller?.userId ?? '').executeTakeFirstOrThrow()
      return { user: { ...user(row), image: row.image } }
    },
  }),
]
