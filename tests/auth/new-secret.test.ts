/**
 * Changes BETTER_AUTH_SECRET in the order of docs/operations.md and docs/aws.md, and changes it
 * back.
 */
import { expect, test } from 'vitest'
import { authConfig } from '../../auth/config.ts'
import { createLog } from '../../common/log.ts'
import { startAuth } from '../../auth/main.ts'
import { freePort } from '../../start/ports.ts'
import { readSettings } from '../../common/settings.ts'
import { connection, passwords } from '../support/database.ts'
import { operator } from '../support/operator.ts'
import { signedIn } from '../support/person.ts'
import { startStack } from '../support/stack.ts'

const first = 'the first secret, which is long enough'
const second = 'the second secret, also long enough'

test('an operator stops the service, revokes all keys and starts it with another secret: users can sign in again, also after changing back', async () => {
  await using stack = await startStack({ auth: false, data: true })
  const port = await freePort()
  const url = `http://localhost:${port}`
  await stack.sql.query('update private.settings set public_url = $1', [url])
  const start = (secret: string) =>
    startAuth(
      authConfig(readSettings({
        PUBLIC_URL: url,
        PORT: String(port),
        BETTER_AUTH_SECRET: secret,
        AUTH_DATABASE_URL: connection(stack.ownerUrl, {
          user: 'auth_service',
          password: passwords.authService,
        }),
      })),
      createLog('silent'),
    )

  let stop = await start(first)
  const ann = await signedIn({ ...stack, url, secret: first }, 'Ann')
  expect((await ann.get('/get-session')).body.user.email).toBe(ann.email)
  for (const secret of [second, first]) {
    const before = await ann.token()
    await stop()
    await expect(start(secret)).rejects.toThrow('BETTER_AUTH_SECRET does not open the signing keys')
    expect(await operator(stack.ownerUrl, 'keys', 'revoke', '--all')).toMatchObject({ code: 0 })
    stop = await start(secret)
    expect((await ann.get('/get-session')).status).toBe(401)
    expect((await ann.signIn()).status).toBe(200)
    const read = async (token: string) =>
      (await fetch(`${stack.dataUrl}/transactions?limit=1`, {
        headers: { authorization: `Bearer ${token}` },
      })).status
    await expect.poll(async () => read(await ann.token())).toBe(200)
    await expect.poll(() => read(before)).toBe(401)
  }
  await stop()
})
