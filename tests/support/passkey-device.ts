/** A device that keeps passkeys, as a browser asks it; and every lie that a browser or a device could tell of one. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

type Cbor = number | string | Uint8Array | Map<number | string, Cbor>

/** As much of CBOR (RFC 8949) as a passkey needs. */
function cbor(value: Cbor): Buffer {
  const head = (major: number, length: number) =>
    length < 24
      ? Buffer.from([(major << 5) | length])
      : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255])
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)])
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()
const flag = { present: 1, verified: 4, backupEligible: 8, backedUp: 16, attested: 64 }

/** What can be told otherwise than it is. */
export type Lies = {
  origin?: string
  crossOrigin?: boolean
  rpId?: string
  type?: string
  challenge?: string
  /** Whether somebody was there, and whether it was their person. */
  present?: boolean
  verified?: boolean
  counter?: number
  userHandle?: string
  credentialId?: string
  key?: KeyObject
  /** What the device says of itself. */
  attestation?: { fmt: string, attStmt: Map<string, Cbor> }
}

/** A device with one passkey at most. @param origin of the page that asks it */
export function passkeyDevice(origin: string) {
  let pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let id = randomBytes(32).toString('base64url')
  let handle = ''
  let counter = 0

  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: lies.crossOrigin ?? false,
      }),
    )
  const authenticatorData = (rpId: string, lies: Lies, flags: number) => {
    const data = Buffer.alloc(37)
    sha256(lies.rpId ?? rpId).copy(data)
    data[32] = (lies.present === false ? 0 : flag.present) | (lies.verified === false ? 0 : flag.verified) | flags
    data.writeUInt32BE(lies.counter ?? counter, 33)
    return data
  }
  const answer = (response: Record<string, string>, lies: Lies) => {
    const named = lies.credentialId ?? id
    return { id: named, rawId: named, type: 'public-key', response }
  }

  return {
    id: () => id,
    privateKey: () => pair.privateKey,
    /** `navigator.credentials.create(options)`, as JSON. */
    create: (options: { challenge: string, rp: { id: string }, user: { id: string } }, lies: Lies = {}) => {
      pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      id = lies.credentialId ?? randomBytes(32).toString('base64url')
      handle = options.user.id
      counter = 0
      const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' })
      const key = cbor(new Map<number, Cbor>([[1, 2], [3, -7], [-1, 1], [-2, Buffer.from(x, 'base64url')], [-3, Buffer.from(y, 'base64url')]]))
      const rawId = Buffer.from(id, 'base64url')
      const authData = Buffer.concat([
        authenticatorData(options.rp.id, lies, flag.attested | flag.backupEligible | flag.backedUp),
        Buffer.alloc(16),
        Buffer.from([rawId.length >> 8, rawId.length & 255]),
        rawId,
        key,
      ])
      const { fmt, attStmt } = lies.attestation ?? { fmt: 'none', attStmt: new Map() }
      const attestationObject = cbor(new Map<string, Cbor>([['fmt', fmt], ['attStmt', attStmt], ['authData', authData]])).toString('base64url')
      return answer({ clientDataJSON: clientData('webauthn.create', options.challenge, lies).toString('base64url'), attestationObject }, lies)
    },
    /** `navigator.credentials.get(options)`, as JSON. */
    get: (options: { challenge: string, rpId: string }, lies: Lies = {}) => {
      counter += 1
      const data = authenticatorData(options.rpId, lies, flag.backupEligible | flag.backedUp)
      const client = clientData('webauthn.get', options.challenge, lies)
      return answer({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, sha256(client)]), lies.key ?? pair.privateKey).toString('base64url'),
        userHandle: lies.userHandle ?? handle,
      }, lies)
    },
  }
}
