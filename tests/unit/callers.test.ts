/** The caller of a request, as the edge reads it from a token to share the connections. */
import { exportJWK, generateKeyPair, SignJWT, type JSONWebKeySet } from 'jose'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { callerReader } from '../../edge/callers.ts'

const unexpected = (error: unknown) => expect.unreachable(String(error))

let now = 1_000_000
beforeEach(() => {
  now = 1_000_000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
})

/**
 * Makes a key. @returns its public half, and a function that returns an Authorization header of Ann
 */
async function newKey(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const bearer = async (claims: Record<string, unknown> = {}, algorithm = 'RS256') =>
    `Bearer ${await new SignJWT({
      user_id: 'ann',
      exp: Math.floor(Date.now() / 1_000) + 3_600,
      ...claims,
    }).setProtectedHeader({ alg: algorithm, kid }).sign(
      privateKey,
    )}`
  return { jwk: { ...await exportJWK(publicKey), kid, alg: 'RS256' }, bearer }
}

test('a valid token names its user and its active organization; other texts name nobody', async () => {
  const key = await newKey('a')
  const stranger = await newKey('a')
  const read = callerReader(() => Promise.resolve({ keys: [key.jwk] }), unexpected)
  expect(await read(await key.bearer())).toEqual({
    user: 'ann',
    team: undefined,
    visible: { personal: 'u:ann', team: undefined },
  })
  expect(
    await read(
      (await key.bearer({ claims: { organization_id: 'team' } })).replace('Bearer', 'bearer '),
    ),
  ).toEqual({
    user: 'ann',
    team: 'team',
    visible: { personal: 'u:ann', team: 'o:team' },
  })
  // a viewer writes nothing of the team, so its requests use no share of it
  expect(
    await read(
      await key.bearer({ claims: { organization_id: 'team', organization_role: 'viewer' } }),
    ),
  ).toEqual({ user: 'ann', team: undefined, visible: { personal: 'u:ann', team: 'o:team' } })
  const none = [
    undefined,
    '',
    'Bearer',
    'Bearer x',
    'Basic x',
    await stranger.bearer(),
    await key.bearer({ user_id: undefined }),
    await key.bearer({ exp: undefined }),
    await key.bearer({ exp: Math.floor(Date.now() / 1_000) - 60 }),
    `Bearer ${btoa('{"alg":"none","kid":"a"}')}.${btoa('{"user_id":"ann","exp":9999999999}')}.`,
  ]
  for (const authorization of none)
    expect([authorization, await read(authorization)]).toEqual([authorization, undefined])
})

test('a remembered token names nobody after it has expired', async () => {
  const key = await newKey('a')
  const read = callerReader(() => Promise.resolve({ keys: [key.jwk] }), unexpected)
  const token = await key.bearer()
  expect(await read(token)).toEqual({
    user: 'ann',
    team: undefined,
    visible: { personal: 'u:ann', team: undefined },
  })
  const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_700_000)
  onTestFinished(() => later.mockRestore())
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  expect(await read(token)).toBeUndefined()
})

test('keys rotate: the first token of the new key waits until it is loaded, so each token has the share of its user', async () => {
  const [old, next] = [await newKey('old'), await newKey('new')]
  const published: JSONWebKeySet = { keys: [old.jwk] }
  let loads = 0
  const read = callerReader(() => {
    loads += 1
    return Promise.resolve({ keys: [...published.keys] })
  }, unexpected)
  expect(await read(await old.bearer())).toBeDefined()
  published.keys.push(next.jwk)
  now += 10_000
  const tokens = [
    await next.bearer({ jti: '1' }),
    await next.bearer({ jti: '2' }),
    await old.bearer({ jti: '3' }),
  ]
  expect((await Promise.all(tokens.map(read))).map((caller) => caller?.user)).toEqual([
    'ann',
    'ann',
    'ann',
  ])
  expect(loads).toBe(2)
})

test('a flood of tokens of unknown keys loads the keys once in five seconds', async () => {
  const [key, unknown] = [await newKey('a'), await newKey('b')]
  let loads = 0
  const read = callerReader(() => {
    loads += 1
    return Promise.resolve({ keys: [key.jwk] })
  }, unexpected)
  for (let at = 0; at < 20; at++) expect(await read(await unknown.bearer({ at }))).toBeUndefined()
  expect(loads).toBe(1)
  now += 5_000
  expect(await read(await unknown.bearer())).toBeUndefined()
  expect(loads).toBe(2)
})

test('after a minute a new token loads the keys in the background, and a token does not wait for them', async () => {
  const key = await newKey('a')
  const never = new Promise<JSONWebKeySet>(() => {})
  const answers = [Promise.resolve({ keys: [key.jwk] }), never]
  const read = callerReader(() => answers.shift() ?? expect.unreachable(), unexpected)
  expect(await read(await key.bearer())).toBeDefined()
  now += 60_000
  expect(await read(await key.bearer({ jti: '1' }))).toBeDefined()
  expect(answers).toEqual([])
})

test('while the auth service is down tokens name nobody, one warning says so, and later they name their users', async () => {
  const key = await newKey('a')
  const problems: unknown[] = []
  let isUp = false
  const read = callerReader(
    () => isUp ? Promise.resolve({ keys: [key.jwk] }) : Promise.reject(new Error('down')),
    (error) => problems.push(error),
  )
  const token = await key.bearer()
  for (let at = 0; at < 3; at++) {
    expect(await read(token)).toBeUndefined()
    now += 5_000
  }
  expect(problems).toHaveLength(1)
  isUp = true
  expect(await read(token)).toEqual({
    user: 'ann',
    team: undefined,
    visible: { personal: 'u:ann', team: undefined },
  })
})
