import { setTimeout as sleep } from 'node:timers/promises'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../http/database.ts'
import { startRotation, type KeyOptions } from '../../auth/keys/rotation.ts'
import { createLog } from '../../common/log.ts'
import { operator } from '../support/operator.ts'
import { person, signedIn } from '../support/person.ts'
import { tokenCache } from '../support/postgrest-versions.ts'
import { tokenSigner } from '../support/signer.ts'
import { startStack, type Stack } from '../support/stack.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ data: true, retireAfterSeconds: 6 })
})
afterAll(() => stack.close())

/** Runs the operator's command. */
const runOn = ({ ownerUrl }: Stack, ...argv: string[]) => operator(ownerUrl, 'keys', ...argv)
const run = (...argv: string[]) => runOn(stack, ...argv)
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const read = async (url: string, token: string) =>
  (await fetch(`${url}/transactions?limit=1`, { headers: { authorization: `Bearer ${token}` } }))
    .status
const published = async () =>
  ((await person(stack).get('/jwks')).body.keys as { kid: string }[]).map(({ kid }) => kid)

describe('a rotation of the signing key', () => {
  test('three times under constant load on two auth and two PostgREST processes causes no 401', async () => {
    const other = await stack.startAnotherPostgrest()
    const surfaces = [stack.dataUrl, other.url]
    const ann = await signedIn(stack, 'Ann')
    const elsewhere = person({ ...stack, url: await stack.startAnotherAuth() }, 'Ann', ann.email)
    await elsewhere.signIn()
    const counts = {
      reads: 0,
      refused: 0,
      tokens: 0,
      signIns: 0,
      kids: new Set<string | undefined>(),
    }
    // The pause between requests sets the load.
    const load = { running: true }
    // Tokens expire after five seconds here, sooner than a replaced key stops verifying.
    const validTokens: { token: string, until: number }[] = []
    const issue = async (who: typeof ann) => {
      while (load.running) {
        const token = await who.token()
        counts.tokens += 1
        counts.kids.add(kidOf(token))
        validTokens.push({ token, until: Date.now() + 5_000 })
        // All PostgREST processes must accept a new token at once.
        for (const url of surfaces) if (await read(url, token) === 401) counts.refused += 1
        await sleep(20)
      }
    }
    const reuse = async (url: string) => {
      while (load.running) {
        while (validTokens[0] !== undefined && validTokens[0].until < Date.now())
          validTokens.shift()
        const { token } = validTokens[Math.floor(Math.random() * validTokens.length)] ?? {}
        if (token !== undefined) {
          counts.reads += 1
          if (await read(url, token) === 401) counts.refused += 1
        }
        await sleep(5)
      }
    }
    const signIn = async () => {
      while (load.running) {
        const user = person(stack, 'Ann', ann.email)
        if ((await user.signIn()).status === 200) counts.signIns += 1
        await sleep(100)
      }
    }
    const workers = [issue(ann), issue(elsewhere), ...surfaces.map(reuse), signIn()]
    for (let i = 0; i < 3; i++)
      expect(await run('rotate')).toMatchObject({
        code: 0,
        text: expect.stringContaining('signs now'),
      })
    // Stops the load after the last key has signed a token that was also read.
    await expect.poll(() => counts.kids.size).toBe(4)
    const { reads } = counts
    await expect.poll(() => counts.reads).toBeGreaterThan(reads + 50)
    load.running = false
    await Promise.all(workers)
    console.log(
      `rotated 3 times: ${counts.reads} reads, ${counts.tokens} tokens, ${counts.signIns} sign-ins, ${counts.refused} answers of 401`,
    )
    expect(counts.refused).toBe(0)
    await other.stop()
  })

  test('a rotation of the signing key keeps the old key valid for a while, then removes it, and its tokens are refused within five seconds', async () => {
    const ann = await signedIn(stack, 'Ann')
    const old = await ann.token()
    await run('rotate')
    expect(await published()).toContain(kidOf(old))
    expect(await read(stack.dataUrl, old)).toBe(200)
    await expect.poll(published, { timeout: 6_000 + 5_000 }).not.toContain(kidOf(old))
    await expect.poll(() => read(stack.dataUrl, old), { timeout: 5_000 }).toBe(401)
    expect(await read(stack.dataUrl, await ann.token())).toBe(200)
  })

  test('a rotation of the signing key happens by itself when the key is old, and fifty concurrent requests are signed by published keys', async () => {
    const ann = await signedIn(stack, 'Ann')
    const before = kidOf(await ann.token())
    await stack.sql.query(
      `update auth.jwks set signs_from = now() - interval '91 days' where expires_at is null`,
    )
    await expect.poll(async () => {
      const tokens = await Promise.all(Array.from({ length: 10 }, () => ann.token()))
      expect(await Promise.all(tokens.map((token) => read(stack.dataUrl, token)))).toEqual(
        tokens.map(() => 200),
      )
      return kidOf(tokens[0] ?? '')
    }).not.toBe(before)
  })
})

