/**
 * The caller of a request to the data surface, from the signature of its token. The edge reads it
 * only to share PostgREST's connections (connection-shares.ts) and to name the tenant of a list
 * (lists.ts). PostgREST and the database decide which tokens are valid.
 */
import { createLocalJWKSet, errors, jwtVerify, type JSONWebKeySet } from 'jose'
import { describeError, type Log } from '../common/log.ts'

/** The tenants whose rows a token may show. A team's API key shows no personal rows. */
export type Visible = { personal: string | undefined, team: string | undefined }

/** The user of a token, and its active organization, unless the user is a viewer of it. */
export type Caller = { user: string, team: string | undefined, visible: Visible }

/**
 * Returns the caller. Undefined without a token, and for a token that is expired or whose signature
 * no known key verifies.
 */
export type ReadCaller = (authorization: string | undefined) => Promise<Caller | undefined>

/**
 * Age of the keys after which the next token makes the edge load them again, in milliseconds. That
 * token does not wait for them.
 */
const reloadMs = 60_000

/**
 * Minimum time between two loads for tokens of unknown keys, in milliseconds. These tokens wait for
 * the load.
 */
const unknownKeyMs = 5_000

/**
 * Maximum number of verified tokens that the edge remembers, the recently used ones. A token has
 * less than 1,500 bytes.
 */
const rememberedTokens = 10_000

/** Seconds for which an expired token still counts, the same as in PostgREST. */
const clockToleranceSeconds = 30

type Remembered = { caller: Caller, until: number }

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

type Keys = ReturnType<typeof createLocalJWKSet>

/** The public keys, which are loaded on demand. The parameters are those of callerReader(). */
function createKeys(
  loadKeys: () => Promise<JSONWebKeySet>,
  onProblem: (error: unknown) => void,
) {
  let keys: Keys | undefined
  let loading: Promise<void> | undefined
  let loadedAt = -Infinity
  let hasReported = false

  const replaceKeys = async (): Promise<void> => {
    try {
      keys = createLocalJWKSet(await loadKeys())
    } catch (error) {
      if (!hasReported) onProblem(error)
      hasReported = true
    }
  }
  return {
    current: (): Keys | undefined => keys,
    /** Loads the keys, unless a load has begun in this time. */
    load: (intervalMs: number): Promise<void> | undefined => {
      if (loading !== undefined || performance.now() - loadedAt < intervalMs) return loading
      loadedAt = performance.now()
      loading = replaceKeys().finally(() => {
        loading = undefined
      })
      return loading
    },
  }
}

/** Verifies a token. @returns null if its key is unknown */
async function verify(
  token: string,
  keys: Keys | undefined,
): Promise<Remembered | undefined | null> {
  if (keys === undefined) return null
  try {
    const { payload } = await jwtVerify(token, keys, {
      algorithms: ['RS256'],
      clockTolerance: clockToleranceSeconds,
    })
    const user = text(payload['user_id'])
    if (user === undefined || payload.exp === undefined) return undefined
    const claims = payload['claims'] as Record<string, unknown> | undefined
    const team = text(claims?.['organization_id'])
    const writesForTeam = team !== undefined && claims?.['organization_role'] !== 'viewer'
    const isTeamKey = team !== undefined && payload['api_key'] !== undefined
    const visible = {
      personal: isTeamKey ? undefined : `u:${user}`,
      team: team === undefined ? undefined : `o:${team}`,
    }
    return {
      caller: { user, team: writesForTeam ? team : undefined, visible },
      until: (payload.exp + clockToleranceSeconds) * 1_000,
    }
  } catch (error) {
    return error instanceof errors.JWKSNoMatchingKey ? null : undefined
  }
}

/**
 * Returns the function that reads callers.
 * @param loadKeys reads the public keys of the auth service; it must end within seconds
 * @param onProblem called once, when the keys cannot be loaded
 */
export function callerReader(
  loadKeys: () => Promise<JSONWebKeySet>,
  onProblem: (error: unknown) => void,
): ReadCaller {
  const remembered = new Map<string, Remembered>()
  const keys = createKeys(loadKeys, onProblem)
  const read = async (token: string): Promise<Remembered | undefined> => {
    if (keys.current() !== undefined) void keys.load(reloadMs)
    const verified = await verify(token, keys.current())
    if (verified !== null) return verified
    await keys.load(unknownKeyMs)
    return await verify(token, keys.current()) ?? undefined
  }

  return async (authorization = '') => {
    const token = /^bearer[ \t]+([^ \t]+)/i.exec(authorization)?.[1]
    if (token === undefined) return undefined
    let found = remembered.get(token)
    // the newest entry is the last one
    remembered.delete(token)
    if (found === undefined || found.until <= Date.now()) found = await read(token)
    if (found === undefined) return undefined
    remembered.set(token, found)
    const [oldest] = remembered.keys()
    if (remembered.size > rememberedTokens && oldest !== undefined) remembered.delete(oldest)
    return found.caller
  }
}

/** Returns the function that warns of keys that cannot be loaded. */
export const reportMissingKeys = (log: Pick<Log, 'warn'>) => (error: unknown): void =>
  log.warn(
    { error: describeError(error) },
    'the public keys cannot be loaded, so tokens share the connections by their network; they are loaded again',
  )
