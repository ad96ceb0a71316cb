/**
 * API keys. A user's program gets tokens and live streams with a key, and reaches no other route.
 * The database stores a hash of the key and decides what the key may do: db/identity/roles.sql.
 */
import { createHash, randomBytes } from 'node:crypto'
import { generateId } from 'better-auth'
import { z } from 'zod'
import { apiKeyPrefix } from '../../../common/contract.ts'
import { rejection, reject } from '../../../http/errors.ts'
import { perMinute } from '../../../http/policy.ts'
import { givenRoleNames } from '../../roles.ts'
import { callerOf, type RouteContext } from '../../../http/route.ts'
import { confirmCaller, withAccountLock } from '../caller.ts'
import { confirmation, id, name, rowId, serialize, time } from '../../../http/fields.ts'
import { issueToken, signingKeyColumns, type SigningKeyRow } from '../session/issue-token.ts'

export const input = {
  create: z.object({
    name: name.min(1),
    expiresInDays: z.int().min(1).max(366),
    organizationId: id.nullable().default(null).meta({
      description: 'The team whose rows it reaches; null for the personal ones.',
    }),
    role: z.enum(givenRoleNames).default('viewer').meta({
      description: '`viewer` only reads. In the personal context there is no `admin`.',
    }),
    password: confirmation,
  }).refine(({ organizationId: team, role }) => team !== null || role !== 'admin', {
    path: ['role'],
    message: 'must be viewer or editor for a personal key',
  }),
  revoke: z.object({ keyId: id }),
}

const apiKey = z.object({
  id: rowId,
  name: z.string().meta({ examples: ['Monthly report'] }),
  hint: z.string().meta({ description: 'The beginning of the key.', examples: ['fin_5xQ2'] }),
  organization_id: z.string().nullable().meta({
    description: 'The team whose rows it reaches; null for the personal ones.',
  }),
  role: z.enum(givenRoleNames),
  created_at: time,
  expires_at: time,
  last_used_at: time.nullable().meta({
    description: 'Time of the last token, to the minute; null before the first.',
  }),
}).meta({ id: 'ApiKey', description: 'An API key.' })

export const output = {
  list: z.array(apiKey),
  created: apiKey.extend({
    key: z.string().meta({ description: 'The key itself. It cannot be returned again.' }),
  })
    .meta({ id: 'NewApiKey', description: 'A newly created API key.' }),
}

const day = 86_400_000

/** Limit of wrong keys per client address. */
const wrongKeys = { path: '/token with a wrong key', limit: perMinute(60) }

/**
 * Hashes a key. It is 256 random bits, so a slow hash would protect nothing and delay each token.
 */
const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()

const columns = [
  'id',
  'name',
  'hint',
  'organizationId',
  'role',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
] as const

export async function createApiKey(
  c: RouteContext,
  { password, expiresInDays, ...given }: z.output<typeof input.create>,
) {
  const { user } = callerOf(c)
  // Otherwise an attacker who signed up with a victim's address would keep the key after the victim
  // resets the password.
  if (!user.emailVerified) reject('EMAIL_NOT_VERIFIED')
  await confirmCaller(c, password)
  const key = `${apiKeyPrefix}${randomBytes(32).toString('base64url')}`
  const values = {
    ...given,
    id: generateId(),
    userId: user.id,
    keyHash: hashOf(key),
    hint: key.slice(0, apiKeyPrefix.length + 4),
    expiresAt: new Date(Date.now() + expiresInDays * day),
  }
  const row = await withAccountLock(
    c,
    (trx) =>
      trx.insertInto('auth.api_keys').values(values).returning(columns).executeTakeFirstOrThrow(),
  )
  return serialize(output.created, { ...row, key })
}

export async function listApiKeys(c: RouteContext) {
  const rows = await c.var.services.db.selectFrom('auth.api_keys').select(columns).where(
    'userId',
    '=',
    callerOf(c).user.id,
  )
    .orderBy('createdAt', 'desc').orderBy('id').execute()
  return rows.map((row) => serialize(apiKey, row))
}

export async function revokeApiKey(
  c: RouteContext,
  { keyId }: z.output<typeof input.revoke>,
): Promise<void> {
  const revoked = await c.var.services.db.deleteFrom('auth.api_keys').where('id', '=', keyId).where(
    'userId',
    '=',
    callerOf(c).user.id,
  ).executeTakeFirst()
  if (revoked.numDeletedRows !== 1n) reject('NOT_FOUND')
}

const keyStatement = {
  name: 'api-key',
  text: `with found as materialized (
      select k.id, k.user_id, k.organization_id, k.role, u.email from auth.api_keys k join auth.users u on u.id = k.user_id
      where k.key_hash = $1 and auth.is_alive(k)
    ), used as (
      update auth.api_keys k set last_used_at = now() from found
      where k.id = found.id and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute')
    )
    select found.*, ${signingKeyColumns} left join found on true`,
}

type Found = {
  id: string
  user_id: string
  organization_id: string | null
  role: string
  email: string
}

/**
 * Finds a key that is alive, and notes its use.
 * @throws Rejection UNAUTHORIZED for a wrong key; RATE_LIMIT_EXCEEDED after many wrong ones
 */
export async function useApiKey(c: RouteContext, key: string): Promise<Found & SigningKeyRow> {
  const { prepared, limits } = c.var.services
  const row = await prepared<({ id: null } | Found) & SigningKeyRow>(keyStatement, [hashOf(key)])
  if (row !== undefined && row.id !== null) return row
  const { allowed, retryAfterSeconds } = await limits.consumeForAddress(
    wrongKeys.path,
    c.var.client,
    wrongKeys.limit,
  )
  throw allowed
    ? rejection('UNAUTHORIZED', 'The API key is invalid, expired or revoked.')
    : rejection('RATE_LIMIT_EXCEEDED', undefined, retryAfterSeconds)
}

/** Issues a token of the key's context and role. @throws Rejection UNAUTHORIZED for a wrong key */
export async function issueApiKeyToken(c: RouteContext, key: string): Promise<string> {
  const row = await useApiKey(c, key)
  const { id: sessionId, user_id: userId, email, organization_id: organizationId, role } = row
  return issueToken(c, row, {
    userId,
    email,
    sessionId,
    organizationId,
    role: organizationId === null ? undefined : role,
  }, { api_key: role })
}
