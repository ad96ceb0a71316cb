/**
 * A device that stores a passkey and answers like a browser. Overrides forge single values of its
 * answers.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

type Cbor = number | string | Uint8Array | Map<number | string, Cbor>

/** Encodes the subset of CBOR (RFC 8949) that a passkey needs. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)])
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const flag = { present: 1, verified: 4, backupEligible: 8, backedUp: 16, attested: 64 }

/** Forged values of an answer. */
export type DeviceOverrides = {
  origin?: string
  crossOrigin?: boolean
  rpId?: string
  type?: string
  challenge?: string
  /** User presence and user verification. */
  present?: boolean
  verified?: boolean
  counter?: number
  userHandle?: string
  credentialId?: string
  key?: KeyObject
  /** The attestation statement. */
  attestation?: { fmt: string, attStmt: Map<string, Cbor> }
}

/**
 * Creates a device with at most one passkey.
 * @param origin the origin of the page that uses it
 * @param isSynced whether other devices share its passkey
 */
export function passkeyDevice(origin: string, isSynced = true) {
  const backup = isSynced ? flag.backupEligible | flag.backedUp : 0
  let pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let id = randomBytes(32).toString('base64url')
  let handle = ''
  let counter = 0

  const clientData = (type: string, challenge: string, overrides: DeviceOverrides) =>
    Buffer.from(
      JSON.stringify({
        type: overrides.type ?? type,
        challenge: overrides.challenge ?? challenge,
        origin: overrides.origin ?? origin,
        crossOrigin: overrides.crossOrigin ?? false,
      }),
    )
  const authenticatorData = (rpId: string, overrides: DeviceOverrides, flags: number) => {
    const data = Buffer.alloc(37)
    sha256(overrides.rpId ?? rpId).copy(data)
    data[32] = (overrides.present === false ? 0 : flag.present) |
      (overrides.verified === false ? 0 : flag.verified) | flags
    data.writeUInt32BE(overrides.counter ?? counter, 33)
    return data
  }
  const answer = (response: Record<string, string>, overrides: DeviceOverrides) => {
    const named = overrides.credentialId ?? id
    return { id: named, rawId: named, type: 'public-key', response }
  }

  return {
    id: () => id,
    privateKey: () => pair.privateKey,
    /** `navigator.credentials.create(options)`, as JSON. */
    create: (
      options: { challenge: string, rp: { id: string }, user: { id: string } },
      overrides: DeviceOverrides = {},
    ) => {
      pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      id = overrides.credentialId ?? randomBytes(32).toString('base64url')
      handle = options.user.id
      counter = 0
      const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' })
      const key = cbor(
        new Map<number, Cbor>([[1, 2], [3, -7], [-1, 1], [-2, Buffer.from(x, 'base64url')], [
          -3,
          Buffer.from(y, 'base64url'),
        ]]),
      )
      const rawId = Buffer.from(id, 'base64url')
      const authData = Buffer.concat([
        authenticatorData(options.rp.id, overrides, flag.attested | backup),
        Buffer.alloc(16),
        Buffer.from([rawId.length >> 8, rawId.length & 255]),
        rawId,
        key,
      ])
      const { fmt, attStmt } = overrides.attestation ?? { fmt: 'none', attStmt: new Map() }
      const attestationObject = cbor(
        new Map<string, Cbor>([['fmt', fmt], ['attStmt', attStmt], ['authData', authData]]),
      ).toString('base64url')
      return answer({
        clientDataJSON: clientData('webauthn.create', options.challenge, overrides).toString(
          'base64url',
        ),
        attestationObject,
      }, overrides)
    },
    /** `navigator.credentials.get(options)`, as JSON. */
    get: (options: { challenge: string, rpId: string }, overrides: DeviceOverrides = {}) => {
      counter += 1
      const data = authenticatorData(options.rpId, overrides, backup)
      const client = clientData('webauthn.get', options.challenge, overrides)
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign(
          'sha256',
          Buffer.concat([data, sha256(client)]),
          overrides.key ?? pair.privateKey,
        ).toString('base64url'),
        userHandle: overrides.userHandle ?? handle,
      }, overrides)
    },
  }
}
