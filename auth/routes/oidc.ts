/** Signing in with the operator's provider, and what a sign-in page may offer. */
import { perMinute } from '../policy.ts'
import { engineReplies } from './engine-replies.ts'
import { provider, signedIn } from './presenters.ts'
import { planOfSignedIn, route } from './route.ts'
import { schemas } from './schemas.ts'
import { wire } from './wire.ts'

export const oidcRoutes = [
  route({
    method: 'GET',
    path: '/sign-in/methods',
    summary: 'Says how one signs in here, and who may make an account.',
    input: schemas.nothing,
    reply: engineReplies.signInMethods,
    engine: { method: 'GET', path: '/sign-in/methods' },
    session: 'none',
    answer: wire.signInMethods,
    present: ({ password, signUp, oidc }) => ({
      password,
      sign_up: signUp,
      oidc: oidc === null ? null : { name: oidc.name, sign_up: oidc.signUp },
    }),
  }),
  route({
    method: 'POST',
    path: '/sign-in/oidc',
    summary: 'Begins a sign-in with the provider, and says where the browser is to be sent.',
    description: 'It has ten minutes to come back, in the same browser. Without a provider (`OIDC_ISSUER`) the answer is 404 `NOT_FOUND`.',
    input: schemas.signInWithProvider,
    example: {},
    refuses: ['NOT_FOUND', 'OIDC_UNAVAILABLE'],
    reply: engineReplies.providerAsked,
    engine: { method: 'POST', path: '/sign-in/oidc' },
    session: 'none',
    limits: { address: perMinute(60) },
    answer: wire.providerAsked,
    present: ({ url }) => ({ url }),
  }),
  route({
    method: 'GET',
    path: '/list-providers',
    summary: 'Lists who at a provider signs in to the account of who is signed in.',
    input: schemas.nothing,
    reply: engineReplies.providers,
    engine: { method: 'GET', path: '/list-providers' },
    answer: wire.providers,
    present: (reply) => reply.map(provider),
  }),
  route({
    method: 'GET',
    path: '/callback/oidc',
    summary: 'Begins a session with what the provider sends the browser back with.',
    description:
      'The address to register with the provider. A browser is sent on to `redirectTo`, or to the app; where it failed, to the `/sign-in` of the app with the code as `error`.',
    input: schemas.returnFromProvider,
    refuses: [
      'NOT_FOUND',
      'OIDC_FAILED',
      'OIDC_EMAIL_NOT_VERIFIED',
      'ACCOUNT_NOT_VERIFIED',
      'USER_EXISTS',
      'SIGN_UP_CLOSED',
      'INVITATION_REQUIRED',
      'EMAIL_DOMAIN_NOT_ALLOWED',
    ],
    reply: engineReplies.signedIn,
    engine: { method: 'GET', path: '/callback-of-provider' },
    session: 'none',
    limits: { address: perMinute(60) },
    load: planOfSignedIn,
    // the provider has asked what it asks
    secondFactor: 'shown',
    ofSession: 'begins',
    page: { succeeded: 'signed-in', failed: 'not-signed-in', ofApp: '/sign-in' },
    answer: wire.signedIn,
    present: signedIn,
  }),
]
