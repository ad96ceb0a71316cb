/** Accounts: from sign-up to a new password. Source: interface "Auth surface", design "Where the interface is silent". */
import { perMinute } from '../policy.ts'
import { engineReplies } from './engine-replies.ts'
import { newSession, session, subscription, user } from './presenters.ts'
import { route } from './route.ts'
import { schemas } from './schemas.ts'

/** Mails to one person: five in a quarter of an hour. */
const fiveMails = { window: 900, max: 5 }

const done = (message: string) => () => ({ success: true, message })

export const accountRoutes = [
  route({
    method: 'POST',
    path: '/sign-up/email',
    input: schemas.signUp,
    reply: engineReplies.signedIn,
    engine: { method: 'POST', path: '/sign-up/email' },
    session: 'none',
    hashesPassword: true,
    signsIn: 'first',
    limits: { address: perMinute(60) },
    present: (reply) => ({ user: user(reply.user), session: newSession(reply.session) }),
  }),
  route({
    method: 'POST',
    path: '/sign-in/email',
    input: schemas.signIn,
    reply: engineReplies.signedIn,
    engine: { method: 'POST', path: '/sign-in/email' },
    session: 'none',
    hashesPassword: true,
    signsIn: 'again',
    limits: { address: perMinute(60), account: { by: 'email', ...perMinute(10) } },
    load: (reply, { plans }) => plans.status(reply.user.id),
    present: (reply, { loaded: plan }) => ({ user: user(reply.user), session: session(reply.session), subscription: subscription(plan) }),
  }),
  route({
    method: 'GET',
    path: '/verify-email',
    input: schemas.verifyEmail,
    reply: engineReplies.done,
    engine: { method: 'GET', path: '/verify-email' },
    session: 'none',
    limits: { address: perMinute(60) },
    page: { succeeded: 'verified', failed: 'link-ended' },
    present: done('Your e-mail address is verified.'),
  }),
  route({
    method: 'POST',
    path: '/disown-account',
    input: schemas.disownAccount,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/disown-account' },
    session: 'none',
    limits: { address: perMinute(20) },
    present: done('The account is deleted, and whoever was signed in to it no longer is.'),
  }),
  route({
    method: 'POST',
    path: '/send-verification-email',
    input: schemas.email,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/request-verification-email' },
    session: 'none',
    limits: { address: perMinute(20), account: { by: 'email', ...fiveMails } },
    present: done('If this address belongs to an account that is not verified, a mail is on its way.'),
  }),
  route({
    method: 'POST',
    path: '/forget-password',
    input: schemas.forgetPassword,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/forget-password' },
    session: 'none',
    limits: { address: perMinute(20), account: { by: 'email', ...fiveMails } },
    present: done('If this address belongs to an account, a mail is on its way.'),
  }),
  route({
    method: 'POST',
    path: '/reset-password',
    input: schemas.resetPassword,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/reset-password' },
    session: 'none',
    hashesPassword: true,
    limits: { address: perMinute(20) },
    toEngine: ({ token, password }) => ({ token, newPassword: password }),
    present: done('Your password is changed and every session has ended. Sign in again.'),
  }),
  route({
    method: 'POST',
    path: '/change-password',
    input: schemas.changePassword,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/change-password' },
    hashesPassword: true,
    limits: { address: perMinute(20), account: { by: 'caller', ...perMinute(10) } },
    present: () => ({ success: true }),
  }),
  route({
    method: 'POST',
    path: '/update-user',
    input: schemas.updateUser,
    reply: engineReplies.done,
    engine: { method: 'POST', path: '/update-user' },
    load: (_, { db, caller }) => db.selectFrom('auth.users').selectAll().where('id', '=', caller?.userId ?? '').executeTakeFirstOrThrow(),
    present: (_, { loaded: row }) => ({ user: { ...user(row), image: row.image } }),
  }),
]
