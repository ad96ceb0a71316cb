/** An authenticator app (RFC 6238), which knows what it was told by a QR code and nothing else. */
import { createHmac } from 'node:crypto'
import type { Stack } from './stack.ts'
import { signedIn, type Person } from './person.ts'

export type Authenticator = {
  secret: string
  /** The code it shows. @param steps of half a minute from now */
  code: (steps?: number) => string
}

/** @param uri of the QR code */
export function authenticator(uri: string): Authenticator {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const bits = secret.replace(/./g, (letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
  const key = Buffer.from(BigInt(`0b${bits}`).toString(16).padStart(bits.length / 4, '0'), 'hex')
  return {
    secret,
    code: (steps = 0) => {
      const counter = Buffer.alloc(8)
      counter.writeBigInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
      const mac = createHmac('sha1', key).update(counter).digest()
      return (mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff).toString().slice(-6).padStart(6, '0')
    },
  }
}

/** A person with a session who has two factors. Half a minute has passed since the code that turned them on. */
export async function withTwoFactors(stack: Stack, name?: string): Promise<{ someone: Person, app: Authenticator, backupCodes: string[] }> {
  const someone = await signedIn(stack, name)
  // just signed in, which spares a hash
  const { body } = await someone.post('/two-factor/enable', {})
  const app = authenticator(body.totp_uri)
  await someone.post('/two-factor/verify-totp', { code: app.code() })
  await halfAMinutePasses(stack, someone)
  return { someone, app, backupCodes: body.backup_codes }
}

/** After it an app shows another code, and the one before is used up; here the same works again instead. */
export const halfAMinutePasses = (stack: Stack, someone: Person) =>
  stack.sql.query('update auth.two_factors set last_step = 0 where user_id = (select id from auth.users where email = $1)', [someone.email])
