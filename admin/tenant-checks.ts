/** The checks before a move of a tenant, and the connections of its two databases. */
import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { connect } from '../db/connect.ts'
import { usersOf } from './tenant-copy.ts'
import type { TenantTables } from './tenant-tables.ts'
import { operatorError } from './terminal.ts'

/** A database of a move. */
export type Cell = { client: pg.Client, url: string, name: string }

/** Returns the URL of a database. @param given the URL, or the path of a file with it */
async function readUrl(given: string): Promise<string> {
  if (/^postgres(ql)?:\/\//.test(given)) return given
  const text = await readFile(given, 'utf8').catch(() => '')
  if (!/^postgres(ql)?:\/\//.test(text))
    throw operatorError('--to must be a URL such as postgresql://…, or a file that holds one.')
  return text.trim()
}

/** Connects to a database. @param given a URL or a file with one */
export async function openCell(given: string): Promise<Cell> {
  const url = await readUrl(given)
  const { hostname, port, pathname } = new URL(url)
  const client = await connect(url, { patienceMs: 0, timeoutMs: 5_000 }).catch((error: unknown) => {
    throw operatorError(`${hostname}: ${(error as Error).message}`)
  })
  return { client, url, name: `${hostname}:${port || '5432'}${decodeURIComponent(pathname)}` }
}

/** The cell of a tenant: null if the rows are in this database. Undefined without the tenant. */
export async function cellOf(
  client: pg.Client,
  tenant: string,
): Promise<string | null | undefined> {
  const { rows: [row] } = await client.query<{ cell: string | null }>(
    'select cell from private.tenants where tenant = $1',
    [tenant],
  )
  return row?.cell
}

type Facts = {
  walLevel: string
  isReplication: boolean
  isSubscriber: boolean
  setsRole: boolean
  publicUrl: string
  migrations: string
  hasBackfills: boolean
  keys: string[]
}

/** Reads what both databases must have, or share. */
async function readFacts(client: pg.Client): Promise<Facts> {
  const { rows } = await client.query<Facts>(
    `select current_setting('wal_level') as "walLevel", rolsuper or rolreplication as "isReplication",
      rolsuper or coalesce(pg_has_role(rolname, (
        select oid from pg_roles where rolname = 'pg_create_subscription'), 'member'), false)
        as "isSubscriber",
      has_parameter_privilege('session_replication_role', 'set') as "setsRole",
      (select public_url from private.settings) as "publicUrl",
      (select md5(string_agg(name || checksum, ' ' order by name)) from private.migrations)
        as migrations,
      exists (select from private.backfills where finished_at is null) as "hasBackfills",
      array(select id || private_key from auth.jwks) as keys
    from pg_roles where rolname = current_user`,
  )
  return rows[0]!
}

/** Returns the reasons of the settings and versions for which the tenant cannot move. */
async function settingRefusals(source: pg.Client, target: pg.Client): Promise<string[]> {
  const [from, to] = [await readFacts(source), await readFacts(target)]
  const reasons: [boolean, string][] = [
    [
      from.walLevel === 'logical',
      `The source has wal_level=${from.walLevel}. Set wal_level=logical, and restart its server.`,
    ],
    [from.isReplication, 'The user of the source needs REPLICATION.'],
    [to.isSubscriber, "The target's user must be a superuser, or have pg_create_subscription."],
    [to.setsRole, "The target's user may not set session_replication_role."],
    [
      from.migrations === to.migrations,
      'The databases have different versions: migrate both with the same release.',
    ],
    [
      // the target's job may have passed the tenant already
      !from.hasBackfills && !to.hasBackfills,
      'A migration still fills in old rows: wait until `admin status` lists no backfill.',
    ],
    [
      from.publicUrl === to.publicUrl,
      `PUBLIC_URL differs: ${from.publicUrl} and ${to.publicUrl}. Tokens and passkeys would end.`,
    ],
    [
      from.keys.some((key) => to.keys.includes(key)),
      'The databases share no signing key, so BETTER_AUTH_SECRET may differ. Copy auth.jwks first.',
    ],
  ]
  return reasons.filter(([isMet]) => !isMet).map(([, reason]) => reason)
}

/** Returns the reasons of users and of the organization for which the tenant cannot move. */
async function identityRefusals(
  source: pg.Client,
  target: pg.Client,
  tables: TenantTables,
  tenant: string,
): Promise<string[]> {
  const { rows: users } = await source.query<{ id: string, email: string }>(
    'select id, email from auth.users where id = any ($1)',
    [await usersOf(source, tables, tenant)],
  )
  const { rows: others } = await target.query<{ email: string }>(
    `select n.email from unnest($1::text[], $2::text[]) as n (id, email)
    join auth.users u on (u.id = n.id) <> (u.email = n.email)`,
    [users.map(({ id }) => id), users.map(({ email }) => email)],
  )
  const { rows: [organization] } = await source.query<{ slug: string }>(
    `select slug from auth.organizations where 'o:' || id = $1`,
    [tenant],
  )
  const { rowCount: taken } = await target.query(
    `select from auth.organizations where slug = $1 and 'o:' || id <> $2`,
    [organization?.slug, tenant],
  )
  return [
    ...others.map(({ email }) =>
      `The target has another user with the id or the email of ${email}.`
    ),
    ...(taken === 0
      ? []
      : [`The target has another organization with the slug ${organization?.slug}.`]),
  ]
}

/** Returns all reasons for which a tenant cannot move. */
export async function refusalsOf(
  source: pg.Client,
  target: pg.Client,
  tables: TenantTables,
  tenant: string,
): Promise<string[]> {
  if (!tenant.startsWith('o:'))
    return ['Only organizations move (o:<id>). The personal rows of a user stay with the account.']
  const cell = await cellOf(source, tenant)
  if (cell === undefined) return [`The source does not have the tenant ${tenant}.`]
  const { rowCount: external } = await source.query(
    'select from private.files where tenant = $1 and is_external limit 1',
    [tenant],
  )
  return [
    ...await settingRefusals(source, target),
    ...await identityRefusals(source, target, tables, tenant),
    ...(await cellOf(target, tenant) === null ? ['The target already serves the tenant.'] : []),
    ...(external === 0
      ? []
      : ['The tenant has files in an object storage: run `files move --to database` first.']),
  ]
}
