/**
 * The rows of the folder `account` of an export: the account's own data, read from the tables of
 * identity.
 */
import { sql, type Kysely } from 'kysely'
import type { AccountFile, SignIn } from '../client/export/format.ts'
import type { Tables } from '../db/types.ts'

/** Reads the rows of all tables. */
async function readRows(db: Kysely<Tables>, userId: string) {
  const user = await db.selectFrom('auth.users').selectAll().where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const sessions = await db.selectFrom('auth.sessions').selectAll().where('userId', '=', userId)
    .where('expiresAt', '>', sql<Date>`now()`)
    .orderBy('createdAt', 'desc').execute()
  const organizations = await db.selectFrom('auth.organizations as o').innerJoin(
    'auth.members as m',
    'm.organizationId',
    'o.id',
  )
    .selectAll('o').select('m.role').where('m.userId', '=', userId).orderBy('o.createdAt').orderBy(
      'o.id',
    ).execute()
  const invitations = await db.selectFrom('auth.invitations as i').innerJoin(
    'auth.organizations as o',
    'o.id',
    'i.organizationId',
  )
    .selectAll('i').select('o.name as organizationName').where('i.email', '=', user.email).where(
      'i.status',
      '=',
      'pending',
    )
    .where(sql.lit(user.emailVerified)).orderBy('i.createdAt').orderBy('i.id').execute()
  const accounts = await db.selectFrom('auth.accounts').selectAll().where('userId', '=', userId)
    .orderBy('createdAt').orderBy('id').execute()
  const passkeys = await db.selectFrom('auth.passkeys').selectAll().where('userId', '=', userId)
    .orderBy('createdAt').orderBy('id').execute()
  const keys = await db.selectFrom('auth.api_keys').selectAll().where('userId', '=', userId)
    .orderBy('createdAt', 'desc').orderBy('id').execute()
  const webhooks = await db.selectFrom('auth.webhooks').selectAll().where('userId', '=', userId)
    .orderBy('createdAt', 'desc').orderBy('id').execute()
  const calendars = await db.selectFrom('auth.calendars').selectAll().where('userId', '=', userId)
    .orderBy('createdAt', 'desc').orderBy('id').execute()
  const factor = await db.selectFrom('auth.two_factors').select('backupCodes').where(
    'userId',
    '=',
    userId,
  ).where('enabledAt', 'is not', null)
    .executeTakeFirst()
  return {
    user,
    sessions,
    organizations,
    invitations,
    accounts,
    passkeys,
    keys,
    webhooks,
    calendars,
    factor,
  }
}

type Rows = Awaited<ReturnType<typeof readRows>>

/** Returns the user with the sessions, the organizations and the invitations. */
const membershipFiles = ({ user, sessions, organizations, invitations }: Rows) => ({
  user: [{
    id: user.id,
    email: user.email,
    name: user.name,
    email_verified: user.emailVerified,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  }],
  sessions: sessions.map((session) => ({
    id: session.id,
    user_id: session.userId,
    active_organization_id: session.activeOrganizationId,
    expires_at: session.expiresAt,
    ip_address: session.ipAddress ?? '',
    user_agent: session.userAgent ?? '',
    created_at: session.createdAt,
    current: false,
  })),
  organizations: organizations
    .map(({ id, name, slug, logo, metadata, createdAt: created_at, role }) => ({
      id,
      name,
      slug,
      logo,
      metadata: JSON.parse(metadata || '{}') as object,
      created_at,
      role,
    })),
  invitations: invitations.map((invitation) => ({
    id: invitation.id,
    organization_id: invitation.organizationId,
    email: invitation.email,
    role: invitation.role,
    inviter_id: invitation.inviterId,
    status: invitation.status,
    expires_at: invitation.expiresAt,
    created_at: invitation.createdAt,
    organization_name: invitation.organizationName,
  })),
})

/** Returns the ways to sign in. */
function signInFiles({ user, accounts, passkeys, factor }: Rows) {
  const signIn: SignIn = {
    has_password: accounts.some(({ providerId, password }) =>
      providerId === 'credential' && password !== null
    ),
    passkey_required: user.passkeyRequired,
    two_factor: factor !== undefined,
    backup_codes_left: factor?.backupCodes.length ?? 0,
  }
  return {
    sign_in: [signIn],
    providers: accounts.filter(({ providerId }) => providerId !== 'credential')
      .map(({ id, providerId: issuer, accountId: subject, createdAt: created_at }) => ({
        id,
        issuer,
        subject,
        created_at,
      })),
    passkeys: passkeys
      .map((
        { id, name, backedUp: backed_up, createdAt: created_at, lastUsedAt: last_used_at },
      ) => ({
        id,
        name,
        backed_up,
        created_at,
        last_used_at,
      })),
  }
}

/** Returns the accesses of other programs. */
const accessFiles = ({ keys, webhooks, calendars }: Rows) => ({
  api_keys: keys.map((key) => ({
    id: key.id,
    name: key.name,
    hint: key.hint,
    organization_id: key.organizationId,
    role: key.role,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
  })),
  webhooks: webhooks.map((webhook) => ({
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    organization_id: webhook.organizationId,
    tables: webhook.tables,
    created_at: webhook.createdAt,
    delivered_at: webhook.deliveredAt,
    failing_since: webhook.failingSince,
    last_failure: webhook.lastFailure,
    last_status: webhook.lastStatus,
    disabled_at: webhook.disabledAt,
  })),
  calendars: calendars.map((calendar) => ({
    id: calendar.id,
    name: calendar.name,
    organization_id: calendar.organizationId,
    amounts: calendar.hasAmounts,
    created_at: calendar.createdAt,
    last_read_at: calendar.lastReadAt,
  })),
})

/**
 * Returns the rows of the folder `account`. Their fields are those of the auth surface's responses;
 * tests/auth/admin-export.test.ts compares.
 */
export async function accountOf(db: Kysely<Tables>, userId: string) {
  const rows = await readRows(db, userId)
  const files: Record<Exclude<AccountFile, 'events'>, object[]> = {
    ...membershipFiles(rows),
    ...signInFiles(rows),
    ...accessFiles(rows),
  }
  return { user: rows.user, organizations: rows.organizations, files }
}
