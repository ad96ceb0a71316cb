/** Schemas of passkeys. */
import { z } from 'zod'
import { address, confirmation, id, line, rowId, time } from '../../../http/fields.ts'

// the longest credential id of the standard has 1,023 bytes; responses of devices are below 16 KiB
const base64url = z.string().min(1).max(16_384).regex(/^[\w-]+$/, 'is not base64url')
const credential = <Response extends z.ZodRawShape>(response: Response) =>
  z.object({
    id: base64url.max(1_364),
    rawId: base64url.max(1_364),
    type: z.enum(['public-key']),
    response: z.object({ clientDataJSON: base64url, ...response }),
  })
const name = line(100).min(1)

export const input = {
  registration: z.object({
    response: credential({ attestationObject: base64url }),
    name: name.default('Passkey'),
  }),
  authentication: z.object({
    response: credential({
      authenticatorData: base64url,
      signature: base64url,
      userHandle: base64url,
    }),
  }),
  rename: z.object({ passkeyId: id, name }),
  delete: z.object({ passkeyId: id, password: confirmation }),
  require: z.object({ required: z.boolean(), password: confirmation }),
}

const passkey = z.object({
  id: rowId,
  name: z.string().meta({ examples: ['Phone'] }),
  backed_up: z.boolean().meta({
    description:
      'Whether the passkey is synchronized between devices, and so survives the loss of one.',
  }),
  created_at: time,
  last_used_at: time.nullable().meta({ description: 'null before the first sign-in with it.' }),
}).meta({ id: 'Passkey', description: 'A passkey.' })

export const output = {
  passkey,
  list: z.object({
    passkeys: z.array(passkey),
    required: z.boolean().meta({ description: 'Whether sign-in requires a passkey.' }),
    has_password: z.boolean().meta({ description: 'false if the account has no password.' }),
  }),
  creationOptions: z.object({
    rp: z.object({ id: z.string().meta({ examples: ['app.example.com'] }), name: z.string() }),
    user: z.object({ id: z.string(), name: address, displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.object({ type: z.enum(['public-key']), alg: z.int() })),
    timeout: z.int(),
    excludeCredentials: z.array(z.object({ type: z.enum(['public-key']), id: z.string() })),
    authenticatorSelection: z.object({
      residentKey: z.enum(['required']),
      requireResidentKey: z.boolean(),
      userVerification: z.enum(['required']),
    }),
    attestation: z.enum(['none']),
  }).meta({
    id: 'PasskeyCreation',
    description: 'PublicKeyCredentialCreationOptionsJSON of WebAuthn.',
  }),
  requestOptions: z.object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.int(),
    userVerification: z.enum(['required']),
  })
    .meta({
      id: 'PasskeyRequest',
      description: 'PublicKeyCredentialRequestOptionsJSON of WebAuthn.',
    }),
}
