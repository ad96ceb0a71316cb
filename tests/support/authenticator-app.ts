/** An authenticator app (RFC 6238) that reads its secret from the URI of a QR code. */
import { createHmac } from 'node:crypto'
import type { Stack } from './stack.ts'
import { signedIn, type Person } from './person.ts'

export type Authenticator = {
  secret: string
  /** Returns the current code. @param steps offset in time steps of 30 seconds */
  code: (steps?: number) => string
}

/** @param uri the `otpauth:` URI in the QR code */
export function authenticator(uri: string): Authenticator {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const bits = secret.replace(
    /./g,
    (letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const key = Buffer.from(BigInt(`0b${bits}`).toString(16).padStart(bits.length / 4, '0'), 'hex')
  return {
    secret,
    code: (steps = 0) => {
      const counter = Buffer.alloc(8)
      counter.writeBigInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps))
      const mac = createHmac('sha1', key).update(counter).digest()
      return (mac.readUInt32BE((mac.at(-1) ?? 0) & 0xf) & 0x7fffffff).toString().slice(-6).padStart(
        6,
        '0',
      )
    },
  }
}

/** Creates a signed-in user with two factors. The test can send the current code again. */
export async function withTwoFactors(
  stack: Stack,
  name?: string,
): Promise<{ user: Person, app: Authenticator, backupCodes: string[] }> {
  const user = await signedIn(stack, name)
  // A session this recent needs no password, which saves a hash.
  const { body } = await user.post('/two-factor/enable', {})
  const app = authenticator(body.totp_uri)
  await user.post('/two-factor/verify-totp', { code: app.code() })
  await acceptLastCodeAgain(stack, user)
  return { user, app, backupCodes: body.backup_codes }
}

/**
 * Resets the user's last used time step, so that a test can use the same code again instead of
 * waiting 30 seconds.
 */
export const acceptLastCodeAgain = (stack: Stack, user: Person) =>
  stack.sql.query(
    'update auth.two_factors set last_step = 0 where user_id = (select id from auth.users where email = $1)',
    [user.email],
  )
