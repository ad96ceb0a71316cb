/** TOTP codes (RFC 6238): six digits, SHA-1, 30 seconds. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const stepSeconds = 30
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes bytes as base32 (RFC 4648). @param bytes a multiple of five */
const base32 = (bytes: Buffer): string =>
  [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('').replace(
    /[01]{5}/g,
    (bits) => alphabet.charAt(parseInt(bits, 2)),
  )

/** Returns random bytes as base32, which has no ambiguous characters. */
export const randomBase32 = (bytes: number): string => base32(randomBytes(bytes))

const bytesOf = (secret: string): Buffer => {
  const bits = secret.replace(
    /./g,
    (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from(bits.match(/[01]{8}/g)?.map((byte) => parseInt(byte, 2)) ?? [])
}

function codeAt(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(step))
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}

/**
 * Returns the step that the code matches: current, previous or next. Allows for clock drift and
 * slow typing.
 * @param now milliseconds
 * @returns undefined for a wrong code
 */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const current = Math.floor(now / 1_000 / stepSeconds)
  const given = Buffer.from(code)
  return [current, current - 1, current + 1].find((step) => {
    const right = Buffer.from(codeAt(secret, step))
    return given.length === right.length && timingSafeEqual(given, right)
  })
}

/** The content of the QR code. */
export const totpUri = (secret: string, issuer: string, account: string): string =>
  `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?${
    new URLSearchParams({
      secret,
      issuer,
      algorithm: 'SHA1',
      digits: '6',
      period: String(stepSeconds),
    }).toString()
  }`
