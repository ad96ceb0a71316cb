/**
 * Requests of PostgREST 16, sent by hand, because no registry carries its binary. A request is the
 * statements of PostgREST.Query.PreQuery of v16.2 in a transaction, then the main query.
 */
import pg from 'pg'
import { connection, passwords, publicUrl } from './database.ts'
import type { Account, DataStack, Organization } from './data.ts'

/** The values that PostgREST sets before a request. */
export type Request = {
  claims: Record<string, unknown>
  /** The value of request.headers. PostgREST keeps one of several headers with the same name. */
  headers?: Record<string, string>
  /** The time zone of `Prefer: timezone=`, which PostgREST 16 does not check. */
  timezone?: string
  path?: string
}

/** An error in PostgREST's format, or an error of PostgreSQL. */
export type Refusal = { code: string, message: string, hint: string | null, status?: number }

/** Returns the claims of a valid token. */
export function claimsOf(
  { id, email, sessionId }: Account,
  active?: Organization,
  change: Record<string, unknown> = {},
): Record<string, unknown> {
  const now = Math.floor(Date.now() / 1000)
  return {
    sub: id,
    user_id: id,
    email,
    aud: publicUrl,
    sid: sessionId,
    role: 'authenticated',
    iat: now,
    exp: now + 3600,
    claims: active === undefined
      ? {}
      : { organization_id: active.id, organization_role: active.members.get(id) },
    ...change,
  }
}

/** Converts an error of PostgreSQL to PostgREST's response. */
function refusalOf({ code = '', message, detail, hint }: pg.DatabaseError): Refusal {
  if (code !== 'PGRST') return { code, message, hint: hint ?? null }
  return {
    ...JSON.parse(message) as Refusal,
    status: (JSON.parse(detail ?? '{}') as { status: number }).status,
  }
}

/**
 * Sends a request with PostgREST's login role.
 * @param query the main query; only pre_request() runs without one
 * @returns the rows, or the error
 */
export async function asPostgrest(
  { owner, ownerUrl }: Pick<DataStack, 'owner' | 'ownerUrl'>,
  { claims, headers = {}, timezone, path = '/transactions' }: Request,
  query?: { text: string, values?: unknown[] },
): Promise<{ rows: any[] } | { refused: Refusal }> {
  const { rows: settings } = await owner.query<{ name: string, value: string }>(
    `select split_part(setting, '=', 1) as name, substr(setting, strpos(setting, '=') + 1) as value
     from pg_roles, unnest(rolconfig) setting where rolname = 'authenticated'`,
  )
  const client = new pg.Client({
    connectionString: connection(ownerUrl, {
      user: 'authenticator',
      password: passwords.authenticator,
    }),
  })
  await client.connect()
  try {
    await client.query('begin isolation level read committed read only')
    const variables: [string, string][] = [
      ['search_path', '"api", "public"'],
      ...settings.map(({ name, value }): [string, string] => [name, value]),
      ['role', 'authenticated'],
      ['request.jwt.claims', JSON.stringify(claims)],
      ['request.method', 'GET'],
      ['request.path', path],
      ['request.headers', JSON.stringify(headers)],
      ['request.cookies', '{}'],
      ...(timezone === undefined ? [] : [['timezone', timezone] satisfies [string, string]]),
    ]
    await client.query(
      `select ${
        variables.map((_, at) => `set_config($${2 * at + 1}, $${2 * at + 2}, true)`).join(', ')
      }`,
      variables.flat(),
    )
    await client.query('select "private"."pre_request"()')
    return { rows: query === undefined ? [] : (await client.query(query)).rows }
  } catch (error) {
    if (error instanceof pg.DatabaseError) return { refused: refusalOf(error) }
    throw error
  } finally {
    await client.end()
  }
}