test('a rotation while PostgREST is down waits: the old key keeps signing, log and metrics report it, and the rotation continues when PostgREST returns', async () => {
  await using ownStack = await startStack()
  const ann = await signedIn(ownStack, 'Ann')
  const before = kidOf(await ann.token())
  await ownStack.sql.query('update private.settings set key_rotation_requested_at = now()')
  await expect.poll(() =>
    ownStack.logged.some((line) => line.includes('PostgREST has not loaded the new signing key'))
  ).toBe(true)
  expect(kidOf(await ann.token())).toBe(before)
  expect((await person(ownStack).get('/jwks')).body.keys as unknown[]).toHaveLength(2)
  await expect.poll(async () =>
    Number(
      /^auth_signing_key_pending_seconds (\S+)$/m.exec(
        await (await fetch(`${ownStack.url}/metrics`)).text(),
      )?.[1],
    )
  )
    .toBeGreaterThan(0)
  const back = await ownStack.startAnotherPostgrest()
  await expect.poll(async () => kidOf(await ann.token())).not.toBe(before)
  expect(await read(back.url, await ann.token())).toBe(200)
})

test('a PostgREST that fails to load the keys loads them when it can again; three auth services cause a limited number of reloads, and the log reports it', async () => {
  await using hurt = await startStack({ data: true })
  await Promise.all([hurt.startAnotherAuth(), hurt.startAnotherAuth()])
  const notifications: string[] = []
  const listener = await hurt.sql.connect()
  listener.on('notification', ({ payload }) => notifications.push(payload ?? ''))
  await listener.query('listen pgrst')
  const lines = (text: string) => hurt.logged.filter((line) => line.includes(text)).length
  const loseConnections = () =>
    hurt.sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator' and datname = current_database()`,
    )
  const token = await (await signedIn(hurt, 'Ann')).token()

  await hurt.sql.query('revoke execute on function private.pre_config() from authenticator')
  await loseConnections()
  await expect.poll(() => read(hurt.dataUrl, token)).toBe(500)
  await expect.poll(() => lines('not every PostgREST has loaded the signing keys')).toBeGreaterThan(
    0,
  )
  await hurt.sql.query('grant execute on function private.pre_config() to authenticator')
  await expect.poll(() => read(hurt.dataUrl, token)).toBe(200)

  await loseConnections()
  await expect.poll(() =>
    lines('the database lost sessions, so every PostgREST loads its keys anew')
  ).toBeGreaterThan(0)
  await expect.poll(() => read(hurt.dataUrl, token)).toBe(200)
  // A check has two rounds, or one if it fails. Each service checks at its start, after a lost
  // connection, and after its listener reconnects.
  const most = 3 * 2 * (1 + 2 * 2) + lines('not every PostgREST has loaded the signing keys')
  expect(notifications.filter((what) => what === 'reload schema').length).toBeLessThanOrEqual(most)
  listener.release(true)
})

test('a rotation that cannot end its transaction because the database does not respond closes its connection, so that other processes do not wait for the lock', async () => {
  const pool = new pg.Pool({ connectionString: stack.ownerUrl, max: 1 })
  const holders: number[] = []
  const { db, close } = connect(stack.ownerUrl, () => undefined)
  const broken = {
    connect: async () => {
      const client = await pool.connect()
      const { rows: [{ pid }] } = await client.query('select pg_backend_pid() as pid')
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
      client.query = ((text: string, values: unknown[]) => {
        if (text !== 'commit') return query(text, values)
        holders.push(pid)
        return Promise.reject(new Error('no answer'))
      }) as typeof client.query
      return client
    },
  } as unknown as pg.Pool
  const rotation = startRotation(
    {
      db,
      pool: broken,
      databaseUrl: stack.ownerUrl,
      log: createLog('silent'),
      rotationIntervalSeconds: 0,
    } as KeyOptions,
  )
  await expect.poll(() => holders.length, { timeout: 20_000 }).toBeGreaterThan(0)
  await rotation.stop()
  await expect.poll(async () =>
    (await stack.sql.query(`select from pg_locks where locktype = 'advisory' and pid = any($1)`, [
      holders,
    ])).rowCount
  ).toBe(0)
  await pool.end()
  await close()
})

test('the operator’s command lists the keys and their states', async () => {
  const { code, text } = await run()
  expect(code).toBe(0)
  expect(text.split('\n')[0]).toMatch(/^kid +state +created_at +signs_from +retires_at$/)
  expect(text).toMatch(/ signs /)
})

