/** Single sign-on, and the sign-in methods. */
import { perMinute } from '../../policy.ts'
import { route } from '../../route.ts'
import { nothing, signInOutput } from '../fields.ts'
import { finishSignIn, input, listProviders, output, signInMethods, startSignIn } from './single-sign-on.ts'

export const singleSignOnRoutes = [
  route('GET', '/sign-in/methods', {
    summary: 'Says how one signs in here, and who may make an account.',
    input: nothing,
    credential: 'none',
    output: output.methods,
    handle: signInMethods,
  }),
  route('POST', '/sign-in/oidc', {
    summary: 'Begins a sign-in with the provider, and says where the browser is to be sent.',
    description: 'It has ten minutes to come back, in the same browser. Without a provider (`OIDC_ISSUER`) the answer is 404 `NOT_FOUND`.',
    input: input.start,
    example: {},
    refuses: ['NOT_FOUND', 'OIDC_UNAVAILABLE'],
    credential: 'none',
    limits: { address: perMinute(60) },
    output: output.started,
    handle: startSignIn,
  }),
  route('GET', '/list-providers', {
    summary: 'Lists who at a provider signs in to the account of who is signed in.',
    input: nothing,
    output: output.providers,
    handle: listProviders,
  }),
  route('GET', '/callback/oidc', {
    summary: 'Begins a session with what the provider sends the browser back with.',
    description:
      'The address to register with the provider. A browser is sent on to `redirectTo`, or to the app; where it failed, to the `/sign-in` of the app with the code as `error`.',
    input: input.callback,
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
    credential: 'none',
    limits: { address: perMinute(60) },
    // the provider decides about second factors
    secondFactor: 'verified',
    sessionEffect: 'begins',
    page: { succeeded: 'signed-in', failed: 'not-signed-in', ofApp: '/sign-in' },
    output: signInOutput,
    handle: finishSignIn,
  }),
]
