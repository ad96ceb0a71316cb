/** Single sign-on, and the sign-in methods. */
import { perMinute } from '../../../http/policy.ts'
import { route } from '../../../http/route.ts'
import { nothing } from '../../../http/fields.ts'
import { signInOutput } from '../session-fields.ts'
import {
  finishSignIn,
  input,
  listProviders,
  output,
  signInMethods,
  startSignIn,
} from './single-sign-on.ts'

export const singleSignOnRoutes = [
  route('GET', '/sign-in/methods', {
    summary: 'Returns the ways to sign in, and the sign-up mode.',
    input: nothing,
    credentials: [],
    output: output.methods,
    handle: signInMethods,
  }),
  route('POST', '/sign-in/oidc', {
    summary:
      'Starts a sign-in with the provider, and returns the URL to which the app sends the browser.',
    description:
      'The user has ten minutes to complete it, in the same browser. Without a provider (`OIDC_ISSUER`) the response is 404 `NOT_FOUND`.',
    input: input.start,
    example: {},
    rejects: ['NOT_FOUND', 'OIDC_UNAVAILABLE'],
    credentials: [],
    limits: { address: perMinute(60) },
    // waits for the provider
    isAtomic: false,
    output: output.started,
    handle: startSignIn,
  }),
  route('GET', '/list-providers', {
    summary: 'Lists the linked identities at providers that sign in to the account.',
    input: nothing,
    output: output.providers,
    handle: listProviders,
  }),
  route('GET', '/callback/oidc', {
    summary: 'Starts a session with the parameters of the redirect of the provider.',
    description:
      'The redirect URI to register at the provider. Redirects a browser to `redirectTo` or to the app; after a failure to the `/sign-in` of the app, with the code as `error`. '
      + 'The first sign-in to an account that has another way in ends all of them, unless the browser is signed in to the account.',
    input: input.callback,
    rejects: [
      'NOT_FOUND',
      'OIDC_FAILED',
      'OIDC_EMAIL_NOT_VERIFIED',
      'ACCOUNT_NOT_VERIFIED',
      'EMAIL_CHANGED_RECENTLY',
      'USER_EXISTS',
      'SIGN_UP_CLOSED',
      'INVITATION_REQUIRED',
      'EMAIL_DOMAIN_NOT_ALLOWED',
    ],
    credentials: [],
    limits: { address: perMinute(60) },
    // the provider decides about second factors
    secondFactor: 'verified',
    sessionEffect: 'starts',
    page: { succeeded: 'signed-in', failed: 'not-signed-in', ofApp: '/sign-in' },
    output: signInOutput,
    handle: finishSignIn,
  }),
]