test('the operator’s command revokes the signing key: its tokens are refused within five seconds, and another key signs', async () => {
  const ann = await signedIn(stack, 'Ann')
  const token = await ann.token()
  const { code, text } = await run('revoke', kidOf(token) ?? '')
  expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('Revoked 1 key.') })
  await expect.poll(() => read(stack.dataUrl, token), { timeout: 5_000 }).toBe(401)
  const next = await ann.token()
  expect(kidOf(next)).not.toBe(kidOf(token))
  expect(await read(stack.dataUrl, next)).toBe(200)
})

test('the operator’s command revokes a replaced key, and tokens fetched after the command are valid at once', async () => {
  const ann = await signedIn(stack, 'Ann')
  const token = await ann.token()
  expect(await run('rotate')).toMatchObject({ code: 0 })
  expect(await run('revoke', kidOf(token) ?? '')).toMatchObject({ code: 0 })
  expect(await read(stack.dataUrl, await ann.token())).toBe(200)
  await expect.poll(() => read(stack.dataUrl, token), { timeout: 5_000 }).toBe(401)
})

test('the operator’s command revokes a key with tokens in PostgREST’s cache, also after a rotation, and all tokens end at the next request', async () => {
  await using cachingStack = await startStack({ data: true, dataEnv: tokenCache })
  const ann = await signedIn(cachingStack, 'Ann')
  const token = await ann.token()
  for (let i = 0; i < 3; i++) expect(await read(cachingStack.dataUrl, token)).toBe(200)
  expect(await runOn(cachingStack, 'rotate')).toMatchObject({ code: 0 })
  const next = await ann.token()
  expect(kidOf(next)).not.toBe(kidOf(token))
  for (const good of [token, next]) expect(await read(cachingStack.dataUrl, good)).toBe(200)
  expect(await runOn(cachingStack, 'revoke', kidOf(token) ?? '')).toMatchObject({ code: 0 })
  for (const revoked of [token, next]) expect(await read(cachingStack.dataUrl, revoked)).toBe(401)
  expect(await read(cachingStack.dataUrl, await ann.token())).toBe(200)
})

test('the operator’s command revokes a key that signed a token dated in the future, which PostgREST has cached, and the token ends at once', async () => {
  await using cachingStack = await startStack({ data: true, dataEnv: tokenCache })
  const ann = await signedIn(cachingStack, 'Ann')
  const { kid, privateKey } = await tokenSigner(cachingStack.sql, cachingStack.publicUrl)
  const ahead = await new SignJWT({
    ...decodeJwt(await ann.token()),
    iat: Math.floor(Date.now() / 1000) + 25,
  }).setProtectedHeader({ alg: 'RS256', kid })
    .sign(privateKey)
  await expect.poll(() => read(cachingStack.dataUrl, ahead)).toBe(200)
  expect(await runOn(cachingStack, 'revoke', kid)).toMatchObject({ code: 0 })
  expect(await read(cachingStack.dataUrl, ahead)).toBe(401)
  expect(await read(cachingStack.dataUrl, await ann.token())).toBe(200)
})

test('the operator’s command leaves no signing key: POST /token returns 503 with Retry-After instead of signing with an unpublished key', async () => {
  await using ownStack = await startStack()
  const ann = await signedIn(ownStack, 'Ann')
  await ownStack.sql.query('delete from auth.jwks')
  const { status, body, headers } = await ann.post('/token')
  expect({ status, error: body.error }).toEqual({ status: 503, error: 'SERVICE_BUSY' })
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})

test('the operator’s command revokes all keys, and the next start creates a new one', async () => {
  await using ownStack = await startStack()
  const ann = await signedIn(ownStack, 'Ann')
  const before = kidOf(await ann.token())
  expect(await runOn(ownStack, 'revoke', '--all')).toMatchObject({
    code: 0,
    text: expect.stringContaining('Revoked 1 key.'),
  })
  await ownStack.sql.query('delete from auth.jwks')
  await ownStack.startAnotherAuth()
  expect(kidOf(await ann.token())).not.toBe(before)
})

test('the operator’s command prints one sentence for an unknown key or an unknown subcommand', async () => {
  expect(await run('revoke', 'nothing')).toEqual({
    code: 1,
    text: 'Signing key nothing not found.\n',
  })
  expect(await run('revoke')).toMatchObject({
    code: 1,
    text: expect.stringContaining('Missing argument: kid'),
  })
  expect(await run('polish')).toMatchObject({
    code: 1,
    text: expect.stringContaining('Unknown command keys polish.'),
  })
})
