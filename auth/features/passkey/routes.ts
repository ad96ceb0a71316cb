/** Passkeys. Source: docs/decisions/auth/build-passkeys-on-simplewebauthn.md. */
import { perMinute } from '../../policy.ts'
import { respondWith, route } from '../../route.ts'
import { confirmed, done, exampleId, needsConfirmation, nothing, passwordLimits, signInOutput, unconfirmed } from '../fields.ts'
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
    summary: 'Begins to add a passkey to the account of who is signed in.',
    description: 'What `navigator.credentials.create` is asked, in the words of the standard: `PublicKeyCredential.parseCreationOptionsFromJSON` reads it. '
      + 'It is good for five minutes, for the browser that asked.',
    input: confirmed,
    example: { password: 'correct horse' },
    refuses: [...unconfirmed, 'EMAIL_NOT_VERIFIED', 'PASSKEY_LIMIT_REACHED'],
    ...needsConfirmation,
    output: output.creationOptions,
    handle: registrationOptions,
  }),
  route('POST', '/passkey/verify-registration', {
    summary: 'Adds the passkey that the device has made.',
    description: '`response` is the `toJSON()` of what `navigator.credentials.create` gave.',
    input: input.registration,
    example: { response: { ...credential, response: { clientDataJSON: 'e30', attestationObject: 'oA' } }, name: 'Phone' },
    refuses: ['INVALID_PASSKEY', 'PASSKEY_EXISTS', 'PASSKEY_LIMIT_REACHED'],
    limits: passwordLimits,
    output: output.passkey,
    handle: verifyRegistration,
  }),
  route('POST', '/passkey/generate-authenticate-options', {
    summary: 'Begins to sign in with a passkey.',
    description: 'What `navigator.credentials.get` is asked, in the words of the standard: `PublicKeyCredential.parseRequestOptionsFromJSON` reads it. '
      + 'It is the same for everybody, and good for five minutes, for the browser that asked.',
    input: nothing,
    credential: 'none',
    limits: { address: perMinute(60) },
    output: output.requestOptions,
    handle: authenticationOptions,
  }),
  route('POST', '/passkey/verify-authentication', {
    summary: 'Begins a session with a passkey, whose device has verified its person: no other factor is asked for.',
    description: '`response` is the `toJSON()` of what `navigator.credentials.get` gave.',
    input: input.authentication,
    example: { response: { ...credential, response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA', userHandle: 'AA' } } },
    refuses: ['INVALID_PASSKEY'],
    credential: 'none',
    startsSession: 'sign-in',
    secondFactor: 'verified',
    limits: { address: perMinute(60) },
    output: signInOutput,
    handle: verifyAuthentication,
  }),
  route('GET', '/passkey/list', {
    summary: 'Lists the passkeys of who is signed in, and says whether a sign-in asks for one.',
    input: nothing,
    output: output.list,
    handle: listPasskeys,
  }),
  route('POST', '/passkey/update', {
    summary: 'Gives a passkey another name.',
    input: input.rename,
    example: { passkeyId: exampleId, name: 'Phone' },
    refuses: ['NOT_FOUND'],
    output: output.passkey,
    handle: renamePasskey,
  }),
  route('POST', '/passkey/delete', {
    summary: 'Deletes a passkey. With the last one ends that one is asked for.',
    input: input.delete,
    example: { passkeyId: exampleId, password: 'correct horse' },
    refuses: [...unconfirmed, 'NOT_FOUND'],
    ...needsConfirmation,
    output: done,
    handle: respondWith({ success: true }, deletePasskey),
  }),
  route('POST', '/passkey/require', {
    summary: 'Says whether the password alone still signs in.',
    description:
      'While it does not, `/sign-in/email` refuses the right password with `SECOND_FACTOR_REQUIRED`, and a passkey signs in. Asking for one ends the other sessions.',
    input: input.require,
    example: { required: true, password: 'correct horse' },
    refuses: [...unconfirmed, 'PASSKEY_MISSING'],
    ...needsConfirmation,
    output: done,
    handle: respondWith({ success: true }, requirePasskey),
  }),
  route('POST', '/remove-password', {
    summary: 'Removes the password of who is signed in, who signs in with a passkey from then on.',
    description: '`/forget-password` gives one again.',
    input: confirmed,
    example: { password: 'correct horse' },
    refuses: [...unconfirmed, 'PASSKEY_MISSING'],
    ...needsConfirmation,
    output: done,
    handle: respondWith({ success: true }, removePassword),
  }),
]
