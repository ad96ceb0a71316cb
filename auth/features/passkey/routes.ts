/**
 * Passkeys. Source:
 * docs/decisions/second-factors-and-passkeys.md#passkeys-are-our-own-endpoints-and-count-as-two-factors.
 */
import { perMinute } from '../../../http/policy.ts'
import { respondWith, route } from '../../../http/route.ts'
import {
  confirmed,
  done,
  exampleId,
  needsConfirmation,
  nothing,
  passwordLimits,
  unconfirmed,
} from '../../../http/fields.ts'
import { signInOutput } from '../session-fields.ts'
import {
  authenticationOptions,
  deletePasskey,
  listPasskeys,
  registrationOptions,
  removePassword,
  renamePasskey,
  requirePasskey,
  verifyAuthentication,
  verifyRegistration,
} from './passkeys.ts'
import { input, output } from './schemas.ts'

const credential = { id: 'AA', rawId: 'AA', type: 'public-key' } as const

export const passkeyRoutes = [
  route('POST', '/passkey/generate-register-options', {
    summary: 'Starts to add a passkey to the account of the signed-in user.',
    description:
      'The options for `navigator.credentials.create`, in the format of `PublicKeyCredential.parseCreationOptionsFromJSON`. '
      + 'They are valid for five minutes, in this browser.',
    input: confirmed,
    example: { password: 'correct horse' },
    rejects: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'PASSKEY_LIMIT_REACHED'],
    ...needsConfirmation,
    output: output.creationOptions,
    handle: registrationOptions,
  }),
  route('POST', '/passkey/verify-registration', {
    summary: 'Adds the passkey that the device has created.',
    description: '`response` is the `toJSON()` of the result of `navigator.credentials.create`.',
    input: input.registration,
    example: {
      response: { ...credential, response: { clientDataJSON: 'e30', attestationObject: 'oA' } },
      name: 'Phone',
    },
    rejects: ['INVALID_PASSKEY', 'PASSKEY_EXISTS', 'PASSKEY_LIMIT_REACHED'],
    limits: passwordLimits,
    // A challenge works once, also if the response is refused.
    isAtomic: false,
    output: output.passkey,
    handle: verifyRegistration,
  }),
  route('POST', '/passkey/generate-authenticate-options', {
    summary: 'Starts a sign-in with a passkey.',
    description:
      'The options for `navigator.credentials.get`, in the format of `PublicKeyCredential.parseRequestOptionsFromJSON`. '
      + 'They show nothing about accounts, and are valid for five minutes, in this browser.',
    input: nothing,
    credentials: [],
    limits: { address: perMinute(60) },
    output: output.requestOptions,
    handle: authenticationOptions,
  }),
  route('POST', '/passkey/verify-authentication', {
    summary:
      'Starts a session with a passkey. The device has verified its user, so no other factor is necessary.',
    description: '`response` is the `toJSON()` of the result of `navigator.credentials.get`.',
    input: input.authentication,
    example: {
      response: {
        ...credential,
        response: {
          clientDataJSON: 'e30',
          authenticatorData: 'AA',
          signature: 'AA',
          userHandle: 'AA',
        },
      },
    },
    rejects: ['INVALID_PASSKEY'],
    credentials: [],
    startsSession: 'sign-in',
    secondFactor: 'verified',
    limits: { address: perMinute(60) },
    // A challenge works once, also if the response is refused.
    isAtomic: false,
    output: signInOutput,
    handle: verifyAuthentication,
  }),
  route('GET', '/passkey/list', {
    summary: 'Lists the passkeys of the signed-in user, and returns whether sign-in requires one.',
    input: nothing,
    output: output.list,
    handle: listPasskeys,
  }),
  route('POST', '/passkey/update', {
    summary: 'Renames a passkey.',
    input: input.rename,
    example: { passkeyId: exampleId, name: 'Phone' },
    rejects: ['NOT_FOUND'],
    output: output.passkey,
    handle: renamePasskey,
  }),
  route('POST', '/passkey/delete', {
    summary: 'Deletes a passkey. After the last one sign-in no longer requires a passkey.',
    input: input.delete,
    example: { passkeyId: exampleId, password: 'correct horse' },
    rejects: [...unconfirmed, 'NOT_FOUND'],
    ...needsConfirmation,
    output: done,
    handle: respondWith({ success: true }, deletePasskey),
  }),
  route('POST', '/passkey/require', {
    summary: 'Sets whether sign-in requires a passkey.',
    description:
      'If it does, `/sign-in/email` refuses the correct password with `SECOND_FACTOR_REQUIRED`. Requiring a passkey ends the other sessions.',
    input: input.require,
    example: { required: true, password: 'correct horse' },
    rejects: [...unconfirmed, 'PASSKEY_MISSING'],
    ...needsConfirmation,
    output: done,
    handle: respondWith({ success: true }, requirePasskey),
  }),
  route('POST', '/remove-password', {
    summary: 'Removes the password of the signed-in user, who then signs in only with a passkey.',
    description: '`/forget-password` sets a new one.',
    input: confirmed,
    example: { password: 'correct horse' },
    rejects: [...unconfirmed, 'PASSKEY_MISSING'],
    ...needsConfirmation,
    output: done,
    handle: respondWith({ success: true }, removePassword),
  }),
]
